// Boxes of tensors in global memory, as the copy engine moves them.
#pragma once

#include "runtime/sim/engine.h"
#include "runtime/sim/worker.h"

namespace hone {

/// Bytes of a box that lie side by side in the tensor and in the tile, which begins with its box.
struct BoxChunk {
  int64_t in_tile = 0, in_memory = 0;  ///< from the start of the tile, and of the tensor
  int64_t bytes = 0;
  std::byte* data = nullptr;  ///< in the tensor
};

/// Calls `use` for all of the operation's box that lies within the ends of the tensor.
void for_each_chunk(const Worker& worker, const AsyncOperation& operation,
                    llvm::function_ref<void(const BoxChunk&)> use);

/// The coordinates of a lane's box, the fastest dimension first. Throws SimFault where the engine
/// moves no box of the tensor from there on, or writes behind the end of a row.
llvm::SmallVector<int64_t, 0> open_box(const Worker& worker, const AsyncDetail& detail, int lane);

}  // namespace hone
