// PTX in the place of the kernels of a program, on the simulated device.
#pragma once

#include "runtime/array.h"
#include "tools/cli/judge/ptx_launch.h"

namespace hone {

struct PtxLaunch {
  int64_t threads = 0;  ///< of a block
  ptx::Report report;
};

/// Runs the kernels of a program one after the other, each from a PTX text of its own, on copies of
/// arrays of the host, which then get what the kernels have left. `is_unset` names the arrays that
/// hold no value yet. Returns the launches; one with findings is the last. Throws
/// PtxError, and RuntimeError where no GPU has such a launch.
std::vector<PtxLaunch> run_as_ptx(const LaunchContract& contract, llvm::ArrayRef<PtxText> texts,
                                  llvm::ArrayRef<AnyArray> arrays, const Sizes& sizes,
                                  llvm::function_ref<bool(llvm::StringRef)> is_unset,
                                  const ptx::LaunchOptions& options);

}  // namespace hone
