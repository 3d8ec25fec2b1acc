// cvt between types that have one value in a register.
#pragma once

#include "runtime/ptx/operations/number.h"
#include "runtime/ptx/operations/operation.h"

namespace hone::ptx {

/// One value to another type: the detail of an Op. The members take 26 bits.
struct Conversion {
  Type to = Type::none, from = Type::none;
  Rounding rounding = Rounding::nearest;
  bool is_integral = false;  ///< rounds to integers, also of a floating-point type
  bool ftz = false, sat = false, relu = false, is_finite = false;
  int to_bytes = 4, from_bytes = 4;  ///< of the registers

  uint32_t detail() const;
  static Conversion of_detail(uint32_t detail);
  /// The bits of the result from the bits of the operand, both of their types.
  uint64_t bits_from(uint64_t bits) const;
  /// The same, with the sign of the result in all bits before it.
  uint64_t extended_from(uint64_t bits) const;
};

/// Code of its own for frequent conversions; null for others.
Op::Execute fast_conversion(const Conversion& conversion);
/// The same from two registers of f32, the first one in the upper half of the result.
Op::Execute fast_pair_conversion(const Conversion& conversion);

}  // namespace hone::ptx
