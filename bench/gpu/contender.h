// A kernel of either side, Hone's or the hand-written one: compiled alike, and launched alike.
#pragma once

#include <map>
#include <optional>

#include "bench/handwritten/handwritten.h"
#include "runtime/array.h"
#include "tools/cli/ladder.h"

namespace hone {

/// What is compiled for. Kernels are loaded where the device is a GPU.
struct Target {
  Device device;
  std::string arch;  ///< as NVRTC takes it: "sm_90"
};

struct Contender {
  std::string entry;
  std::string source;
  std::vector<std::string> tensors;  ///< what the kernel's pointers stand for
  std::vector<std::string> params;   ///< the sizes that follow them
  LaunchDims dims;
  std::shared_ptr<const Compiled> compiled;
  PtxasInfo resources;
  std::optional<CudaFunction> function;  ///< on a GPU
};

/// The kernel of a rung, which must be its only one, with all sizes left to run time.
Contender hone_contender(const Rung& rung, const Sizes& sizes, const Target& target);

Contender handwritten_contender(const HandwrittenKernel& kernel, const Target& target);

bool same_launch(const LaunchDims& lhs, const LaunchDims& rhs);

using DeviceTensors = std::map<std::string, Array<float>, std::less<>>;

/// A contender with the arguments of a launch. The contender must outlive it.
class Launch {
 public:
  Launch(const Contender& contender, const DeviceTensors& tensors, const Sizes& sizes);

  /// Gives the kernel to the GPU and does not wait for it.
  void operator()() const;

 private:
  const Contender* contender_;
  llvm::SmallVector<void*, 4> pointers_;
  llvm::SmallVector<int64_t, 4> values_;
};

}  // namespace hone
