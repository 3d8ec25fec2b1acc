// The sizes at which the rungs of a page are counted: those of its table where blocks are quick to
// count.
#pragma once

#include <string>
#include <vector>

#include "tools/page/page.h"

namespace hone {

/// A rung and the one that it builds on are counted at the same sizes, so that they can be
/// compared: those of the page, the largest ones at which both were measured, or small ones. Of a
/// rung that is slower more operations are counted, to say why.
class CountPlan {
 public:
  /// `modules`: those of the rungs for the sizes of the ladder; without kernels where a rung cannot
  /// be built.
  CountPlan(const Ladder& ladder, const PageOptions& options,
            llvm::ArrayRef<const Module*> modules);

  /// The sizes of the page first, and small ones last.
  llvm::ArrayRef<Sizes> sizes() const { return sizes_; }
  /// The number of the sizes at which a page shows a rung.
  size_t shown(size_t rung) const { return shown_[rung]; }
  /// The numbers of all sizes at which a rung is counted: another one may be compared with it.
  std::vector<size_t> counted(size_t rung) const;

 private:
  std::vector<Sizes> sizes_;
  std::vector<size_t> shown_;
  std::vector<ptrdiff_t> bases_;  ///< numbers of rungs; -1: none
};

}  // namespace hone
