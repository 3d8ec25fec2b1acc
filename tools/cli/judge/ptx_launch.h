// Kernels of kernel IR as NVRTC compiles them: their PTX on the simulated device.
#pragma once

#include "codegen/contract/launch_contract.h"
#include "runtime/ptx/device.h"

namespace hone {

struct PtxText {
  std::string ptx;
  std::vector<char> cubin{};  ///< that ptxas has made of it; may be empty
};

/// Launches a kernel by its PTX; count mode counts the accesses of its machine code. `operands` are
/// the arguments in the order of the contract, in memory of the host that `memory` knows. A launch
/// without blocks or threads does nothing. Throws what ptx::launch throws.
ptx::Report launch_ptx(const PtxText& text, const KernelContract& contract, ptx::Memory& memory,
                       llvm::ArrayRef<uint64_t> operands, const Sizes& sizes,
                       const ptx::LaunchOptions& options);

}  // namespace hone
