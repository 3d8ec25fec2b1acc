// The tensor maps of a kernel, as the driver encodes them for its launches.
#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "codegen/tensor_maps.h"
#include "runtime/workspace.h"

namespace hone {

class CudaContext;

/// A value of the kernel's parameter.
struct alignas(64) EncodedMap {
  std::array<std::byte, 128> bytes{};
};

/// Keeps the maps of the last launch, and encodes them again where arrays or sizes are others.
/// Thread-safe.
class TensorMapCache {
 public:
  explicit TensorMapCache(const KernelFunction& kernel)
      : kernel_(kernel), maps_(tensor_maps(kernel)) {}

  /// The maps of a launch on these arguments of the kernel. Throws RuntimeError where the driver
  /// makes no maps.
  std::vector<EncodedMap> maps(const CudaContext& context, llvm::ArrayRef<Storage> arguments,
                               const Sizes& sizes);

 private:
  EncodedMap encode(const CudaContext& context, const TensorMap& map, void* address,
                    const Sizes& sizes);
  void* zeros(const CudaContext& context);

  const KernelFunction& kernel_;
  const std::vector<TensorMap> maps_;
  std::mutex mutex_;
  Sizes sizes_;                   // of the last launch, as are those below
  std::vector<void*> addresses_;  // of the tensors that have maps
  std::vector<EncodedMap> known_;
  std::shared_ptr<void> zeros_;
};

}  // namespace hone
