#include "codegen/contract/advice.h"
#include "codegen/contract/contract_checks.h"
#include "codegen/contract/index_ranges.h"
#include "codegen/contract/index_width.h"
#include "fmt/format.h"
#include "ir/text/printer.h"

namespace hone {
namespace {

Expr where_computed(const IndexStep& step, const Expr& holds) {
  const auto room = as_int(step.room);
  return room && *room >= 0 ? holds : step.room < 0 || holds;
}

/// " with M = {}, N = {}"
std::string with_sizes(const KernelFunction& kernel) {
  std::string text;
  for (const ParamPtr& param : kernel.params)
    text += fmt::format("{} {} = {{}}", text.empty() ? " with" : ",", param->name);
  return text;
}

/// The conditions on the ends of a step's range. An end that is not known to fit 64 bits is refused
/// as such, before it is compared with 32 bits.
class StepChecks {
 public:
  StepChecks(const KernelFunction& kernel, const IndexStep& step) : kernel_(kernel), step_(step) {
    for (const ParamPtr& param : kernel.params) sizes_.push_back(ParamRef::make(param));
  }

  llvm::SmallVector<SizeCheck, 4> take() {
    const auto [least, most] = step_.range;
    const Expr low = hone::low(step_.ends), high = hone::high(step_.ends);
    const bool is_narrow = step_.bits == 32;
    const auto* binary = llvm::dyn_cast<Binary>(step_.expr);
    const bool is_shift = binary && binary->op == BinaryOp::shl;  // perhaps of a negative number
    if (most == Interval::no_high) add_open(high != Interval::no_high);
    if (is_narrow && most > INT32_MAX) add_end(high, high <= INT32_MAX, "more", INT32_MAX);
    if (least == Interval::no_low || is_shift) add_open(low != Interval::no_low);
    if (is_narrow && (least < INT32_MIN || is_shift))
      add_end(low, low >= INT32_MIN, "less", INT32_MIN);
    return std::move(checks_);
  }

 private:
  void add(const Expr& holds, const std::string& what, llvm::ArrayRef<Expr> values) {
    const std::string message = fmt::format(
        "{}: {} may {}, in: {}; {}", kernel_.name, step_.expr, what, head_of(step_.statement),
        step_.bits == 64 ? "use smaller sizes" : advice_on_bits);
    checks_.push_back({where_computed(step_, holds), message,
                       llvm::SmallVector<Expr, 4>(values.begin(), values.end())});
  }

  void add_open(const Expr& holds) {
    const char* bits = step_.bits == 64 ? "the 64 bits of an index" : "32 bits";
    add(holds, fmt::format("leave {}{}", bits, with_sizes(kernel_)), sizes_);
  }

  void add_end(const Expr& end, const Expr& holds, const char* than, int64_t last) {
    llvm::SmallVector<Expr, 4> values = sizes_;
    values.insert(values.begin(), end);
    add(holds,
        fmt::format("reach {{}}{}, {} than the {} that 32 bits hold", with_sizes(kernel_), than,
                    last),
        values);
  }

  const KernelFunction& kernel_;
  const IndexStep& step_;
  llvm::SmallVector<Expr, 4> sizes_;
  llvm::SmallVector<SizeCheck, 4> checks_;
};

SizeCheck divisor_check(const KernelFunction& kernel, const IndexStep& division) {
  const Expr& divisor = llvm::cast<Binary>(division.expr)->rhs;
  const auto sizes = params_of(divisor);
  return {where_computed(division, high(division.ends) > 0),
          fmt::format("{}: {} divides by {}, and {}", kernel.name, division.expr, divisor,
                      values_text(sizes)),
          sizes};
}

/// The steps of index arithmetic that may be refused for sizes that the limits allow.
class OpenSteps {
 public:
  OpenSteps(const KernelFunction& kernel, llvm::ArrayRef<IndexStep> steps) : steps_(steps) {
    for (const IndexStep& step : steps) {
      is_open_.push_back(!step.fits());
      const auto* axis = llvm::dyn_cast<AxisRef>(step.expr);
      if (axis && step.range.low < 0) may_be_negative_.insert(axis->axis.get());
    }
    for (size_t n = steps.size(); kernel.index_bits == 32 && n-- > 0;) leave_out(n);
  }

  bool operator[](size_t number) const { return is_open_[number]; }

 private:
  /// The limits hold all elements of a tensor, and so the index of an access; and a summand is no
  /// larger than a sum of what is not negative. A shift, by more than there are bits, has no value.
  void leave_out(size_t number) {
    const IndexStep& step = steps_[number];
    if (step.bits != 32 || is_shift(step.expr)) return;
    const bool is_held = step.is_access || held_.contains({step.statement.get(), step.expr.get()});
    if (!is_held) return;
    is_open_[number] = false;
    const auto* sum = llvm::dyn_cast<Binary>(step.expr);
    if (!sum || sum->op != BinaryOp::add || !is_natural(sum->lhs) || !is_natural(sum->rhs)) return;
    held_.insert({step.statement.get(), sum->lhs.get()});
    held_.insert({step.statement.get(), sum->rhs.get()});
  }

  static bool is_shift(const Expr& index) {
    const auto* binary = llvm::dyn_cast<Binary>(index);
    return binary && (binary->op == BinaryOp::shl || binary->op == BinaryOp::shr);
  }

  /// True where it is proved to be 0 or more.
  bool is_natural(const Expr& index) const {
    if (const auto value = as_int(index)) return *value >= 0;
    if (const auto* axis = llvm::dyn_cast<AxisRef>(index))
      return !may_be_negative_.contains(axis->axis.get());
    if (llvm::isa<ParamRef, ThreadIndex>(index)) return true;
    const auto* binary = llvm::dyn_cast<Binary>(index);
    return binary && (binary->op == BinaryOp::add || binary->op == BinaryOp::mul) &&
           is_natural(binary->lhs) && is_natural(binary->rhs);
  }

  llvm::ArrayRef<IndexStep> steps_;
  std::vector<bool> is_open_;
  llvm::DenseSet<const AxisNode*> may_be_negative_;
  llvm::DenseSet<std::pair<const StmtNode*, const ExprNode*>> held_;
};

}  // namespace

/// Steps as C counts them; divisions as they stand.
void add_index_checks(const KernelFunction& kernel, KernelContract& contract) {
  Formulas formulas;
  const int64_t most = kernel.index_bits == 32 ? max_size_32(kernel) : Interval::no_high;
  const auto range = [&](const ParamPtr& param) {
    const Expr size = ParamRef::make(param);
    return SizeRange{{0, most}, size, size};
  };
  for (const LoopForm form : {LoopForm::stepped, LoopForm::plain}) {
    SizeRanges ranges(formulas);
    const auto steps = index_steps(kernel, {true, range}, ranges, form);
    const OpenSteps is_open(kernel, steps);
    for (size_t n = 0; n < steps.size(); ++n) {
      const bool divides = steps[n].bits == 0;
      if (!is_open[n] || divides != (form == LoopForm::plain)) continue;
      ++contract.index_steps;
      if (divides)
        contract.index_limits.push_back(divisor_check(kernel, steps[n]));
      else
        llvm::append_range(contract.index_limits, StepChecks(kernel, steps[n]).take());
    }
  }
  llvm::SmallVector<Expr, 8> used;
  for (const SizeCheck& check : contract.index_limits) {
    used.push_back(check.holds);
    llvm::append_range(used, check.values);
  }
  contract.values = formulas.parts_of(used);
}

}  // namespace hone
