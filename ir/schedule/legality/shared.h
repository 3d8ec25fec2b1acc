// Tiles in shared memory: how much they take, and that a block has one of each.
#pragma once

#include "ir/schedule/legality/preconditions.h"

namespace hone {

/// A tile that the threads of a block cannot fill together.
struct TileProblem {
  Stmt alloc;
  std::string message;
};

/// The first tile in the loop, of threads, that would differ between its iterations: all threads
/// of a block fill a tile with the same, together.
std::optional<TileProblem> problem_of_tiles(const For& loop);

/// Refuses a rewrite to `result` with a thread loop that has such a tile.
void check_tiles_of_threads(const Preconditions& check, const Function& result,
                            const StmtNode* culprit);

/// Refuses a layout that does not fit `tile`, and a tile for which no architecture has the room.
/// `what` takes it: "A.shared".
void check_shared_tile(const Preconditions& check, const StmtNode* culprit, const TensorNode& tile,
                       const std::string& what, const std::string& note);

/// Refuses a function whose shared tensors take more, together, than there is for one block.
void check_shared_total(const Preconditions& check, const Function& result,
                        const StmtNode* culprit);

}  // namespace hone
