// Conditions of threads around code that all threads of the block take part in.
#pragma once

#include "ir/stmt.h"

namespace hone {

/// `stmt`, where threads are mapped, for those threads of dimension `dim` that `condition` holds
/// for. Barriers, and what is dealt out to all threads of the dimension, stay outside:
///
///   for k in 0..K                 for k in 0..K
///     s[t] = A[k, t]       =>       if (i < 48) s[t] = A[k, t]
///     barrier                       barrier
///     r[] += s[63 - t]              if (i < 48) r[] += s[63 - t]
Stmt guard_threads(const Stmt& stmt, const Expr& condition, unsigned dim);

/// Whether `let` says which thread of dimension `dim` this is.
bool is_thread_index(const Let& let, unsigned dim);

}  // namespace hone
