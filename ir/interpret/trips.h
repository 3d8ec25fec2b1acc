// How much work a function is, before it runs.
#pragma once

#include "ir/buffer.h"
#include "llvm/ADT/STLExtras.h"

namespace hone {

/// How many iterations a loop has for these sizes; none where its extent has no value: it is not
/// reached then, or what runs says so.
int64_t count_iterations(const For& loop, const Sizes& sizes);

/// How many iterations the loops in `stmt` have for these sizes, all together, as if no condition
/// kept any from running; the largest number where there are more. Calls `use` with each loop and
/// its share.
int64_t count_trips(
    const Stmt& stmt, const Sizes& sizes,
    llvm::function_ref<void(const For&, int64_t)> use = [](const For&, int64_t) {});

}  // namespace hone
