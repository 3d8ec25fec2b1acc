#include "ir/analysis/divisibility.h"

#include <limits>
#include <numeric>

#include "ir/algebra/interval.h"
#include "ir/traverse/order.h"
#include "llvm/Support/MathExtras.h"

namespace hone {
namespace {

/// Products of two divisors of a modulus stay within 64 bits.
constexpr int64_t largest_modulus = std::numeric_limits<int32_t>::max();

/// The largest divisor that both have in common. The coefficient may be the smallest integer.
int64_t common_divisor(int64_t coefficient, int64_t modulus) {
  const auto bits = static_cast<uint64_t>(coefficient);
  return static_cast<int64_t>(
      std::gcd(coefficient < 0 ? uint64_t{0} - bits : bits, static_cast<uint64_t>(modulus)));
}

/// A value and its divisor, by a condition: c by x == c, where all numbers divide 0, and
/// the common divisor of m and c by x % m == c. No value for any other condition.
struct Multiple {
  Expr value;
  int64_t divisor = 0;
};

Multiple multiple_of(const Expr& condition) {
  const auto* equality = llvm::dyn_cast<Binary>(condition);
  if (!equality || equality->op != BinaryOp::eq || equality->lhs.type() != DType::index) return {};
  const bool constant_first = as_int(equality->lhs).has_value();
  const Expr& value = constant_first ? equality->rhs : equality->lhs;
  const auto constant = as_int(constant_first ? equality->lhs : equality->rhs);
  if (!constant) return {};
  const auto* remainder = llvm::dyn_cast<Binary>(value);
  if (!remainder || remainder->op != BinaryOp::mod) return {value, *constant};
  const auto modulus = as_int(remainder->rhs);
  if (!modulus || *modulus < 1) return {};
  return {remainder->lhs, std::gcd(*constant, *modulus)};
}

class Divisibility {
 public:
  explicit Divisibility(const Facts& facts) : facts_(facts) {}

  int64_t divisor(const Polynomial& value, int64_t modulus) const {
    if (modulus > largest_modulus) return 1;
    int64_t result = modulus;
    for (const Polynomial::Term& term : value.terms())
      result = std::gcd(result, divisor_of_term(term, modulus));
    return with_conditions(value, result, modulus);
  }

 private:
  int64_t divisor(const Expr& value, int64_t modulus) const {
    return divisor(Polynomial::of(value), modulus);
  }

  int64_t divisor_of_term(const Polynomial::Term& term, int64_t modulus) const {
    int64_t result = common_divisor(term.coefficient, modulus);
    for (const Expr& atom : term.atoms)
      result = std::gcd(result * divisor_of_atom(atom, modulus), modulus);
    return result;
  }

  int64_t divisor_of_atom(const Expr& atom, int64_t modulus) const {
    return with_conditions(Polynomial::atom(atom), divisor_by_form(atom, modulus), modulus);
  }

  /// The divisor of exactly this value by the conditions and by `known`.
  int64_t with_conditions(const Polynomial& value, int64_t known, int64_t modulus) const {
    for (const Expr& condition : facts_.conditions()) {
      const Multiple multiple = multiple_of(condition);
      if (!multiple.value.defined() || !(Polynomial::of(multiple.value) == value)) continue;
      known = std::lcm(known, common_divisor(multiple.divisor, modulus));
    }
    return known;
  }

  int64_t divisor_by_form(const Expr& atom, int64_t modulus) const {
    if (const auto value = as_int(atom)) return common_divisor(*value, modulus);
    if (const auto* reference = llvm::dyn_cast<AxisRef>(atom)) {
      const Expr extent = facts_.extent(reference->axis.get());
      if (extent.defined() && is_int(extent, 1)) return modulus;
      const Expr value = facts_.value(reference->axis.get());
      return value.defined() ? divisor(value, modulus) : 1;
    }
    if (llvm::isa<ThreadIndex>(atom)) return interval_of(atom, facts_).high == 0 ? modulus : 1;
    if (const auto* choice = llvm::dyn_cast<Select>(atom))
      return std::gcd(divisor(choice->if_true, modulus), divisor(choice->if_false, modulus));
    const auto* binary = llvm::dyn_cast<Binary>(atom);
    if (!binary) return 1;
    switch (binary->op) {
      case BinaryOp::min:
      case BinaryOp::max:
      case BinaryOp::mod:
        return common(*binary, modulus);
      case BinaryOp::bit_or:
      case BinaryOp::bit_xor: {
        // Bits that both sides lack stay 0.
        const int64_t both = common(*binary, modulus);
        return both & -both;
      }
      case BinaryOp::div:
        return divisor_of_quotient(*binary, modulus);
      default:
        return 1;
    }
  }

  int64_t common(const Binary& binary, int64_t modulus) const {
    return std::gcd(divisor(binary.lhs, modulus), divisor(binary.rhs, modulus));
  }

  /// x / c, where c divides x.
  int64_t divisor_of_quotient(const Binary& quotient, int64_t modulus) const {
    const auto by = as_int(quotient.rhs);
    int64_t wanted = 0;
    if (!by || *by < 1 || llvm::MulOverflow(modulus, *by, wanted)) return 1;
    const int64_t known = divisor(quotient.lhs, wanted);
    return known % *by == 0 ? known / *by : 1;
  }

  const Facts& facts_;
};

}  // namespace

int64_t known_divisor(const Polynomial& value, int64_t modulus, const Facts& facts) {
  assert(modulus > 0 && "a modulus is positive");
  return Divisibility(facts).divisor(value, modulus);
}

bool divides(int64_t divisor, const Polynomial& value, const Facts& facts) {
  return known_divisor(value, divisor, facts) == divisor;
}

bool divides(int64_t divisor, const Expr& value, const Facts& facts) {
  return divides(divisor, Polynomial::of(value), facts);
}

}  // namespace hone
