// Vector accesses of kernel IR: copies of neighbours, one instruction each.
#pragma once

#include "codegen/kernel.h"

namespace hone {

/// Bytes of the widest vector access to the tensor of that name: what it must be aligned to. 0
/// where there is none.
int64_t vector_bytes(const KernelFunction& kernel, llvm::StringRef tensor);

}  // namespace hone
