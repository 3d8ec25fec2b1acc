#include "codegen/contract/range_program.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/ErrorHandling.h"

namespace hone {
namespace {

constexpr int64_t no_low = Interval::no_low, no_high = Interval::no_high;
constexpr Interval interval_of_one{1, 1};

int64_t floor_quotient(int64_t value, int64_t divisor) {
  return value / divisor - (value % divisor < 0 ? 1 : 0);
}

Interval factors(const Interval& range, int64_t factor) {
  return {range.low == no_low ? no_low : -floor_quotient(-range.low, factor),
          range.high == no_high ? no_high : floor_quotient(range.high, factor)};
}

Interval on_steps(Interval range, int64_t first, int64_t step) {
  if (range.is_empty()) return range;
  if (range.has_high()) range.high -= (range.high - first) % step;
  range.low += (step - (range.low - first) % step) % step;
  return range;
}

Interval last_step(Interval range, const Interval& first, int64_t step) {
  const bool is_exact = first.low == first.high && range.has_high() && !range.is_empty();
  if (is_exact) range.high -= (range.high - first.low) % step;
  return range;
}

Interval wanted(const Interval& factor, const Interval& product) {
  return factor.low >= 1 ? hull(product, {0, 0}) : Interval();
}

}  // namespace

bool makes_range(RangeOp op) {
  return op != RangeOp::begin && op != RangeOp::end && op != RangeOp::report;
}

Interval range_of(const RangeStep& step, const Interval& lhs, const Interval& rhs) {
  switch (step.op) {
    case RangeOp::constant:
      return step.constant;
    case RangeOp::combined:
      return combined(step.binary, lhs, rhs);
    case RangeOp::copy:
      return lhs;
    case RangeOp::hull:
      return hull(lhs, rhs);
    case RangeOp::both:
      return intersection(lhs, rhs);
    case RangeOp::up_to:
      return {no_low, lhs.high};
    case RangeOp::from:
      return {lhs.low, no_high};
    case RangeOp::below:
      return {0, (lhs - interval_of_one).high};
    case RangeOp::counted:
      return {lhs.low, (rhs - interval_of_one).high};
    case RangeOp::ends:
      return {lhs.low, rhs.high};
    case RangeOp::factors:
      return factors(lhs, step.step);
    case RangeOp::on_steps:
      return on_steps(lhs, step.first, step.step);
    case RangeOp::last_step:
      return last_step(lhs, rhs, step.step);
    case RangeOp::shifted:
      return rhs.high >= step.step ? Interval() : lhs;
    case RangeOp::wanted:
      return wanted(lhs, rhs);
    case RangeOp::size:
    case RangeOp::begin:
    case RangeOp::end:
    case RangeOp::report:
      break;
  }
  llvm_unreachable("a step without a range of its own");
}

namespace {

/// The step after the end that matches the beginning at `at`.
size_t after_end(const std::vector<RangeStep>& steps, size_t at) {
  for (int depth = 0;; ++at) {
    if (steps[at].op == RangeOp::begin) ++depth;
    if (steps[at].op == RangeOp::end && --depth == 0) return at + 1;
  }
}

}  // namespace

void RangeProgram::run(SizeRanges sizes,
                       llvm::function_ref<void(int64_t, const Interval&)> use) const {
  std::vector<Interval> ranges(steps.size(), Interval::none());
  const auto range = [&](RangeId id) { return id < 0 ? Interval() : ranges[id]; };
  for (size_t at = 0; at < steps.size();) {
    const RangeStep& step = steps[at];
    if (step.op == RangeOp::begin && range(step.lhs).is_empty()) {
      at = after_end(steps, at);
      continue;
    }
    if (step.op == RangeOp::report) use(step.step, range(step.lhs));
    if (step.op == RangeOp::size) ranges[at] = sizes(step.size);
    if (makes_range(step.op) && step.op != RangeOp::size)
      ranges[at] = range_of(step, range(step.lhs), range(step.rhs));
    ++at;
  }
}

namespace {

/// The steps that the kept reports need: their operands, and those of the conditions around them.
std::vector<bool> needed_steps(const std::vector<RangeStep>& steps,
                               llvm::function_ref<bool(int64_t)> keep) {
  std::vector<bool> needed(steps.size());
  llvm::SmallVector<size_t, 8> ends;  // of the conditions around a step, from its end on
  for (size_t at = steps.size(); at-- > 0;) {
    const RangeStep& step = steps[at];
    if (step.op == RangeOp::end) ends.push_back(at);
    if (step.op == RangeOp::begin) needed[at] = needed[ends.pop_back_val()];
    if (step.op == RangeOp::report) needed[at] = keep(step.step);
    if (!needed[at] || step.op == RangeOp::end) continue;
    for (const RangeId operand : {step.lhs, step.rhs})
      if (operand >= 0) needed[operand] = true;
    for (const size_t end : ends) needed[end] = true;
  }
  return needed;
}

}  // namespace

RangeProgram RangeProgram::with_reports(llvm::function_ref<bool(int64_t)> keep, int64_t first,
                                        std::vector<int64_t>& kept) const {
  const std::vector<bool> needed = needed_steps(steps, keep);
  std::vector<RangeId> places(steps.size(), -1);
  RangeProgram result;
  for (size_t at = 0; at < steps.size(); ++at) {
    if (!needed[at]) continue;
    RangeStep step = steps[at];
    if (step.lhs >= 0) step.lhs = places[step.lhs];
    if (step.rhs >= 0) step.rhs = places[step.rhs];
    if (step.op == RangeOp::report) {
      const int64_t number = step.step;
      step.step = first + static_cast<int64_t>(kept.size());
      kept.push_back(number);
    }
    places[at] = static_cast<RangeId>(result.steps.size());
    result.steps.push_back(step);
  }
  return result;
}

void RangeProgram::append(const RangeProgram& program) {
  const auto offset = static_cast<RangeId>(steps.size());
  for (RangeStep step : program.steps) {
    if (step.lhs >= 0) step.lhs += offset;
    if (step.rhs >= 0) step.rhs += offset;
    steps.push_back(std::move(step));
  }
}

// ---- Recording ----------------------------------------------------------------------------------

const Interval* RangeRecorder::known(RangeId range) const {
  const RangeStep& step = program_.steps[range];
  return step.op == RangeOp::constant ? &step.constant : nullptr;
}

RangeId RangeRecorder::constant(const Interval& range) {
  return add({RangeOp::constant, -1, -1, BinaryOp::add, 0, 0, range});
}

RangeId RangeRecorder::size(const std::string& name) {
  return add({RangeOp::size, -1, -1, BinaryOp::add, 0, 0, {0, 0}, name});
}

RangeId RangeRecorder::combined(BinaryOp op, RangeId lhs, RangeId rhs) {
  return add({RangeOp::combined, lhs, rhs, op});
}

RangeId RangeRecorder::copy(RangeId range) {
  program_.steps.push_back({RangeOp::copy, range});
  return static_cast<RangeId>(program_.steps.size()) - 1;
}

RangeId RangeRecorder::add(RangeStep step) {
  const bool is_computed = step.lhs >= 0 && known(step.lhs) && (step.rhs < 0 || known(step.rhs));
  if (is_computed)
    return constant(range_of(step, *known(step.lhs), step.rhs < 0 ? Interval() : *known(step.rhs)));
  const Key key = {step.op,   step.lhs,          step.rhs,           step.binary, step.first,
                   step.step, step.constant.low, step.constant.high, step.size};
  const auto [entry, is_new] =
      recorded_.try_emplace(key, static_cast<RangeId>(program_.steps.size()));
  if (!is_new) return entry->second;
  order_.push_back(entry);
  program_.steps.push_back(std::move(step));
  return entry->second;
}

void RangeRecorder::where(llvm::ArrayRef<RangeId> ranges, llvm::function_ref<void()> body) {
  llvm::SmallVector<RangeId, 4> open;
  for (const RangeId range : ranges) {
    const Interval* interval = known(range);
    if (interval && interval->is_empty()) return;
    if (!interval && !llvm::is_contained(open, range)) open.push_back(range);
  }
  const size_t outside = order_.size();
  for (const RangeId range : open) program_.steps.push_back({RangeOp::begin, range});
  body();
  program_.steps.insert(program_.steps.end(), open.size(), {RangeOp::end});
  if (open.empty()) return;
  for (; order_.size() > outside; order_.pop_back())  // what was computed there is not there now
    recorded_.erase(order_.back());
}

void RangeRecorder::report(RangeId range, int64_t number) {
  RangeStep step;
  step.op = RangeOp::report;
  step.lhs = range;
  step.step = number;
  program_.steps.push_back(std::move(step));
}

}  // namespace hone
