// Guards moved inwards, so that statements of the whole block stand outside of them.
#pragma once

#include "ir/schedule/legality/preconditions.h"
#include "ir/threads/launch_shape.h"

namespace hone {

/// `function` in which no guard that differs between the threads of a block stands around the loop
/// of `axis`; each guards the statements beside the loop and its body:
///
///   for j @thread.x                          for j @thread.x
///     if (j < N)                               if (j < N)
///       C[j] = 0                    =>           C[j] = 0
///       reduce k in 0..K                       reduce k in 0..K
///         C[j] += A[k]                           if (j < N)
///                                                  C[j] += A[k]
///
/// The axis has a loop. Refuses a guard that reads a tensor.
Function sink_thread_guards(const Preconditions& check, const Function& function,
                            const AxisPtr& axis);

}  // namespace hone
