// Needs of kernels that not all architectures meet: shared memory, and instructions.
#pragma once

#include <string>
#include <vector>

#include "codegen/kernel.h"
#include "llvm/ADT/StringRef.h"

namespace hone {

/// Bytes of shared memory that a block can have on an architecture ("sm_90", "sm_90a",
/// "compute_90"), with opt-in; 48 KB, which all have, where it is not known.
int64_t max_shared_bytes(llvm::StringRef arch);

/// Throws RuntimeError where a block of the kernel needs more: "matmul needs 131072 bytes of shared
/// memory, and sm_75 gives a block at most 65536".
void check_shared_bytes(const KernelFunction& kernel, llvm::StringRef arch);

/// The least compute capability that has all instructions of the kernel: 80 for sm_80; 0: any.
int least_capability(const KernelFunction& kernel);
/// True if GPUs of that capability have all that the kernel issues.
bool runs_on(const KernelFunction& kernel, int capability);

/// The architecture that the kernel is compiled for, to run on `arch`: itself, or the variant of it
/// ("sm_90a") that has the instructions which no later one has for certain. Empty where that is.
std::string target_of(const KernelFunction& kernel, llvm::StringRef arch);
/// The same for all kernels of a program.
std::string target_of(const Module& module, llvm::StringRef arch);

/// Options that NVRTC takes for the kernel alone: those of ptxas by which statements keep their
/// order.
std::vector<std::string> options_of(const KernelFunction& kernel);
/// Those of all kernels of a program, which is compiled as one.
std::vector<std::string> options_of(const Module& module);

/// Throws RuntimeError where the kernel cannot run on the architecture: it needs more shared
/// memory, or instructions that came later. One that is not known has them all.
void check_architecture(const KernelFunction& kernel, llvm::StringRef arch);

}  // namespace hone
