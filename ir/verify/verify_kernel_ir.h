// Private to the verifier: the rules of kernel IR that depend on one statement alone.
#pragma once

#include "ir/core/stmt.h"

namespace hone {

/// Throws Violation unless the loop is serial or unrolled.
void check_in_kernel(const For& loop);
/// Throws Violation unless a kernel may allocate the tensor.
void check_in_kernel(const TensorNode& tensor);
/// Throws Violation unless the copy is one access of a whole vector.
void check_in_kernel(const Copy& copy);

}  // namespace hone
