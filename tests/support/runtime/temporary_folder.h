// A folder for one test.
#pragma once

#include <string>
#include <string_view>

#include "runtime/files.h"

namespace hone {

/// A new folder, which is removed with all that is in it at the end of the scope.
class TemporaryFolder : public ScopedFolder {
 public:
  TemporaryFolder() : ScopedFolder(make_private_folder(temporary_root(), "hone-test-")) {}

  /// The path of a file in the folder.
  std::string file(std::string_view name) const { return path() + "/" + std::string(name); }
};

/// Sets an environment variable, or unsets it with null, until the end of the scope.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, const char* value);
  ~ScopedVariable();
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  static void assign(const char* name, const char* value);

  const char* name_;
  std::string former_;
  bool was_set_;
};

}  // namespace hone
