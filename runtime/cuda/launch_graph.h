// The kernels of a program, given to a GPU in one call.
#pragma once

#include <mutex>

#include "llvm/ADT/SmallVector.h"
#include "runtime/cuda/cuda_module.h"

namespace hone {

/// A call of CudaFunction::launch, as data.
struct CudaLaunch {
  const CudaFunction* function = nullptr;
  LaunchDims dims;
  llvm::SmallVector<void*, 16> args;
};

/// Kernels of which each needs the results of those before it, as a CUDA graph. The first launch
/// makes it, and later ones change its shapes and arguments: the host takes a third of the time
/// that the single launches of two kernels take, and the GPU about a microsecond less from one
/// kernel to the next. Thread-safe.
class LaunchGraph {
 public:
  /// Starts the kernels on the default stream, in order, and does not wait for them. All calls are
  /// for the same functions, and no grid is empty. Throws what CudaFunction::launch throws, before
  /// anything runs.
  void launch(llvm::ArrayRef<CudaLaunch> launches);

 private:
  std::mutex mutex_;
  std::shared_ptr<void> executable_;
  std::shared_ptr<void> graph_;
  llvm::SmallVector<void*, 4> nodes_;  // of the graph
};

}  // namespace hone
