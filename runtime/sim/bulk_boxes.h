// Boxes of tensors in global memory, as the copy engine moves them.
#pragma once

#include "runtime/sim/worker.h"

namespace hone {

/// A tensor that boxes are of, in numbers.
struct BulkTensor {
  std::byte* data = nullptr;
  llvm::SmallVector<int64_t, 5> extents, strides;  ///< elements, and bytes, the fastest first

  BulkTensor(const Worker& worker, const TensorMap& map);
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

/// The coordinates of a lane's box, whose access to global memory is given. Throws SimFault where
/// the engine moves no box of the tensor from there on, or writes behind the end of a row.
llvm::SmallVector<int64_t, 5> open_box(const Worker& worker, const BulkDetail& bulk,
                                       const Access& memory, int lane);

}  // namespace hone
