// Ranges of index arithmetic, as formulas over the sizes of a launch.
#pragma once

#include "codegen/contract/formulas.h"
#include "ir/algebra/interval.h"

namespace hone {

/// All values from `low` to `high`, which are formulas; undefined where the ends are those of
/// `within` for any sizes. Ends beyond 64 bits are the numbers that leave an Interval open.
struct SizeRange {
  Interval within;  ///< what the range may reach, for all sizes that may be
  Expr low = {}, high = {};

  bool is_constant() const { return !low.defined(); }
};
Expr low(const SizeRange& range);
Expr high(const SizeRange& range);

/// The arithmetic of ranges. Those of constants are constant, so that a kernel whose sizes have
/// constant ranges needs no formula.
class SizeRanges {
 public:
  explicit SizeRanges(Formulas& formulas) : formulas_(formulas) {}

  SizeRange combined(BinaryOp op, const SizeRange& lhs, const SizeRange& rhs);
  /// All values of either, and those of both.
  SizeRange hull(const SizeRange& lhs, const SizeRange& rhs);
  SizeRange both(const SizeRange& lhs, const SizeRange& rhs);
  /// The low end of `lhs` to the high end of `rhs`.
  SizeRange ends(const SizeRange& lhs, const SizeRange& rhs);
  /// `first` to one less than the end.
  SizeRange counted(const SizeRange& first, const SizeRange& end);
  /// x with x * factor in the range, of a positive factor.
  SizeRange factors(const SizeRange& range, int64_t factor);
  /// The part between values of the form first + n * step.
  SizeRange on_steps(const SizeRange& range, int64_t first, int64_t step);
  /// Up to the last value first + n * step, where `first` is one value.
  SizeRange last_step(const SizeRange& range, const SizeRange& first, int64_t step);
  /// The range, unless `by` may be as many as the bits: then anything.
  SizeRange shifted(const SizeRange& range, const SizeRange& by, int bits);
  /// x with x * factor in the product, where the factor is 1 or more; else anything.
  SizeRange wanted(const SizeRange& factor, const SizeRange& product);

  /// `body`, which counts where none of the ranges is empty.
  void where(llvm::ArrayRef<SizeRange> ranges, llvm::function_ref<void()> body);
  /// The range; empty where the statement here does not count.
  SizeRange here(const SizeRange& range);
  /// Negative where what stands here and has this range does not count.
  Expr room(const SizeRange& range);

 private:
  struct Ends {
    Expr low, high;
  };
  static SizeRange with_ends(const Interval& within, const Ends& ends) {
    return {within, ends.low, ends.high};
  }

  Expr least(const Expr& lhs, const Expr& rhs) { return formulas_.binary(BinaryOp::min, lhs, rhs); }
  Expr most(const Expr& lhs, const Expr& rhs) { return formulas_.binary(BinaryOp::max, lhs, rhs); }
  Expr less(const Expr& lhs, const Expr& rhs) { return formulas_.binary(BinaryOp::sub, lhs, rhs); }
  Expr sum(const Expr& lhs, const Expr& rhs) { return formulas_.binary(BinaryOp::add, lhs, rhs); }
  Expr times(const Expr& lhs, const Expr& rhs) { return formulas_.binary(BinaryOp::mul, lhs, rhs); }
  Expr quotient(const Expr& end, const Expr& divisor, bool may_be_open);
  /// The remainder.
  Expr beyond(const Expr& value, int64_t step) {
    return formulas_.binary(BinaryOp::mod, value, step);
  }
  Expr natural_low(const SizeRange& range);

  using EndsOf = llvm::function_ref<Ends(llvm::ArrayRef<SizeRange>)>;
  SizeRange made(llvm::ArrayRef<SizeRange> ranges, EndsOf ends);
  Ends ends_of(BinaryOp op, const SizeRange& lhs, const SizeRange& rhs);
  Ends product(const SizeRange& lhs, const SizeRange& rhs);
  Ends division(const SizeRange& lhs, const SizeRange& rhs);
  Ends remainder(const SizeRange& lhs, const SizeRange& rhs);
  Ends bits_of_either(const SizeRange& lhs, const SizeRange& rhs);
  Ends bits_of_both(const SizeRange& lhs, const SizeRange& rhs);
  Ends shifted_left(const SizeRange& lhs, const SizeRange& rhs);

  Formulas& formulas_;
  Expr room_ = Interval::no_high;  ///< of the ranges around
};

}  // namespace hone
