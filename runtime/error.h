// Errors outside the compiler: devices, libraries, files, array sizes.
#pragma once

#include <stdexcept>

#include "fmt/format.h"
#include "ir/core/location.h"

namespace hone {

/// A run-time failure that a user can act on; the message names the thing, the numbers and a way
/// out.
class RuntimeError : public std::runtime_error, public LocatedError {
 public:
  template <typename... Args>
  explicit RuntimeError(fmt::format_string<Args...> format, Args&&... args)
      : RuntimeError(Whole(), fmt::format(format, std::forward<Args>(args)...)) {}
  const char* what() const noexcept override { return text().c_str(); }

 private:
  struct Whole {};
  RuntimeError(Whole, const std::string& message)
      : std::runtime_error(message), LocatedError(message) {}
};

}  // namespace hone
