// The numbers of blocks and threads that the bound loops of a kernel need, and what these tell
// apart.
#pragma once

#include <array>

#include "ir/core/stmt.h"

namespace hone {

inline bool is_thread_loop(const For& loop) { return loop.binding.kind == Binding::Kind::thread; }
/// Not over the blocks of a cluster.
inline bool is_loop_in_block(const For& loop) {
  return is_thread_loop(loop) && !loop.binding.is_cluster();
}
/// True if a loop in the statement, or the statement itself, is bound to threads.
bool has_thread_loops(const Stmt& stmt);

/// The number of blocks in x, y, z: the largest extent of the loops bound to each; 1 where there is
/// none.
std::array<Expr, 3> grid_of(const Stmt& body);

/// The number of threads of a block in x, y, z, likewise. A block that has work beside a loop has a
/// thread for it, also where the loop's extent turns out to be 0.
std::array<Expr, 3> block_of(const Stmt& body);

/// The number of blocks of a cluster, likewise; 1 where there are no clusters.
int64_t cluster_of(const Stmt& body);

/// The loop that says how many blocks of the kernel a multiprocessor holds, the most of all; null
/// where none does.
const For* loop_with_bounds(const Stmt& body);
/// The number of blocks that it says; 0 where no loop does.
int64_t resident_blocks(const Stmt& body);

/// The loops over threads among statements, in their order.
llvm::SmallVector<const For*, 4> thread_loops(llvm::ArrayRef<Stmt> stmts);

/// True if the value may differ between the threads of a block: it depends on the loops over
/// threads among the statements `around`, directly or by a let, or on registers.
bool differs_between_threads(const Expr& value, llvm::ArrayRef<Stmt> around);

}  // namespace hone
