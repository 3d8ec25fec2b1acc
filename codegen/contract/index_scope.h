// The ranges of a kernel's variables where a statement stands, as loops, lets and guards leave
// them.
#pragma once

#include "codegen/contract/size_range.h"
#include "codegen/kernel.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace hone {

/// The ranges of params, and whether each is one value, of a launch, or any that the kernel's
/// assumptions allow.
struct ParamRanges {
  bool are_known = false;
  llvm::function_ref<SizeRange(const ParamPtr&)> range;
};

/// Numbers of index expressions, from 0 on. Those that are the same however wide their operands are
/// have one number.
class IndexNumbers {
 public:
  size_t of(const Expr& index);

 private:
  ExprMap<size_t> numbers_;
  llvm::DenseMap<const ExprNode*, std::pair<Expr, size_t>> of_nodes_;  ///< which it keeps
};

class IndexBounds {
 public:
  IndexBounds(const KernelFunction& kernel, const ParamRanges& params, SizeRanges& ranges);

  /// Of an index expression that reads no tensor.
  SizeRange range(const Expr& index);
  /// The part of `range`, which the expression has, that the guards around leave.
  SizeRange narrowed(const Expr& index, const SizeRange& range);

  /// `body` with a range for an axis, which has every `step`-th value from `first` on; where that
  /// is empty, it does not count.
  void with_axis(const AxisNode* axis, const SizeRange& range, llvm::function_ref<void()> body,
                 int64_t first = 0, int64_t step = 1);
  /// `body` where the condition holds.
  void where(const Expr& condition, llvm::function_ref<void()> body);

 private:
  SizeRange of_param(const ParamNode& param) const;
  void assume(const Expr& condition);
  void assume_comparison(const Binary& comparison);
  void narrow(const Expr& index, const SizeRange& to);
  SizeRange on_steps(const Expr& index, const SizeRange& range);
  void narrow_operands(const Binary& binary, const SizeRange& to);

  struct Steps {
    SizeRange range;
    int64_t first = 0, step = 1;
  };

  /// A range that a guard gives the index of a number, and the one that it had before.
  struct Known {
    size_t index;
    std::optional<SizeRange> before;
  };
  std::optional<SizeRange>& latest(const Expr& index);

  SizeRanges& ranges_;
  bool params_are_known_;
  std::array<SizeRange, 3> grid_ = {}, block_ = {};
  llvm::DenseMap<const AxisNode*, Steps> axes_;
  llvm::StringMap<SizeRange> params_;
  IndexNumbers numbers_;
  std::vector<std::optional<SizeRange>> latest_;  ///< from guards, the narrowest, by their numbers
  llvm::SmallVector<Known, 16> known_;            ///< in the order in which guards gave them
  llvm::SmallVector<SizeRange, 8> possible_;      ///< empty where a guard being written cannot hold
};

}  // namespace hone
