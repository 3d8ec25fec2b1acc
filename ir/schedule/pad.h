// Iterations that lie beyond the end of an axis and change nothing.
#pragma once

#include "ir/schedule/site.h"

namespace hone {

/// `body` so that it runs also where `inside`, a condition on `axes`, does not hold, and changes
/// nothing there. Stores that the axes tell apart are guarded; an update by all iterations reads a
/// neutral value instead:
///
///   C[i] += A[k]     =>     C[i] += select(k < K, A[k], 0)
///
/// Refuses an update for which no value is neutral.
Stmt padded(const Preconditions& check, const Expr& inside, llvm::ArrayRef<AxisPtr> axes,
            const Stmt& body);

}  // namespace hone
