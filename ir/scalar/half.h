// The 16-bit floats as bit patterns: IEEE binary16 (f16) and bfloat16 (bf16).
#pragma once

#include <cstdint>

namespace hone {

/// The nearest f16, ties to even, rounded once from the double. Too large a value is infinity; a
/// NaN keeps its sign and the top of its payload, and is quiet.
uint16_t f16_bits(double value);
/// Exact.
double f16_value(uint16_t bits);

/// The same for bf16.
uint16_t bf16_bits(double value);
double bf16_value(uint16_t bits);

}  // namespace hone
