// Threads that exchange values within warps: where in the block they have to stand.
#pragma once

#include "ir/threads/launch_shape.h"

namespace hone {

/// The reason that the threads of the loop, which exchange values within warps, would not each be
/// in a warp of their own row; empty if they are. `block` is the shape of the block, and `around`
/// are the loops over threads around the loop.
std::string problem_of_warps(const For& loop, const std::array<Expr, 3>& block,
                             llvm::ArrayRef<const For*> around);

/// The advice beside it.
inline constexpr const char* note_on_warps =
    "bind all lanes of whole warps in the nest, or combine by a tree";

}  // namespace hone
