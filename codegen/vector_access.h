// Vector accesses of kernel IR: copies of neighbours, one instruction each.
#pragma once

#include "codegen/kernel.h"

namespace hone {

/// Bytes of the widest vector access to the tensor of that name, or of the rows that the copy
/// engine takes of it: what it must be aligned to. 0 where there is none.
int64_t vector_bytes(const KernelFunction& kernel, llvm::StringRef tensor);

}  // namespace hone
