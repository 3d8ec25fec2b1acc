// The ranges of a kernel's variables where a statement stands, as loops, lets and guards leave
// them.
#pragma once

#include <unordered_map>

#include "codegen/contract/range_program.h"
#include "codegen/kernel.h"
#include "ir/equal.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace hone {

/// The values of params: any that the kernel's assumptions allow, or those of a launch, which are
/// known when the program runs.
enum class ParamValues : uint8_t { any, known };

/// Numbers of index expressions, from 0 on. Those that are the same however wide their operands are
/// have one number.
class IndexNumbers {
 public:
  size_t of(const Expr& index);

 private:
  struct Hash {
    size_t operator()(const Expr& expr) const { return hash(expr); }
  };
  struct Equal {
    bool operator()(const Expr& lhs, const Expr& rhs) const { return equal(lhs, rhs); }
  };
  std::unordered_map<Expr, size_t, Hash, Equal> numbers_;
  llvm::DenseMap<const ExprNode*, std::pair<Expr, size_t>> of_nodes_;  ///< which it keeps
};

class IndexBounds {
 public:
  /// Ranges are recorded by `recorder`.
  IndexBounds(const KernelFunction& kernel, ParamValues params, RangeRecorder& recorder);

  /// Of an index expression that reads no tensor.
  RangeId range(const Expr& index);
  /// The part of `range`, which the expression has, that the guards around leave.
  RangeId narrowed(const Expr& index, RangeId range);

  /// `body` with a range for an axis, which has every `step`-th value from `first` on; where that
  /// is empty, it does not count.
  void with_axis(const AxisNode* axis, RangeId range, llvm::function_ref<void()> body,
                 int64_t first = 0, int64_t step = 1);
  /// `body` where the condition holds.
  void where(const Expr& condition, llvm::function_ref<void()> body);

 private:
  RangeId of_param(const ParamNode& param);
  RangeId less(RangeId range, const Interval& by);
  RangeId more(RangeId range, const Interval& by);
  void assume(const Expr& condition);
  void assume_comparison(const Binary& comparison);
  void narrow(const Expr& index, RangeId to);
  RangeId on_steps(const Expr& index, RangeId range);
  void narrow_operands(const Binary& binary, RangeId to);

  struct Steps {
    RangeId range = -1;
    int64_t first = 0, step = 1;
  };

  /// A range that a guard gives the index of a number, and the one that it had before.
  struct Known {
    size_t index;
    RangeId before;
  };
  RangeId& latest(const Expr& index);

  RangeRecorder& recorder_;
  ParamValues params_are_;
  std::array<RangeId, 3> grid_ = {}, block_ = {};
  llvm::DenseMap<const AxisNode*, Steps> axes_;
  llvm::StringMap<RangeId> params_;
  IndexNumbers numbers_;
  std::vector<RangeId> latest_;  ///< from guards, the narrowest, by the number of an index; or -1
  llvm::SmallVector<Known, 16> known_;      ///< in the order in which guards gave them
  llvm::SmallVector<RangeId, 8> possible_;  ///< empty where a guard being written cannot hold
};

}  // namespace hone
