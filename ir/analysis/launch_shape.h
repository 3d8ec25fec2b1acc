// The numbers of blocks and threads that the bound loops of a kernel need.
#pragma once

#include <array>

#include "ir/stmt.h"

namespace hone {

inline bool is_thread_loop(const For& loop) { return loop.binding.kind == Binding::Kind::thread; }

/// The number of blocks in x, y, z: the largest extent of the loops bound to each; 1 where there is
/// none.
std::array<Expr, 3> grid_of(const Stmt& body);

/// The number of threads of a block in x, y, z, likewise. A block that has work beside a loop has a
/// thread for it, also where the loop's extent turns out to be 0.
std::array<Expr, 3> block_of(const Stmt& body);

}  // namespace hone
