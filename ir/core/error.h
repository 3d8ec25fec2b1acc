// Errors of a user in a schedule: one type, which carries the loop nest with the culprit.
#pragma once

#include <stdexcept>

#include "fmt/format.h"
#include "ir/core/location.h"
#include "ir/core/stmt.h"

namespace hone {

/// A refused schedule step. The function under schedule is as it was before the call.
///
///   matmul.cpp:31: error: split: 24 does not divide the extent 100 of k and the tail is 'exact'
///     for i in 0..128 {
///       for k in 0..100 {                <-- here
///         C[i] += A[i, k]
///   note: 2, 4, 5, 10, 20, 25 and 50 divide it; {.tail = Tail::guard} takes any factor
class ScheduleError : public std::exception {
 public:
  ScheduleError(std::string primitive, std::string message, std::string note = "");

  /// Marks a loop, or any statement, of the function: the nest around it is part of the message.
  ScheduleError& mark(const Function& function, const StmtNode* culprit);
  ScheduleError& at(Location location);
  /// Names the primitive that the user called, where one primitive is built from others.
  ScheduleError& during(std::string primitive);

  const char* what() const noexcept override { return text_.c_str(); }
  bool is_located() const { return location_.file != nullptr; }
  const std::string& primitive() const { return primitive_; }
  const std::string& message() const { return message_; }
  const std::string& note() const { return note_; }

 private:
  void compose();

  std::string primitive_, message_, note_, nest_, text_;
  Location location_;
};

/// The result of `make`, whose errors of a user, of any type, get the place.
template <class Make>
decltype(auto) located_any(const Location& location, Make make) {
  try {
    return located<LocatedError>(location, make);
  } catch (ScheduleError& error) {
    if (!error.is_located()) error.at(location);
    throw;
  }
}

/// The text of an error of any type that ends a command: its place first, where it has one, then
/// "error: ".
std::string report_of(const std::exception& error);

/// "i", "i and j", "i, j and k".
std::string join_names(llvm::ArrayRef<std::string> names);

/// The known name that a typing error or two turn into `name`; empty where none is that close.
std::string closest(llvm::StringRef name, llvm::ArrayRef<std::string> known);

}  // namespace hone
