// The checks of a primitive, and how it refuses.
#pragma once

#include "ir/analysis/site.h"
#include "ir/core/error.h"

namespace hone {

/// The checks of a primitive. All refusals go through here, so that each one shows the loop nest.
class Preconditions {
 public:
  Preconditions(llvm::StringRef primitive, const Function& function)
      : primitive_(primitive), function_(function) {}
  /// Of a primitive that takes a tensor: refuses a null one.
  Preconditions(llvm::StringRef primitive, const Function& function, const TensorPtr& tensor);

  /// The loop of `axis`; refuses a null axis, and one that has no loop, and lists those that have.
  Site find(const AxisPtr& axis) const;
  /// As `find`, and refuses a loop that is bound or unrolled already.
  Site find_serial(const AxisPtr& axis) const;
  /// The same, but for a loop that is unrolled in full: its iterations may still be put otherwise.
  Site find_unplaced(const AxisPtr& axis) const;
  [[noreturn]] void refuse(const StmtNode* culprit, std::string message,
                           std::string note = "") const;

  const std::string& primitive() const { return primitive_; }
  const Function& function() const { return function_; }
  /// The words of a note before the axis at which the primitive would place a tile.
  const char* placing() const {
    return primitive_ == "compute_at" ? "compute it at" : "cache under";
  }

 private:
  std::string primitive_;
  const Function& function_;
};

}  // namespace hone
