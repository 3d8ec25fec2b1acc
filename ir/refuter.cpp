#include "ir/refuter.h"

#include "ir/scalar.h"
#include "ir/visit.h"
#include "llvm/Support/MathExtras.h"

namespace hone {
namespace {

using Value = std::optional<int64_t>;

/// Params that few tiles divide, and that promises of divisibility allow.
constexpr int64_t sizes[] = {10007, 10080};

/// One choice of values: all params alike, and axes at the first or at the last of theirs.
class Point {
 public:
  Point(const Polynomial& value, const Facts& facts) : facts_(facts) {
    for (const Polynomial::Term& term : value.terms())
      if (term.coefficient < 0)
        for (const Expr& atom : term.atoms) raise(atom);
  }

  void set_params(int64_t size) { size_ = size; }

  bool satisfies_facts() const {
    return llvm::all_of(facts_.conditions(), [&](const Expr& condition) {
      return value_of(condition).value_or(0) != 0;
    });
  }

  Value value_of(const Polynomial& polynomial) const {
    int64_t sum = 0;
    for (const Polynomial::Term& term : polynomial.terms()) {
      int64_t product = term.coefficient;
      for (const Expr& atom : term.atoms) {
        const Value factor = value_of(atom);
        if (!factor || llvm::MulOverflow(product, *factor, product)) return std::nullopt;
      }
      if (llvm::AddOverflow(sum, product, sum)) return std::nullopt;
    }
    return sum;
  }

 private:
  /// Takes the axes of `expr` to their ends.
  void raise(const Expr& expr) {
    walk(expr, [&](const Expr& part) {
      const auto* reference = llvm::dyn_cast<AxisRef>(part);
      if (!reference) return;
      const Expr defined = facts_.value(reference->axis.get());
      if (defined.defined()) return raise(defined);
      raised_.push_back(reference->axis.get());
    });
  }

  Value value_of(const Expr& expr) const {
    return visit(
        expr, [](const IntConst& constant) { return Value(constant.value); },
        [&](const ParamRef&) { return Value(size_); }, [](const ThreadIndex&) { return Value(0); },
        [&](const AxisRef& reference) { return value_of(reference); },
        [&](const Unary& unary) { return value_of(unary); },
        [&](const Binary& binary) { return value_of(binary); },
        [](const auto&) { return Value(); });
  }

  Value value_of(const AxisRef& reference) const {
    const AxisNode* axis = reference.axis.get();
    if (const Expr defined = facts_.value(axis); defined.defined()) return value_of(defined);
    const Expr extent = facts_.extent(axis);
    if (!extent.defined() || !llvm::is_contained(raised_, axis)) return 0;
    const Value count = value_of(extent);
    return count && *count > 0 ? Value(*count - 1) : std::nullopt;
  }

  Value value_of(const Unary& unary) const {
    const Value operand = value_of(unary.operand);
    if (!operand) return std::nullopt;
    return unary.op == UnaryOp::negate ? -*operand : static_cast<int64_t>(*operand == 0);
  }

  Value value_of(const Binary& binary) const {
    const DType type = binary.lhs.type();
    const bool is_known = type == DType::index || type == DType::boolean;
    const Value lhs = is_known ? value_of(binary.lhs) : Value();
    const Value rhs = lhs ? value_of(binary.rhs) : Value();
    if (!rhs) return std::nullopt;
    try {
      return apply(binary.op, Scalar::of_int(type, *lhs), Scalar::of_int(type, *rhs)).integer;
    } catch (const ArithmeticError&) {
      return std::nullopt;
    }
  }

  const Facts& facts_;
  llvm::SmallVector<const AxisNode*, 8> raised_;
  int64_t size_ = 0;
};

}  // namespace

bool is_refuted(const Polynomial& value, const Facts& facts) {
  Point point(value, facts);
  return llvm::any_of(sizes, [&](int64_t size) {
    point.set_params(size);
    return point.value_of(value).value_or(0) < 0 && point.satisfies_facts();
  });
}

}  // namespace hone
