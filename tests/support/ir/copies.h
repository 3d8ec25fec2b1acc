// Programs of one loop.
#pragma once

#include <string>

#include "fmt/format.h"

namespace hone {

/// A copy of `extent` elements.
inline std::string copy_of(const std::string& extent) {
  const bool is_param = isalpha(extent[0]);
  return fmt::format("func f{}(A: f32[{}], C: f32[{}]) {{ for i in 0..{} {{ C[i] = A[i] }} }}",
                     is_param ? "[" + extent + "]" : "", extent, extent, extent);
}

}  // namespace hone
