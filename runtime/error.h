// Errors outside the compiler: devices, libraries, files, array sizes.
#pragma once

#include <stdexcept>

#include "fmt/format.h"

namespace hone {

/// A run-time failure that a user can act on; the message names the thing, the numbers and a way
/// out.
class RuntimeError : public std::runtime_error {
 public:
  template <typename... Args>
  explicit RuntimeError(fmt::format_string<Args...> format, Args&&... args)
      : std::runtime_error(fmt::format(format, std::forward<Args>(args)...)) {}
};

}  // namespace hone
