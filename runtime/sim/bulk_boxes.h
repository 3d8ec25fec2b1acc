// Boxes of tensors in global memory, as the copy engine moves them.
#pragma once

#include "runtime/sim/worker.h"

namespace hone {

/// A tensor that boxes are of, in numbers.
struct BulkTensor {
  std::byte* data = nullptr;
  llvm::SmallVector<int64_t, 5> extents, strides;  ///< elements, and bytes, the fastest first

  BulkTensor(const Worker& worker, const TensorMap& map);

  /// The reason that the engine takes no box of it; empty where it does.
  std::string problem() const;
};

/// Bytes of a box that lie side by side in the tensor and in the tile, which begins with its box.
struct BoxChunk {
  int64_t in_tile = 0, in_memory = 0, bytes = 0;
};

/// Calls `use` for all of a box that lies within the ends of the tensor. The coordinates are from
/// the fastest dimension on.
void for_each_chunk(const BulkTensor& tensor, const TensorMap& map,
                    llvm::ArrayRef<int64_t> coordinates,
                    llvm::function_ref<void(const BoxChunk&)> use);

/// The coordinates of a lane's box.
llvm::SmallVector<int64_t, 5> coordinates_of(const Worker& worker, const BulkDetail& bulk,
                                             int lane);

/// The tensor of an instruction that moves a box of it. Throws SimFault where the engine takes
/// none.
BulkTensor open_tensor(const Worker& worker, const BulkDetail& bulk, uint32_t statement);

}  // namespace hone
