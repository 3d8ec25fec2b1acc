#include "dsl/operator.h"

#include <array>
#include <cmath>
#include <deque>

#include "dsl/operator_value.h"
#include "fmt/format.h"
#include "ir/algebra/fold.h"
#include "ir/scalar/adapt_literal.h"
#include "ir/scalar/scalar.h"
#include "ir/text/printer.h"

namespace hone {
namespace {

constexpr const char* with_identity = "unchanged by its identity";

/// The constant that a component of a tuple is, whatever is reduced: the 1 of a count.
std::optional<Scalar> constant_component(const Expr& tuple, unsigned position) {
  const auto* made = llvm::dyn_cast<MakeTuple>(tuple);
  return made ? as_scalar(folded(made->components[position])) : std::nullopt;
}

/// Some with equal first numbers, and some with equal other ones; components that are constants in
/// `value` have no others. Integers in tuples of three or four are positive, as those that count
/// are: a mean of a number of values below 1 is none.
llvm::SmallVector<Expr, 16> trial_tuples(const Expr& reduced) {
  const DType type = reduced.type();
  constexpr std::array<double, most_components> numbers[] = {
      {1, 1, 2, 5},         {1, 3, 2, 5},         {0, 2, 7, 0},
      {0.5, 1, 3, 0.25},    {-2.5, -3, 1, 4},     {100, 7, 50, -1},
      {-2303, 1000, -6, 9}, {46341, 46341, 8, 3}, {0.0009765625, 12, 1, -46341}};
  llvm::SmallVector<Expr, 16> tuples;
  for (const auto& components : numbers) {
    Scalar value = Scalar::zero(type);
    for (unsigned n = 0; n < component_count(type); ++n) {
      const DType part = component_type(type, n);
      const bool counts = component_count(type) > 2 && is_integer(part);
      const double number = counts ? std::max(1.0, std::abs(components[n])) : components[n];
      const Scalar any = convert(part, Scalar::of_float(f64, number));
      value.set_component(n, constant_component(reduced, n).value_or(any));
    }
    tuples.push_back(constant_of(value));
  }
  return tuples;
}

/// Of all sizes and of both signs, those that the type of `value` has.
llvm::SmallVector<Expr, 16> trial_values(const Expr& value) {
  const DType type = value.type();
  if (is_tuple(type)) return trial_tuples(value);
  llvm::SmallVector<Expr, 16> numbers;
  if (is_float(type)) {
    for (double value : {1.0, 2.0, 3.0, 0.0, 0.5, -1.0, -2.5, 100.0, -2303.0, 46341.0, 0.0009765625,
                         -1073741824.0})
      if (const double rounded = round_to(type, value); std::isfinite(rounded))
        numbers.push_back(FloatConst::make(rounded, type));
  } else {
    for (int64_t value : {1, 2, 3, 0, -1, -3, 7, 50, -100, 1000, -46341, 268435456})
      if (wrap_to(type, value) == value) numbers.push_back(IntConst::make(value, type));
  }
  return numbers;
}

bool is_finite(const RealValue& value) {
  return llvm::all_of(value, [](const RealNumber& part) { return std::isfinite(part.value()); });
}

bool has_nan(const std::optional<RealValue>& value) {
  return value && llvm::any_of(*value, [](const RealNumber& n) { return std::isnan(n.value()); });
}

/// Tries the promise of a declaration on values such as are reduced, of numbers of all sizes, and
/// on what it makes of several of them. Nothing is rounded, so that rounding is no excuse.
class Trial {
 public:
  Trial(const OperatorNode& op, const Expr& value) : op_(op), identity_(constant(op.identity)) {
    for (const Expr& number : trial_values(value)) values_.push_back(constant(number));
  }

  void run() {
    for (const Term& x : values_)
      for (const Term& y : values_) try_two(x, y);
    for (const Term& x : values_) try_nothing(x);
    add_merged();
    for (const Term& x : values_) try_nothing(x);
    values_.push_back(identity_);
    for (const Term& x : values_)
      for (const Term& y : values_) try_three(x, y);
  }

 private:
  /// A constant, or the operator applied to two terms, which outlive it.
  struct Term {
    Expr constant;
    const Term* lhs = nullptr;
    const Term* rhs = nullptr;
    std::optional<RealValue> value;  ///< nothing where the operator promises nothing
    long double magnitude = 1;       ///< of the largest number in it
  };

  static Term constant(const Expr& value) {
    Term term = {value, nullptr, nullptr, real_value(value), 1};
    for (const RealNumber& part : *term.value)
      if (std::isfinite(part.value()))
        term.magnitude = std::max(term.magnitude, std::fabs(part.value()));
    return term;
  }

