// Values that a contract computes from sizes, and its messages about them.
#include "codegen/contract/index_ranges.h"
#include "codegen/contract/launch_contract.h"
#include "ir/scalar.h"
#include "ir/visit.h"
#include "llvm/Support/MathExtras.h"

namespace hone {
namespace {

constexpr int64_t least = Interval::no_low, largest = Interval::no_high;

int64_t added(int64_t lhs, int64_t rhs) {
  int64_t sum = 0;
  return llvm::AddOverflow(lhs, rhs, sum) ? (rhs < 0 ? least : largest) : sum;
}

int64_t subtracted(int64_t lhs, int64_t rhs) {
  int64_t difference = 0;
  return llvm::SubOverflow(lhs, rhs, difference) ? (rhs < 0 ? largest : least) : difference;
}

int64_t multiplied(int64_t lhs, int64_t rhs) {
  int64_t product = 0;
  return llvm::MulOverflow(lhs, rhs, product) ? ((lhs < 0) == (rhs < 0) ? largest : least)
                                              : product;
}

int64_t floor_of(int64_t lhs, int64_t rhs) {
  if (rhs == 0) return 0;
  if (rhs == -1) return subtracted(0, lhs);
  return lhs / rhs - (lhs % rhs != 0 && (lhs < 0) != (rhs < 0) ? 1 : 0);
}

int64_t shifted(int64_t lhs, int64_t rhs) {
  return rhs < 0 || rhs > 62 ? 0 : multiplied(lhs, int64_t{1} << rhs);
}

int64_t value_of(const Binary& binary, int64_t lhs, int64_t rhs) {
  switch (binary.op) {
    case BinaryOp::add:
      return added(lhs, rhs);
    case BinaryOp::sub:
      return subtracted(lhs, rhs);
    case BinaryOp::mul:
      return multiplied(lhs, rhs);
    case BinaryOp::div:
      return floor_of(lhs, rhs);
    case BinaryOp::mod:
      return rhs == 0 ? 0 : subtracted(lhs, multiplied(floor_of(lhs, rhs), rhs));
    case BinaryOp::shl:
      return shifted(lhs, rhs);
    case BinaryOp::shr:
      return rhs < 0 || rhs > 62 ? 0 : lhs >> rhs;
    default:  // has a value whatever the operands are
      return apply(binary.op, Scalar::of_int(DType::i64, lhs), Scalar::of_int(DType::i64, rhs))
          .integer;
  }
}

llvm::SmallVector<std::string, 4> values_of(llvm::ArrayRef<Expr> formulas, const Sizes& sizes) {
  llvm::SmallVector<std::string, 4> values;
  for (const Expr& formula : formulas) values.push_back(std::to_string(value_of(formula, sizes)));
  return values;
}

}  // namespace

int64_t value_of(const Expr& formula, const Sizes& sizes) {
  return visit(
      formula, [](const IntConst& n) { return n.value; },
      [&](const ParamRef& n) {
        const auto size = sizes.find(n.param->name);
        if (size == sizes.end())
          throw std::invalid_argument("the size " + n.param->name + " is missing");
        return size->second;
      },
      [&](const Unary& n) {
        const int64_t operand = value_of(n.operand, sizes);
        return n.op == UnaryOp::negate ? subtracted(0, operand) : int64_t{operand == 0};
      },
      [&](const Binary& n) { return value_of(n, value_of(n.lhs, sizes), value_of(n.rhs, sizes)); },
      [&](const Select& n) {
        return value_of(value_of(n.condition, sizes) != 0 ? n.if_true : n.if_false, sizes);
      },
      [&](const Cast& n) { return value_of(n.operand, sizes); },
      [](const auto&) -> int64_t { llvm_unreachable("no formula over sizes"); });
}

bool IndexCheck::allows(const Interval& range) const {
  if (bits == 0) return range.is_empty() || range.high > 0;
  IndexStep step;
  step.range = range;
  step.bits = bits;
  return step.fits();
}

std::string IndexCheck::refusal(const Interval& range, const Sizes& sizes) const {
  auto values_in = values_of(values, sizes);
  if (bits != 32) return filled(open, values_in);
  const bool is_high = range.high > INT32_MAX;
  const int64_t end = is_high ? range.high : range.low;
  if (end == largest || end == least) return filled(open, values_in);
  values_in.insert(values_in.begin(), std::to_string(end));
  return filled(is_high ? high : low, values_in);
}

std::string filled(llvm::StringRef message, llvm::ArrayRef<std::string> values) {
  std::string text;
  for (const std::string& value : values) {
    const auto [before, after] = message.split("{}");
    text += before.str() + value;
    message = after;
  }
  return text + message.str();
}

std::string refusal(const SizeCheck& check, const Sizes& sizes) {
  return filled(check.message, values_of(check.values, sizes));
}

}  // namespace hone
