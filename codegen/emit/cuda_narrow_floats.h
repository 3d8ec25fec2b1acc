// The CUDA text of conversions to and from floats that are narrower than float. Those of 16 bits
// have functions of CUDA; tf32 and floats of 8 bits have functions in the text itself, which need
// no headers.
#pragma once

#include <set>

#include "codegen/kernel.h"

namespace hone {

/// f16 or bf16, with which CUDA computes.
bool is_half(DType type);
/// A float with fewer bits than f32.
bool is_narrow_float(DType type);

/// A narrow float as a float, and a float as the nearest narrow one.
std::string cuda_to_float(DType from, const std::string& operand);
std::string cuda_from_float(DType to, const std::string& operand);

/// The nearest narrow float of a number of any other type, rounded once.
std::string cuda_to_narrow_float(DType to, DType from, const std::string& operand);

/// The element of a float of 8 bits that is nearest to the value.
std::string cuda_byte_constant(DType type, double value);

/// Adds the functions that the conversion calls to `used`.
void add_narrow_functions(DType to, DType from, std::set<std::string>& used);
/// Definitions of these functions.
std::string cuda_narrow_functions(const std::set<std::string>& used);

}  // namespace hone
