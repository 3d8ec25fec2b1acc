// The ranges of a kernel's variables where a statement stands, as loops, lets and guards leave
// them.
#pragma once

#include "codegen/kernel.h"
#include "ir/buffer.h"
#include "ir/interval.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace hone {

class IndexBounds {
 public:
  /// Params have the values of `sizes`; without them, any that the kernel's assumptions allow.
  IndexBounds(const KernelFunction& kernel, const Sizes* sizes);

  /// Of an index expression that reads no tensor.
  Interval range(const Expr& index) const;
  /// The part of `range`, which the expression has, that the guards around leave.
  Interval narrowed(const Expr& index, Interval range) const;

  /// `body` with a range for an axis, which has every `step`-th value of it from its start on; not
  /// at all where that is empty.
  void with_axis(const AxisNode* axis, const Interval& range, llvm::function_ref<void()> body,
                 int64_t step = 1);
  /// `body` where the condition holds; not at all where it cannot.
  void where(const Expr& condition, llvm::function_ref<void()> body);

 private:
  Interval of_param(const ParamNode& param) const;
  /// Each of these is false where no value is left.
  bool assume(const Expr& condition);
  bool assume_comparison(const Binary& comparison);
  bool narrow(const Expr& index, const Interval& to);
  Interval on_steps(const Expr& index, Interval range) const;
  bool narrow_operands(const Binary& binary, const Interval& to);

  struct Steps {
    Interval range;
    int64_t step = 1;
  };

  /// The latest of several ranges of one expression is the narrowest.
  struct Known {
    Expr expr;
    Interval range;
  };

  std::array<Interval, 3> grid_, block_;
  llvm::DenseMap<const AxisNode*, Steps> axes_;
  llvm::StringMap<Interval> params_;
  llvm::SmallVector<Known, 16> known_;  ///< what guards say
};

}  // namespace hone
