// Loops whose iterations run at the same time: bound to blocks, threads or cores.
#pragma once

#include "ir/analysis/dependence.h"
#include "ir/schedule/legality/preconditions.h"

namespace hone {

/// Two accesses by which different iterations of a loop may touch one element.
struct Overlap {
  MemoryAccess writer, other;

  /// "two iterations of i may write one element: C[j]"; "two iterations of i may touch one element:
  /// one writes C[j], one reads C[i]".
  std::string text(const For& loop) const;
};

/// The first overlap of iterations of the loop at `site`, at elements of `only` where that is
/// given; nothing where they are proved to be independent. Updates by one operator count as
/// independent where they `commute`.
std::optional<Overlap> find_overlap(const Site& site, const TensorPtr& only = nullptr,
                                    bool updates_commute = false);

/// Refuses a rewrite to `result` in which iterations of the loop of `axis`, which is bound, would
/// no longer be independent; where it changes accesses to one tensor alone, that is `only`.
/// `culprit` is the statement of the function before the rewrite to mark.
void check_independent(const Preconditions& check, const Function& result, const AxisNode* axis,
                       const StmtNode* culprit, const TensorPtr& only = nullptr);

}  // namespace hone
