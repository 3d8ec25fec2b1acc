// Places in the user's code, and errors that say at which they come up.
#pragma once

#include <string>
#include <string_view>
#include <utility>

namespace hone {

/// The names of the library's own files begin so, as its build maps them.
inline constexpr std::string_view library_folder = "<hone>/";

/// A place in the user's code.
struct Location {
  const char* file = nullptr;
  int line = 0;

  /// The place of the call. Calls in the library's own files have none: an error of theirs gets the
  /// place of the user's call.
  static Location current(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    if (std::string_view(file).starts_with(library_folder)) return {};
    return {file, line};
  }
};

/// The text of an error, which gets the place of the call that throws it:
///
///   matmul.cpp:7: error: the extent of i must not be negative, got -4
class LocatedError {
 public:
  /// The first place counts: calls in calls of the user are at the user's own.
  void at(const Location& location) {
    if (!location.file || is_located()) return;
    text_ = location.file + (":" + std::to_string(location.line)) + ": error: " + message_;
  }
  bool is_located() const { return text_.size() != message_.size(); }
  /// Without the place.
  const std::string& message() const { return message_; }

 protected:
  explicit LocatedError(std::string message) : message_(std::move(message)), text_(message_) {}
  const std::string& text() const { return text_; }

 private:
  std::string message_, text_;
};

/// The result of `make`, whose errors of the type `Error`, a LocatedError, get the place.
template <class Error, class Make>
decltype(auto) located(const Location& location, Make make) {
  try {
    return make();
  } catch (Error& error) {
    error.at(location);
    throw;
  }
}

}  // namespace hone
