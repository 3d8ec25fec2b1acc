// The special registers: who a thread is, and what it can know about the launch.
#pragma once

#include <optional>

#include "runtime/ptx/machine/warp.h"

namespace hone::ptx {

/// An op that reads one into a destination of so many bytes in a lane: none where there is none of
/// that name ("%tid.x"). Clocks count the instructions of the block's threads.
std::optional<Op> special_op(llvm::StringRef name, int register_bytes);
/// True of those that say where barriers of the whole grid count.
bool is_of_grid_barrier(llvm::StringRef name);

}  // namespace hone::ptx
