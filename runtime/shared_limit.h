// The largest amount of shared memory that a block can have.
#pragma once

#include "codegen/kernel.h"
#include "llvm/ADT/StringRef.h"

namespace hone {

/// Bytes of shared memory that a block can have on an architecture ("sm_90", "sm_90a",
/// "compute_90"), with opt-in; 48 KB, which all have, where it is not known.
int64_t max_shared_bytes(llvm::StringRef arch);

/// Throws RuntimeError where a block of the kernel needs more: "matmul needs 131072 bytes of shared
/// memory, and sm_75 gives a block at most 65536".
void check_shared_bytes(const KernelFunction& kernel, llvm::StringRef arch);

}  // namespace hone
