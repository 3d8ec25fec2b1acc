// Iterations that lie beyond the end of an axis and change nothing.
#pragma once

#include "ir/schedule/legality/preconditions.h"

namespace hone {

/// `body` so that it runs also where `inside`, a condition on `axis`, does not hold, and changes
/// nothing there. Stores that the axis tells apart are guarded, and so are statements that depend
/// on an element, or on a quotient that may have no value there; an update by all iterations reads
/// a neutral value instead:
///
///   C[i] += A[k]     =>     C[i] += select(k < K, A[k], 0)
///
/// Refuses an update for which no value is neutral, and tensors that live in the body. `facts` hold
/// there.
Stmt padded(const Preconditions& check, const Expr& inside, const AxisPtr& axis, const Stmt& body,
            Facts facts);

}  // namespace hone
