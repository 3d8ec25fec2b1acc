// The names of elements in C++ and in CUDA.
#pragma once

#include "ir/scalar/type.h"

namespace hone {

/// The type of one element. Null for tuples, which are structs of a kernel, and for indices, whose
/// width is a kernel's choice.
const char* cuda_type(DType type);

}  // namespace hone
