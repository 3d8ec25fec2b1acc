// Kernels of kernel IR as NVRTC compiles them: their PTX on the simulated device.
#pragma once

#include "codegen/contract/launch_contract.h"
#include "runtime/ptx/device.h"

namespace hone {

struct PtxText {
  std::string ptx;
  std::vector<char> cubin{};  ///< that ptxas has made of it; may be empty
};

/// A kernel by its PTX, with its arguments. `operands` are those in the order of the contract, in
/// memory of the host that `memory` knows.
class LoadedKernel {
 public:
  /// Throws what LoadedModule throws, and RuntimeError where the PTX has no such kernel.
  LoadedKernel(const PtxText& text, const KernelContract& contract, ptx::Memory& memory,
               llvm::ArrayRef<uint64_t> operands, const Sizes& sizes);

  /// Count mode counts the accesses of the machine code. Without blocks or threads, nothing
  /// happens. Throws what ptx::launch throws.
  ptx::Report run(const ptx::LaunchOptions& options) const;
  bool is_empty() const;
  const ptx::LoadedModule& module() const { return module_; }
  const ptx::KernelInfo& info() const { return info_; }
  const ptx::LaunchShape& shape() const { return shape_; }
  llvm::ArrayRef<std::byte> params() const { return params_; }

 private:
  ptx::LoadedModule module_;
  const ptx::KernelInfo& info_;
  ptx::LaunchShape shape_;
  std::vector<std::byte> params_;
};

}  // namespace hone