  /// Of two values, of three, and of two and two.
  void add_merged() {
    const size_t count = values_.size();
    if (count < 7) return;
    const auto merge = [&](size_t lhs, size_t rhs) {
      values_.push_back(call(values_[lhs], values_[rhs]));
      return values_.size() - 1;
    };
    const size_t two = merge(3, 4), others = merge(0, 6);
    merge(two, 5);
    merge(two, others);
  }

  Term call(const Term& lhs, const Term& rhs) const {
    const bool has_value = lhs.value && rhs.value;
    return {{},
            &lhs,
            &rhs,
            has_value ? real_value(op_, *lhs.value, *rhs.value) : std::nullopt,
            std::max(lhs.magnitude, rhs.magnitude)};
  }

  void try_two(const Term& x, const Term& y) const {
    const Term both = call(x, y);
    compare("commutative", both, call(y, x));
    compare(with_identity, call(both, identity_), both);
  }

  /// Threads without values combine identities: of -inf, an operator may make NaN.
  void try_nothing(const Term& x) const {
    const Term nothing = call(identity_, identity_);
    const Term alone = call(x, identity_), after = call(x, nothing);
    if (has_nan(after.value) && !has_nan(alone.value)) refuse(with_identity, after, alone);
    compare(with_identity, after, alone);
    compare("commutative", alone, call(identity_, x));
  }

  void try_three(const Term& x, const Term& y) const {
    const Term xy = call(x, y);
    for (const Term& z : values_) {
      const Term yz = call(y, z);
      compare("associative", call(xy, z), call(x, yz));
    }
  }

  void compare(const char* property, const Term& lhs, const Term& rhs) const {
    if (!agree(lhs, rhs)) refuse(property, lhs, rhs);
  }

  /// Values that are no numbers say nothing.
  static bool agree(const Term& lhs, const Term& rhs) {
    if (!lhs.value || !rhs.value || !is_finite(*lhs.value) || !is_finite(*rhs.value)) return true;
    const long double magnitude = std::max(lhs.magnitude, rhs.magnitude);
    for (size_t n = 0; n < lhs.value->size(); ++n)
      if (!(*lhs.value)[n].is_same((*rhs.value)[n], magnitude)) return false;
    return true;
  }

  std::string text(const Term& term) const {
    return term.lhs ? fmt::format("{}({}, {})", op_.name, text(*term.lhs), text(*term.rhs))
                    : to_string(term.constant);
  }

  /// As many digits as it takes to see that the results differ.
  std::pair<std::string, std::string> results(const RealValue& lhs, const RealValue& rhs) const {
    const DType type = op_.lhs->type;
    const std::pair rounded_to_type = {to_string(rounded(lhs, type)),
                                       to_string(rounded(rhs, type))};
    if (rounded_to_type.first != rounded_to_type.second) return rounded_to_type;
    const auto digits = [](const RealValue& value) {
      const auto text = [](const RealNumber& number) {
        return fmt::format("{:.17g}", static_cast<double>(number.value()));
      };
      std::string texts = text(value[0]);
      for (const RealNumber& number : llvm::drop_begin(value)) texts += ", " + text(number);
      return value.size() == 1 ? texts : "(" + texts + ")";
    };
    return {digits(lhs), digits(rhs)};
  }

  static const char* advice_on(llvm::StringRef property) {
    return property == with_identity
               ? "an identity changes no value, as the least number changes none under max, and "
                 "what is done to each value once belongs into the value that is reduced"
               : "what is done to each value once belongs into the value that is reduced";
  }

  [[noreturn]] void refuse(const char* property, const Term& lhs, const Term& rhs) const {
    const auto [left, right] = results(*lhs.value, *rhs.value);
    throw DefinitionError(
        fmt::format("{} is declared associative, and it is not {}: {} is {}, and {} is {}; {}",
                    op_.name, property, text(lhs), left, text(rhs), right, advice_on(property)));
  }

  const OperatorNode& op_;
  Term identity_;
  std::deque<Term> values_;  ///< where terms stay that others are made of
};

}  // namespace

OperatorPtr declare_operator(llvm::StringRef name, const Expr& identity, const Expr& value,
                             const std::function<Expr(Expr, Expr)>& combine, Location location) {
  return located<DefinitionError>(location, [&] {
    const DType type = value.type();
    const TensorPtr lhs = make_tensor("lhs", type, {}), rhs = make_tensor("rhs", type, {});
    const Expr combined = combine(Load::make(lhs, {}), Load::make(rhs, {}));
    OperatorPtr op = make_operator(name, lhs, rhs, adapt_literal(combined, type),
                                   adapt_literal(folded(identity), type));
    if (const auto problem = operator_problem(*op)) throw DefinitionError(*problem);
    Trial(*op, value).run();
    return op;
  });
}

}  // namespace hone
