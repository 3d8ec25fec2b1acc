// Floats of fewer bits than f32 as bit patterns: IEEE binary16 (f16), bfloat16 (bf16), and those
// that only tensor cores compute with: tf32, and floats of 8 bits.
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

/// The nearest tf32, as a float whose lower 13 bits are 0: rounded once, ties away from zero, as by
/// cvt.rna.tf32.f32.
float tf32_nearest(double value);
/// The tf32 that a float in memory is: its lower 13 bits count for nothing. A NaN that has no other
/// bits of its payload is infinity.
float tf32_value(float element);

/// Four bits of exponent, three of mantissa, and no infinities (E4M3 of the Open Compute Project).
/// The nearest, ties to even. Whatever is beyond the largest number, 448, becomes that number, and
/// so do infinities; NaN is 0x7f: as by cvt.rn.satfinite.e4m3x2.f32.
uint8_t f8e4m3_bits(double value);
/// Exact.
double f8e4m3_value(uint8_t bits);

/// Five bits of exponent, and two of mantissa: the upper half of an f16. The same, and the largest
/// number is 57344; no conversion leads to the infinities.
uint8_t f8e5m2_bits(double value);
double f8e5m2_value(uint8_t bits);

}  // namespace hone
