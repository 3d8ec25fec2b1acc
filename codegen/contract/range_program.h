// Interval arithmetic over sizes, recorded once and run for any sizes. A launch checks the index
// arithmetic of a kernel by it.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "ir/algebra/interval.h"
#include "ir/buffer.h"

namespace hone {

/// A range is numbered by the step that makes it.
using RangeId = int;

enum class RangeOp : uint8_t {
  constant,
  size,       ///< the size of that name
  combined,   ///< `binary` of lhs and rhs
  copy,       ///< lhs; empty where the conditions around do not hold, as that of any step
  hull,       ///< all values of either
  both,       ///< the values of both
  up_to,      ///< no low end, the high end of lhs
  from,       ///< the low end of lhs, no high end
  below,      ///< 0 to one less than the high end of lhs
  counted,    ///< the low end of lhs to one less than the high end of rhs
  ends,       ///< the low end of lhs to the high end of rhs
  factors,    ///< x with x * `step` in lhs
  on_steps,   ///< the part of lhs between values of the form `first` + n * `step`
  last_step,  ///< lhs to the last value first + n * `step`, where rhs is the one value `first`
  shifted,    ///< lhs, unless rhs may be `step` or more: then anything
  wanted,     ///< x with x * lhs in rhs, where lhs is 1 or more; else anything
  begin,      ///< the steps up to the matching end count if lhs is not empty
  end,
  report,  ///< lhs is the range of report number `step`
};

struct RangeStep {
  RangeOp op = RangeOp::constant;
  RangeId lhs = -1, rhs = -1;
  BinaryOp binary = BinaryOp::add;
  int64_t first = 0, step = 0;
  Interval constant = {0, 0};
  std::string size = {};
};

/// True where the step makes a range.
bool makes_range(RangeOp op);

/// Of a step whose operands have these ranges, and which is no size.
Interval range_of(const RangeStep& step, const Interval& lhs, const Interval& rhs);

struct RangeProgram {
  std::vector<RangeStep> steps;

  /// Calls `use` with each report that counts for these sizes, and its range. A size has any value
  /// of its interval.
  using SizeRanges = llvm::function_ref<Interval(const std::string& size)>;
  void run(SizeRanges sizes, llvm::function_ref<void(int64_t, const Interval&)> use) const;

  /// Without the reports that `keep` rejects, and without the steps that only they need. The
  /// reports left are appended to `kept`, and numbered from `first` on.
  RangeProgram with_reports(llvm::function_ref<bool(int64_t)> keep, int64_t first,
                            std::vector<int64_t>& kept) const;
  /// Adds the steps of another program.
  void append(const RangeProgram& program);
};

/// Writes a program: a step whose operands are known is computed at once, and one that is there
/// already is not repeated.
class RangeRecorder {
 public:
  RangeId constant(const Interval& range);
  RangeId size(const std::string& name);
  RangeId combined(BinaryOp op, RangeId lhs, RangeId rhs);
  RangeId add(RangeStep step);
  RangeId copy(RangeId range);
  RangeId hull(RangeId lhs, RangeId rhs) { return add({RangeOp::hull, lhs, rhs}); }
  RangeId both(RangeId lhs, RangeId rhs) { return add({RangeOp::both, lhs, rhs}); }

  /// Records `body`, which counts where none of the ranges is empty.
  void where(llvm::ArrayRef<RangeId> ranges, llvm::function_ref<void()> body);
  void report(RangeId range, int64_t number);

  RangeProgram take() { return std::move(program_); }

 private:
  using Key = std::tuple<RangeOp, RangeId, RangeId, BinaryOp, int64_t, int64_t, int64_t, int64_t,
                         std::string>;
  const Interval* known(RangeId range) const;

  using Recorded = std::map<Key, RangeId>;
  RangeProgram program_;
  Recorded recorded_;
  std::vector<Recorded::iterator> order_;  ///< in which they were recorded
};

}  // namespace hone
