// Libraries that are opened while the program runs, so that one binary works with and without them.
#pragma once

#include <optional>
#include <string>

namespace hone {

/// An open shared library. It is never closed: CUDA's libraries keep threads and exit handlers that
/// must outlive us, and a kernel on the host may be called for as long as the process lives.
class SharedLibrary {
 public:
  /// Opens a library by path or by the name that the loader searches for, with its symbols kept to
  /// itself. Throws RuntimeError with the loader's words.
  static SharedLibrary open(const std::string& name);

  /// The library if the process has it open already; nothing is loaded.
  static std::optional<SharedLibrary> already_loaded(const std::string& name);

  /// The file that the loader chose.
  const std::string& path() const { return path_; }

  /// The address of a symbol, or null.
  void* find(const char* symbol) const;

  /// The function of that name. Throws RuntimeError where the library lacks it.
  template <class Function>
  Function* function(const char* symbol) const {
    return reinterpret_cast<Function*>(require(symbol));
  }

  /// Makes `slot` the function of that name. Throws RuntimeError where the library lacks it.
  template <class Function>
  void load(Function*& slot, const char* symbol) const {
    slot = function<Function>(symbol);
  }

 private:
  explicit SharedLibrary(void* handle, const std::string& name);
  void* require(const char* symbol) const;

  void* handle_;
  std::string path_;
};

}  // namespace hone
