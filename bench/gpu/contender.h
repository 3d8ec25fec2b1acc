// The kernels of either side, Hone's or the hand-written ones: compiled alike, and launched alike.
#pragma once

#include <map>
#include <optional>

#include "bench/gpu/machine_code.h"
#include "bench/handwritten/handwritten.h"
#include "runtime/array.h"
#include "runtime/compile.h"
#include "runtime/cuda/tensor_map_cache.h"
#include "tools/cli/ladder.h"

namespace hone {

/// The target of a compilation. Kernels are loaded where the device is a GPU.
struct Target {
  Device device;
  std::string arch;  ///< as NVRTC takes it: "sm_90"
};

/// A measurement that is not possible, though nothing is wrong.
class Skipped : public RuntimeError {
 public:
  using RuntimeError::RuntimeError;
};

/// A launch of one kernel, or what a library does in its place.
struct Stage : HandwrittenLaunch {
  size_t module = 0;  ///< of the contender's, which holds the kernel
  PtxasInfo resources = {};
  bool starts_early = false;                            ///< before the launch before it has ended
  std::optional<CudaFunction> function = std::nullopt;  ///< on a GPU
  /// Of a kernel of Hone's: its arguments behind the params, on a GPU.
  std::shared_ptr<TensorMapCache> maps = nullptr;
  /// Of a library: gives the work on these tensors to the GPU. Then there is no kernel.
  std::function<void(llvm::ArrayRef<void*> tensors)> call = nullptr;

  int spilled_bytes() const { return resources.spill_store_bytes + resources.spill_load_bytes; }
  /// Of a block, static and dynamic.
  int64_t shared_bytes() const { return resources.shared_bytes + dims.shared_bytes; }
};

/// The program of one side: launches in order, with what they leave to each other.
struct Contender {
  std::string source;
  std::vector<Stage> stages;
  std::vector<HandwrittenTemporary> temporaries;
  std::vector<std::shared_ptr<const Compiled>> modules;
  std::optional<Kernel> kernel;           ///< Hone's, whose parts the stages refer to
  std::optional<InstructionCounts> code;  ///< of all kernels, where there is a disassembler

  /// "matmul_bind", "reduce_sequential, reduce_partials"
  std::string entries() const;
  /// The number of barriers of a block in the text, in loops or not.
  int barriers() const;
  // Of all its kernels: the most that one takes, or the sum.
  int most_registers() const;
  int64_t most_shared_bytes() const;
  int spilled_bytes() const;
};

/// The kernels of a rung, with all sizes left to run time.
Contender hone_contender(const Rung& rung, const Sizes& sizes, const Target& target);

/// Throws Skipped where the sizes or the architecture are not for the kernels.
Contender handwritten_contender(const HandwrittenKernel& kernel, const Sizes& sizes,
                                const Target& target);

using DeviceTensors = std::map<std::string, AnyArray, std::less<>>;

/// The temporaries of a contender, all zeros.
DeviceTensors make_temporaries(const Contender& contender, const Device& device);

/// A contender with the arguments of its launches. The contender must outlive it.
class Launch {
 public:
  /// Throws RuntimeError where a kernel takes what the tensors, temporaries and sizes lack.
  Launch(const Contender& contender, const DeviceTensors& tensors, const DeviceTensors& temporaries,
         const Sizes& sizes);

  /// Gives the kernels to the GPU and does not wait for them.
  void operator()() const;

 private:
  struct Arguments {
    llvm::SmallVector<void*, 4> pointers;
    llvm::SmallVector<int64_t, 4> values;
    std::vector<EncodedMap> maps;
  };

  const Contender* contender_;
  DeviceTensors temporaries_;  // kept alive
  std::vector<Arguments> arguments_;
};

}  // namespace hone
