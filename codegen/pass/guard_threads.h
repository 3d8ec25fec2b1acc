// Conditions of threads around code that all threads of the block take part in.
#pragma once

#include "ir/threads/thread_space.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {

/// True of waits, and of what threads do for others to wait for: those that a guard keeps out have
/// written tiles or made copies before, which others read.
bool is_of_all_threads(const Stmt& stmt);

/// The axes that say which thread this is, with the digits of its number that each is made of.
using ThreadAxes = llvm::DenseMap<const AxisNode*, ThreadDigits>;

/// `stmt`, where threads are mapped, for those threads that `condition` holds for, which is about
/// `digits` of their numbers. Barriers, and what is dealt out anew in these digits, stay outside:
///
///   for k in 0..K                 for k in 0..K
///     s[t] = A[k, t]       =>       if (i < 48) s[t] = A[k, t]
///     barrier                       barrier
///     r[] += s[63 - t]              if (i < 48) r[] += s[63 - t]
Stmt guard_threads(const Stmt& stmt, const Expr& condition, ThreadDigits digits,
                   const ThreadAxes& axes);

}  // namespace hone
