// The shared memory of a block: what is in it, and where.
#pragma once

#include "codegen/kernel.h"
#include "ir/memory/shared_plan.h"
#include "ir/target/gpu_limits.h"

namespace hone {

/// True if two shared tensors that have addresses have a byte in common.
bool share_bytes(const TensorNode& lhs, const TensorNode& rhs);

struct SharedMemory {
  llvm::SmallVector<TensorPtr, 4> tensors;  ///< in the order of the text
  int64_t bytes = 0;                        ///< of a block
  int64_t alignment = 1;                    ///< of its start, for all of them
  /// Tensors share bytes, or there are too many for separate ones: all lie in one array.
  bool is_arena = false;

  /// The array is as long as the launch says.
  bool is_dynamic() const { return bytes > widest_architecture().static_shared_bytes_per_block; }
};

/// Of kernel IR. Tensors without an address follow one another.
SharedMemory shared_memory(const KernelFunction& kernel);

}  // namespace hone
