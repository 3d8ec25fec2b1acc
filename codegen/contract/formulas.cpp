#include "codegen/contract/formulas.h"

#include "fmt/format.h"
#include "ir/algebra/interval.h"
#include "ir/scalar/scalar.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

namespace hone {
namespace {

constexpr int64_t least = Interval::no_low, largest = Interval::no_high;

bool is_beyond(int64_t value) { return value == least || value == largest; }

int64_t opposite(int64_t value) {
  return value == largest ? least : value == least ? largest : -value;
}

int64_t added(int64_t lhs, int64_t rhs) {
  if (is_beyond(lhs) || is_beyond(rhs)) return is_beyond(lhs) ? lhs : rhs;
  int64_t sum = 0;
  return llvm::AddOverflow(lhs, rhs, sum) ? (rhs < 0 ? least : largest) : sum;
}

int64_t multiplied(int64_t lhs, int64_t rhs) {
  int64_t product = 0;
  const bool fits = !llvm::MulOverflow(lhs, rhs, product) && !is_beyond(lhs) && !is_beyond(rhs);
  if (fits || lhs == 0 || rhs == 0) return product;
  return (lhs < 0) == (rhs < 0) ? largest : least;
}

int64_t floor_of(int64_t lhs, int64_t rhs) {
  if (rhs == 0) return 0;
  if (lhs == least && rhs == -1) return largest;
  return lhs / rhs - (lhs % rhs != 0 && (lhs < 0) != (rhs < 0) ? 1 : 0);
}

int64_t rest_of(int64_t lhs, int64_t rhs) {
  if (rhs == 0 || rhs == -1) return 0;
  const int64_t rest = lhs % rhs;
  return rest != 0 && (rest < 0) != (rhs < 0) ? rest + rhs : rest;
}

int64_t shifted(int64_t lhs, int64_t rhs) {
  return rhs < 0 || rhs > 62 ? 0 : multiplied(lhs, int64_t{1} << rhs);
}

int64_t value_of(BinaryOp op, int64_t lhs, int64_t rhs) {
  switch (op) {
    case BinaryOp::add:
      return added(lhs, rhs);
    case BinaryOp::sub:
      return added(lhs, opposite(rhs));
    case BinaryOp::mul:
      return multiplied(lhs, rhs);
    case BinaryOp::div:
      return floor_of(lhs, rhs);
    case BinaryOp::mod:
      return rest_of(lhs, rhs);
    case BinaryOp::shl:
      return shifted(lhs, rhs);
    case BinaryOp::shr:
      return rhs < 0 || rhs > 62 ? 0 : lhs >> rhs;
    default:  // has a value whatever the operands are
      return apply(op, Scalar::of_int(DType::i64, lhs), Scalar::of_int(DType::i64, rhs)).integer;
  }
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
        return n.op == UnaryOp::negate ? opposite(operand) : int64_t{operand == 0};
      },
      [&](const Binary& n) {
        return value_of(n.op, value_of(n.lhs, sizes), value_of(n.rhs, sizes));
      },
      [&](const Select& n) {
        return value_of(value_of(n.condition, sizes) != 0 ? n.if_true : n.if_false, sizes);
      },
      [&](const Cast& n) { return value_of(n.operand, sizes); },
      [](const auto&) -> int64_t { llvm_unreachable("no formula over sizes"); });
}

Sizes with_values(Sizes sizes, llvm::ArrayRef<NamedFormula> values) {
  for (const auto& [name, formula] : values) sizes[name->name] = value_of(formula, sizes);
  return sizes;
}

// ---- Building -----------------------------------------------------------------------------------

namespace {

/// `lhs op rhs` where that is one of them, or a constant; else undefined.
Expr simpler(BinaryOp op, const Expr& lhs, const Expr& rhs) {
  const auto left = as_int(lhs), right = as_int(rhs);
  if (left && right) return IntConst::make(value_of(op, *left, *right));
  const bool is_sum = op == BinaryOp::add, is_product = op == BinaryOp::mul;
  if ((is_sum && left == 0) || (is_product && left == 1)) return rhs;
  if (((is_sum || op == BinaryOp::sub) && right == 0) ||
      ((is_product || op == BinaryOp::div) && right == 1))
    return lhs;
  if ((is_product && (left == 0 || right == 0)) || (op == BinaryOp::mod && right == 1)) return 0;
  if (op == BinaryOp::sub && equal(lhs, rhs)) return 0;
  const bool adds = is_sum || op == BinaryOp::sub;
  if (adds && left && is_beyond(*left)) return lhs;
  if (adds && right && is_beyond(*right)) return is_sum ? *right : opposite(*right);
  if (op != BinaryOp::min && op != BinaryOp::max) return {};
  const auto [neutral, final] =
      op == BinaryOp::min ? std::pair(largest, least) : std::pair(least, largest);
  if (left == neutral || right == final || equal(lhs, rhs)) return rhs;
  return right == neutral || left == final ? lhs : Expr();
}

}  // namespace

Expr Formulas::binary(BinaryOp op, const Expr& lhs, const Expr& rhs) {
  const Expr known = simpler(op, lhs, rhs);
  return known.defined() ? known : named(Binary::make(op, lhs, rhs));
}

Expr Formulas::where_less(const Expr& lhs, const Expr& rhs, const Expr& if_true,
                          const Expr& if_false) {
  const auto left = as_int(lhs), right = as_int(rhs);
  if (equal(if_true, if_false) || (left && right && *left < *right)) return if_true;
  if (equal(lhs, rhs) || (left && right) || left == largest || right == least) return if_false;
  return named(select(lhs < rhs, if_true, if_false));
}

Expr Formulas::named(const Expr& formula) {
  const auto [known, is_new] = names_.try_emplace(formula);
  if (is_new) {
    values_.push_back({make_param(fmt::format("value {}", values_.size())), formula});
    known->second = ParamRef::make(values_.back().name);
  }
  return known->second;
}

std::vector<NamedFormula> Formulas::parts_of(llvm::ArrayRef<Expr> formulas) const {
  llvm::StringSet<> needed;
  const auto need = [&](const Expr& part) {
    if (const auto* size = llvm::dyn_cast<ParamRef>(part)) needed.insert(size->param->name);
  };
  for (const Expr& formula : formulas) walk(formula, need);
  std::vector<NamedFormula> parts;
  for (const NamedFormula& value : llvm::reverse(values_)) {
    if (!needed.contains(value.name->name)) continue;
    walk(value.formula, need);
    parts.push_back(value);
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

}  // namespace hone
