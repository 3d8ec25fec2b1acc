// Counts in messages.
#pragma once

#include <string>

#include "fmt/format.h"

namespace hone {

/// "1 index", "2 indices"
inline std::string counted(size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace hone
