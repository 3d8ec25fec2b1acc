#include "codegen/contract/contract_checks.h"
#include "codegen/contract/index_ranges.h"
#include "codegen/contract/index_width.h"
#include "fmt/format.h"
#include "ir/text/printer.h"

namespace hone {
namespace {

/// " with M = {}, N = {}"
std::string with_sizes(const KernelFunction& kernel) {
  std::string text;
  for (const ParamPtr& param : kernel.params)
    text += fmt::format("{} {} = {{}}", text.empty() ? " with" : ",", param->name);
  return text;
}

IndexCheck check_of(const KernelFunction& kernel, const IndexStep& step) {
  const std::string with = with_sizes(kernel);
  const std::string head = fmt::format("{}: {} may ", kernel.name, step.expr);
  const std::string place = fmt::format(
      ", in: {}; {}", head_of(step.statement),
      step.bits == 64 ? "use smaller sizes"
                      : "compile with {.index_bits = 64}, or export with --index-bits=64");
  const auto beyond = [&](const char* than, int64_t end) {
    return fmt::format("{}reach {{}}{}, {} than the {} that 32 bits hold{}", head, with, than, end,
                       place);
  };
  IndexCheck check;
  check.bits = step.bits;
  check.high = beyond("more", INT32_MAX);
  check.low = beyond("less", INT32_MIN);
  check.open = fmt::format("{}leave {}{}{}", head,
                           step.bits == 64 ? "the 64 bits of an index" : "32 bits", with, place);
  for (const ParamPtr& param : kernel.params) check.values.push_back(ParamRef::make(param));
  return check;
}

IndexCheck check_of(const KernelFunction& kernel, const Expr& division) {
  const Expr& divisor = llvm::cast<Binary>(division)->rhs;
  IndexCheck check;
  check.bits = 0;
  check.values = params_of(divisor);
  check.open = fmt::format("{}: {} divides by {}, and {}", kernel.name, division, divisor,
                           values_text(check.values));
  return check;
}

/// The reports of index arithmetic that may be refused for sizes that the limits allow.
class OpenReports {
 public:
  OpenReports(const KernelFunction& kernel, const IndexRanges& ranges)
      : ranges_(ranges), is_open_(ranges.reports.size(), false) {
    const bool is_narrow = kernel.index_bits == 32;
    const int64_t most = is_narrow ? max_size_32(kernel) : Interval::no_high;
    ranges.program.run(
        [&](const std::string&) {
          return Interval{0, most};
        },
        [&](int64_t number, const Interval& range) { look_at(number, range); });
    for (size_t n = ranges.reports.size(); is_narrow && n-- > 0;) leave_out(n);
  }

  bool operator[](int64_t number) const { return is_open_[number]; }

 private:
  void look_at(int64_t number, const Interval& range) {
    const IndexReport& report = ranges_.reports[number];
    IndexStep step = report.step;
    step.range = range;
    is_open_[number] = report.division.defined() ? range.low < 1 : !step.fits();
    const auto* axis = llvm::dyn_cast_or_null<AxisRef>(step.expr.get());
    if (axis && range.low < 0) may_be_negative_.insert(axis->axis.get());
  }

  /// The limits hold all elements of a tensor, and so the index of an access; and a summand is no
  /// larger than a sum of what is not negative. A shift, by more than there are bits, has no value.
  void leave_out(size_t number) {
    const IndexStep& step = ranges_.reports[number].step;
    if (!step.expr.defined() || step.bits != 32 || is_shift(step.expr)) return;
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

  const IndexRanges& ranges_;
  std::vector<bool> is_open_;
  llvm::DenseSet<const AxisNode*> may_be_negative_;
  llvm::DenseSet<std::pair<const StmtNode*, const ExprNode*>> held_;
};

}  // namespace

/// Steps as C counts them; divisions as they stand.
void add_index_checks(const KernelFunction& kernel, KernelContract& contract) {
  for (const LoopForm form : {LoopForm::stepped, LoopForm::plain}) {
    const IndexRanges ranges = index_ranges(kernel, form);
    const OpenReports is_open(kernel, ranges);
    std::vector<int64_t> kept;
    contract.index_ranges.append(ranges.program.with_reports(
        [&](int64_t number) {
          const bool divides = ranges.reports[number].division.defined();
          return is_open[number] && divides == (form == LoopForm::plain);
        },
        static_cast<int64_t>(contract.index_checks.size()), kept));
    for (const int64_t number : kept) {
      const IndexReport& report = ranges.reports[number];
      contract.index_checks.push_back(report.division.defined() ? check_of(kernel, report.division)
                                                                : check_of(kernel, report.step));
    }
  }
}

}  // namespace hone
