// Work that is spread over the cores of this machine.
#pragma once

#include <cstddef>

#include "llvm/ADT/STLExtras.h"

namespace hone {

/// Calls `work(n)` for n = 0, 1, ..., count - 1, on all cores at the same time, in no order.
/// Returns when all calls have; where some have thrown, rethrows what the one of the least n has
/// thrown.
void parallel_for(size_t count, llvm::function_ref<void(size_t)> work);

}  // namespace hone
