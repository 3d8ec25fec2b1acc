#include "dsl/operator.h"

#include <cmath>

#include "fmt/format.h"
#include "ir/printer.h"
#include "ir/scalar.h"
#include "ir/schedule/padding.h"
#include "ir/visit.h"

namespace hone {
namespace {

/// With equal first numbers, and with equal second ones.
llvm::SmallVector<Expr, 8> small_pairs(DType type) {
  llvm::SmallVector<Expr, 8> pairs;
  for (const auto& [x, y] : {std::pair(1.0, 1), std::pair(1.0, 3), std::pair(0.0, 2),
                             std::pair(0.5, 1), std::pair(-2.5, -3)})
    pairs.push_back(constant_of(Scalar::of_pair(
        Scalar::of_float(f32, x), convert(component_type(type, 1), Scalar::of_int(i32, y)))));
  return pairs;
}

llvm::SmallVector<Expr, 8> small_values(DType type) {
  if (is_pair(type)) return small_pairs(type);
  llvm::SmallVector<Expr, 8> numbers;
  if (is_float(type))
    for (double value : {1.0, 2.0, 3.0, 0.0, 0.5, -1.0, -2.5})
      numbers.push_back(FloatConst::make(value, type));
  else
    for (int64_t value : {1, 2, 3, 0, -1, -3})
      if (type == DType::boolean ? value == 0 || value == 1 : type != DType::u8 || value >= 0)
        numbers.push_back(IntConst::make(value, type));
  return numbers;
}

/// Up to rounding; values that are no numbers say nothing.
bool agree(const Expr& lhs, const Expr& rhs) {
  if (is_pair(lhs.type()))
    return agree(folded(first(lhs)), folded(first(rhs))) &&
           agree(folded(second(lhs)), folded(second(rhs)));
  if (const auto left = as_int(lhs), right = as_int(rhs); left && right) return *left == *right;
  const auto* left = llvm::dyn_cast<FloatConst>(lhs);
  const auto* right = llvm::dyn_cast<FloatConst>(rhs);
  if (!left || !right || !std::isfinite(left->value) || !std::isfinite(right->value)) return true;
  constexpr double rounding = 0.05;
  const double magnitude = std::max({1.0, std::fabs(left->value), std::fabs(right->value)});
  return std::fabs(left->value - right->value) <= rounding * magnitude;
}

bool has_nan(const Expr& constant) {
  bool found = false;
  walk(constant, [&](const Expr& part) {
    const auto* real = llvm::dyn_cast<FloatConst>(part);
    found |= real && std::isnan(real->value);
  });
  return found;
}

/// Tries the promise of a declaration on small numbers.
class Trial {
 public:
  explicit Trial(const OperatorNode& op) : op_(op) {
    for (const Expr& value : small_values(op.lhs->type))
      values_.push_back({to_string(value), value});
  }

  void run() const {
    for (const Term& x : values_)
      for (const Term& y : values_) try_two(x, y);
    for (const Term& x : values_) try_nothing(x);
    for (const Term& x : values_)
      for (const Term& y : values_)
        for (const Term& z : values_)
          compare("associative", call(call(x, y), z), call(x, call(y, z)));
  }

 private:
  struct Term {
    std::string text;
    Expr value;
  };

  Term call(const Term& lhs, const Term& rhs) const {
    return {fmt::format("{}({}, {})", op_.name, lhs.text, rhs.text),
            folded(apply(op_, lhs.value, rhs.value))};
  }

  void try_two(const Term& x, const Term& y) const {
    const Term both = call(x, y);
    compare("commutative", both, call(y, x));
    compare("unchanged by its identity", call(both, identity()), both);
  }

  /// Threads without values combine identities: of -inf, an operator may make NaN.
  void try_nothing(const Term& x) const {
    const Term nothing = call(identity(), identity());
    const Term alone = call(x, identity()), after = call(x, nothing);
    if (has_nan(after.value) && !has_nan(alone.value))
      refuse("unchanged by its identity", after, alone);
    compare("unchanged by its identity", after, alone);
  }

  Term identity() const { return {to_string(op_.identity), op_.identity}; }

  void compare(const char* property, const Term& lhs, const Term& rhs) const {
    if (!agree(lhs.value, rhs.value)) refuse(property, lhs, rhs);
  }

  [[noreturn]] void refuse(const char* property, const Term& lhs, const Term& rhs) const {
    throw DefinitionError(fmt::format(
        "{} is declared associative, and it is not {}: {} is {}, and {} is {}; what is done to "
        "each value once belongs into the value that is reduced",
        op_.name, property, lhs.text, lhs.value, rhs.text, rhs.value));
  }

  const OperatorNode& op_;
  llvm::SmallVector<Term, 8> values_;
};

}  // namespace

OperatorPtr declare_operator(llvm::StringRef name, DType type, const Expr& identity,
                             const std::function<Expr(Expr, Expr)>& combine) {
  const TensorPtr lhs = make_tensor("lhs", type, {}), rhs = make_tensor("rhs", type, {});
  const Expr combined = combine(Load::make(lhs, {}), Load::make(rhs, {}));
  OperatorPtr op = make_operator(name, lhs, rhs, adapt_literal(combined, type),
                                 adapt_literal(folded(identity), type));
  if (const auto problem = operator_problem(*op)) throw DefinitionError(*problem);
  Trial(*op).run();
  return op;
}

}  // namespace hone
