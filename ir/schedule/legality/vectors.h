// Checks that the promises of a schedule about vector accesses hold.
#pragma once

#include "ir/schedule/legality/preconditions.h"

namespace hone {

/// A vectorised loop, or a copy, that cannot keep its promise.
struct BrokenVector {
  Stmt stmt;
  std::string message, note;
};

/// The first statement of `result` that cannot move its elements in one access. One that the
/// rewrite of `before` leaves as it is, under as many guards, keeps its vectors.
std::optional<BrokenVector> find_broken_vector(const Function& before, const Function& result);

/// Refuses a rewrite of `before` to `result` in which a vectorised loop, or a copy that promises
/// vectors, cannot move its elements in one access. A statement that the rewrite leaves as it is,
/// under as many guards, keeps its vectors. `culprit` is the statement of `before` to mark; null
/// where the statement itself is in it.
void check_vectors(const Preconditions& check, const Function& before, const Function& result,
                   const StmtNode* culprit);

}  // namespace hone
