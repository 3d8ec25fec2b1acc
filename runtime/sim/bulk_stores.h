// Stores that the copy engine makes. Their tile is read as late as it may be, when the thread that
// has asked for them waits. Their tensor is written when it waits for that, or behind all else that
// the block does, the last store first.
#pragma once

#include "runtime/sim/program.h"

namespace hone {

/// A store that has been asked for, and not been waited for.
struct PendingStore {
  const BulkDetail* bulk = nullptr;
  int thread = 0;
  const std::byte* tile = nullptr;  ///< element 0 of its tensor
  int64_t element = 0;              ///< the first one of the box
  llvm::SmallVector<int64_t, 5> coordinates;
  std::vector<std::byte> box = {};  ///< once it has been read
  bool is_read() const { return !box.empty(); }
};

/// Asks for a store in each active lane; the detail is one of SimProgram::bulk_moves.
void start_store(Worker& worker, const Instruction& instruction);
/// Reads, and if the detail is 1 writes, what the active lanes have asked for.
void wait_stores(Worker& worker, const Instruction& instruction);
/// The copy engine sees what the active lanes have written.
void fence_engine(Worker& worker, const Instruction& instruction);
/// The block is over: makes the stores that have not been written.
void end_stores(Worker& worker);

}  // namespace hone
