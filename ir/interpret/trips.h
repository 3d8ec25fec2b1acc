// The amount of work in a function, counted before it runs.
#pragma once

#include "ir/interpret/buffer.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {

/// The number of iterations of a loop for these sizes; none if its extent has no value: the loop is
/// not reached then, or running it reports the failure.
int64_t count_iterations(const For& loop, const Sizes& sizes);

/// The number of iterations of all loops in `stmt` together for these sizes, as if no condition
/// kept any from running; the largest integer if there are more. Calls `use` with each loop and
/// its share.
int64_t count_trips(
    const Stmt& stmt, const Sizes& sizes,
    llvm::function_ref<void(const For&, int64_t)> use = [](const For&, int64_t) {});

}  // namespace hone
