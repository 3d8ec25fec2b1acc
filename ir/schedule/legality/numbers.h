// The demands of a schedule on the order of its sums.
#pragma once

#include "ir/schedule/legality/preconditions.h"

namespace hone {

/// Refuses a rewrite of `before` to `result` that breaks a demand of `before` (Function::required).
/// `culprit` is the statement of `before` to mark.
///
/// - Numbers::same_order: all updates of sums have the loops that they had, from the outermost on.
///   One loop may have become several that follow each other inwards, or two one; no iterations run
///   at once, and no instruction adds terms in an order of its own. A sum that is cut into parts of
///   its own is none in the order that it had. Loops of several updates of one tensor stay as they
///   are.
/// - Numbers::run_to_run: no parts are added as they come.
/// - Numbers::batch_invariant: the extents of these loops, and conditions that choose between
///   updates, are about no params that they were not about.
void check_numbers(const Preconditions& check, const Function& before, const Function& result,
                   const StmtNode* culprit);

}  // namespace hone
