// The number of floating-point operations of a statement.
#pragma once

#include "ir/core/stmt.h"

namespace hone {

/// Floating-point operations that a thread does when it runs a store: each `+ - * /`, comparison,
/// min, max and function of floats is one, and a fused multiply-add two; those of the update count.
/// A change of sign, a magnitude and a conversion are none. Of a select the longer side counts.
/// Other statements have none of their own.
int64_t float_operations(const Stmt& stmt);
/// Of these, the ones in double precision.
int64_t double_operations(const Stmt& stmt);

}  // namespace hone
