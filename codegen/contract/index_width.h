// The width of index arithmetic in C, and the sizes that indices of 32 bits are enough for.
//
// A variable of an index type has the width of the kernel's indices, a literal is an int where it
// fits in one, and an operator computes in the wider of its operands. A value that an int does not
// hold is computed from a wide operand: index(i64(i))*j, in C (long long)i * j.
#pragma once

#include "codegen/kernel.h"

namespace hone {

/// The largest size that 32-bit indices of this kernel address: leaves room for the threads of a
/// last block that stand beyond the end, and for loops that count on beyond it in steps.
int64_t max_size_32(const KernelFunction& kernel);

/// True if a signed integer of so many bits holds the value.
bool fits_in(int64_t value, int bits);

/// The bits of an index expression in C, where variables have `index_bits`.
int width_of(const Expr& expr, int index_bits);

/// The same index in 64 bits.
Expr widened(const Expr& index);
/// The index that was widened to `expr`; undefined for any other expression.
Expr before_widening(const Expr& expr);

}  // namespace hone
