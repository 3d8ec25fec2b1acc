// The numbers that integer types hold.
#pragma once

#include <limits>

#include "ir/scalar/type.h"

namespace hone {

struct IntegerLimits {
  int64_t least, greatest;
};

template <class Integer>
constexpr IntegerLimits limits_as = {std::numeric_limits<Integer>::min(),
                                     std::numeric_limits<Integer>::max()};

/// Of an integer type; an index has 64 bits.
constexpr IntegerLimits integer_limits(DType type) {
  switch (type) {
    case DType::i32:
      return limits_as<int32_t>;
    case DType::i8:
      return limits_as<int8_t>;
    case DType::u8:
      return limits_as<uint8_t>;
    default:
      return limits_as<int64_t>;
  }
}

}  // namespace hone
