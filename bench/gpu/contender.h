// A kernel of either side, Hone's or the hand-written one: compiled alike, and launched alike.
#pragma once

#include <map>
#include <optional>

#include "bench/gpu/machine_code.h"
#include "bench/handwritten/handwritten.h"
#include "runtime/array.h"
#include "tools/cli/ladder.h"

namespace hone {

/// What is compiled for. Kernels are loaded where the device is a GPU.
struct Target {
  Device device;
  std::string arch;  ///< as NVRTC takes it: "sm_90"
};

/// What cannot be measured, though nothing is wrong.
class Skipped : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

struct Contender {
  std::string entry;
  std::string source;
  std::vector<std::string> tensors;  ///< what the kernel's pointers stand for
  std::vector<std::string> params;   ///< the sizes that follow them
  LaunchDims dims;
  std::shared_ptr<const Compiled> compiled;
  PtxasInfo resources;
  std::optional<InstructionCounts> code;  ///< where there is a disassembler
  std::optional<CudaFunction> function;   ///< on a GPU

  int spilled_bytes() const { return resources.spill_store_bytes + resources.spill_load_bytes; }
  /// Of a block, static and dynamic.
  int64_t shared_bytes() const { return resources.shared_bytes + dims.shared_bytes; }
  /// How often a block waits for its threads, in the text, whether or not that is in a loop.
  int barriers() const;
};

/// The kernel of a rung, which must be its only one, with all sizes left to run time.
Contender hone_contender(const Rung& rung, const Sizes& sizes, const Target& target);

/// Throws Skipped where the sizes are not for the kernel.
Contender handwritten_contender(const HandwrittenKernel& kernel, const Sizes& sizes,
                                const Target& target);

using DeviceTensors = std::map<std::string, Array<float>, std::less<>>;

/// A contender with the arguments of a launch. The contender must outlive it.
class Launch {
 public:
  /// Throws RuntimeError where the kernel takes what the tensors and sizes lack.
  Launch(const Contender& contender, const DeviceTensors& tensors, const Sizes& sizes);

  /// Gives the kernel to the GPU and does not wait for it.
  void operator()() const;

 private:
  const Contender* contender_;
  llvm::SmallVector<void*, 4> pointers_;
  llvm::SmallVector<int64_t, 4> values_;
};

}  // namespace hone
