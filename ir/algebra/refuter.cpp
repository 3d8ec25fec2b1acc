#include "ir/algebra/refuter.h"

#include <utility>

#include "ir/algebra/interval.h"
#include "ir/scalar/scalar.h"
#include "ir/traverse/order.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/Sequence.h"

namespace hone {
namespace {

using Value = std::optional<int64_t>;

/// A prime; four times a prime, of which a product of sixteen fits; a multiple of most numbers that
/// a promise names; and the smallest.
constexpr int64_t sizes[] = {10007, 12, 80640, 1};
static_assert(std::size(sizes) == std::tuple_size_v<decltype(Facts::Note::holds_at_origin)>);
constexpr size_t smallest = std::size(sizes) - 1;

/// A set that may contain more than was added.
using Variables = uint64_t;

/// Axes that were made one after the other have bits of their own.
Variables variable(const AxisNode* axis) { return Variables{1} << (axis->id % 64); }

Variables variable(const ThreadIndex& index) {
  return Variables{1} << (static_cast<unsigned>(index.space) * 3 + index.dim);
}

/// Notes the variables of condition n, or of a part of it.
void note_variables(size_t n, const Expr& expr, const Facts& facts) {
  Facts::Note& note = facts.note_of_condition(n);
  walk(expr, [&](const Expr& part) {
    if (const auto* index = llvm::dyn_cast<ThreadIndex>(part)) *note.variables |= variable(*index);
    const auto* reference = llvm::dyn_cast<AxisRef>(part);
    if (!reference) return;
    const AxisNode* axis = reference->axis.get();
    note.is_about_axes_around &= facts.conditions_around(axis) <= n;
    const Expr defined = facts.value(axis);
    if (defined.defined()) return note_variables(n, defined, facts);
    *note.variables |= variable(axis);
  });
}

const Facts::Note& noted(size_t n, const Facts& facts) {
  Facts::Note& note = facts.note_of_condition(n);
  if (note.variables) return note;
  note.variables = 0;
  note.is_about_axes_around = true;
  note_variables(n, facts.conditions()[n], facts);
  return note;
}

/// One choice of values: all params alike, and axes at the first, their origin, or at the last of
/// theirs.
class Point {
 public:
  Point(const Facts& facts, size_t size) : facts_(facts), size_(size) {}

  /// Takes the axes to their ends that make `value` small, as far as `may_move` is true of them.
  void lower(const Polynomial& value, llvm::function_ref<bool(const Expr&)> may_move) {
    for (const Polynomial::Term& term : value.terms())
      if (term.coefficient < 0)
        for (const Expr& atom : term.atoms)
          if (may_move(atom)) raise(atom);
  }

  /// True if another size may lead to another answer.
  bool depends_on_size() const { return depends_on_size_; }

  /// True if `value` is negative here and all conditions hold, once the axes that they need are
  /// raised.
  bool refutes(const Polynomial& value) {
    if (!is_negative(value)) return false;
    bool moved = false;
    const size_t count = facts_.conditions().size();
    for (size_t n = 0; n < count; ++n) {
      if (holds(n)) continue;
      raise(facts_.conditions()[n]);
      if (!holds(n)) return false;
      moved = true;
    }
    const auto still_holds = [&](size_t n) { return holds(n); };
    return !moved || (is_negative(value) && llvm::all_of(llvm::seq<size_t>(0, count), still_holds));
  }

  /// The same at a size at which loops may have no iterations, where axes have been moved that no
  /// condition is about.
  bool refutes_inside(const Polynomial& value) const {
    const auto has_iterations = [&](const Expr& extent) {
      return value_of(extent).value_or(0) > 0;
    };
    return is_negative(value) && facts_.all_extents(has_iterations) &&
           llvm::all_of(llvm::seq<size_t>(0, facts_.conditions().size()), [&](size_t n) {
             return noted(n, facts_).is_about_axes_around && holds_at_origin(n);
           });
  }

 private:
  /// True if condition n holds. If it mentions no raised axis, it is as it is at the origin.
  bool holds(size_t n) const {
    const bool is_moved = (*noted(n, facts_).variables & raised_variables_) != 0;
    return is_moved ? is_true(facts_.conditions()[n]) : holds_at_origin(n);
  }

  bool holds_at_origin(size_t n) const {
    std::optional<bool>& known = facts_.note_of_condition(n).holds_at_origin[size_];
    if (!known) known = is_true(facts_.conditions()[n]);
    depends_on_size_ |= !*known;
    return *known;
  }

  bool is_true(const Expr& condition) const { return value_of(condition).value_or(0) != 0; }
  bool is_negative(const Polynomial& value) const { return value_of(value).value_or(0) < 0; }

  Value value_of(const Polynomial& polynomial) const {
    int64_t sum = 0;
    for (const Polynomial::Term& term : polynomial.terms()) {
      int64_t product = term.coefficient;
      for (const Expr& atom : term.atoms) {
        const Value factor = value_of(atom);
        if (!factor || __builtin_mul_overflow(product, *factor, &product)) return std::nullopt;
      }
      if (__builtin_add_overflow(sum, product, &sum)) return std::nullopt;
    }
    return sum;
  }

  /// Takes the axes of `expr` to their ends.
  void raise(const Expr& expr) {
    walk(expr, [&](const Expr& part) {
      if (const auto* index = llvm::dyn_cast<ThreadIndex>(part)) {
        raised_indices_.push_back(part);
        raised_variables_ |= variable(*index);
      }
      const auto* reference = llvm::dyn_cast<AxisRef>(part);
      if (!reference) return;
      const Expr defined = facts_.value(reference->axis.get());
      if (defined.defined()) return raise(defined);
      raised_.push_back(reference->axis.get());
      raised_variables_ |= variable(reference->axis.get());
    });
  }

  Value value_of(const Expr& expr) const {
    return visit(
        expr, [](const IntConst& constant) { return Value(constant.value); },
        [&](const ParamRef&) { return Value(size()); },
        [&](const ThreadIndex&) { return value_of_index(expr); },
        [&](const AxisRef& reference) { return value_of(reference); },
        [&](const Unary& unary) { return value_of(unary); },
        [&](const Binary& binary) {
          return binary.op == BinaryOp::div ? value_of_quotient(binary) : value_of(binary);
        },
        [](const auto&) { return Value(); });
  }

  Value value_of_index(const Expr& index) const {
    is_over_params_ = false;
    const auto is_index = [&](const Expr& raised) { return compare(raised, index) == 0; };
    if (llvm::none_of(raised_indices_, is_index)) return 0;
    const Interval range = interval_of(index, facts_);
    const int64_t last = std::min(range.high, last_by_conditions(index));
    return last != Interval::no_high ? last : size();
  }

  /// The largest value that comparisons with constants allow.
  int64_t last_by_conditions(const Expr& index) const {
    int64_t last = Interval::no_high;
    for (const Expr& condition : facts_.conditions()) {
      const auto* comparison = llvm::dyn_cast<Binary>(condition);
      if (!comparison || (comparison->op != BinaryOp::lt && comparison->op != BinaryOp::le))
        continue;
      const auto limit = as_int(comparison->rhs);
      if (limit && compare(comparison->lhs, index) == 0)
        last = std::min(last, *limit - static_cast<int64_t>(comparison->op == BinaryOp::lt));
    }
    return last;
  }

  Value value_of_quotient(const Binary& quotient) const {
    if (const auto* note = facts_.note_of_quotient(quotient); note && note->at_size[size_]) {
      depends_on_size_ = true;
      return *note->at_size[size_];
    }
    const bool are_over_params = std::exchange(is_over_params_, true);
    const Value value = value_of(quotient);
    if (is_over_params_) facts_.add_note_of_quotient(quotient).at_size[size_] = value;
    is_over_params_ &= are_over_params;
    return value;
  }

  Value value_of(const AxisRef& reference) const {
    is_over_params_ = false;
    const AxisNode* axis = reference.axis.get();
    if (const Expr defined = facts_.value(axis); defined.defined()) return value_of(defined);
    if (!llvm::is_contained(raised_, axis)) return 0;
    const Expr extent = facts_.extent(axis);
    if (!extent.defined()) return size();
    const Value count = value_of(extent);
    return count && *count > 0 ? Value(*count - 1) : std::nullopt;
  }

  Value value_of(const Unary& unary) const {
    const Value operand = value_of(unary.operand);
    if (!operand || unary.op == UnaryOp::bit_not) return std::nullopt;
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

  int64_t size() const {
    depends_on_size_ = true;
    return sizes[size_];
  }

  const Facts& facts_;
  llvm::SmallVector<const AxisNode*, 8> raised_;
  llvm::SmallVector<Expr, 2> raised_indices_;
  Variables raised_variables_ = 0;
  const size_t size_;  ///< its number in `sizes`
  mutable bool depends_on_size_ = false;
  mutable bool is_over_params_ = true;  ///< what has been evaluated since it was set
};

/// The variables of all conditions.
Variables mentioned_in(const Facts& facts) {
  Variables mentioned = 0;
  for (size_t n = 0; n < facts.conditions().size(); ++n) mentioned |= *noted(n, facts).variables;
  return mentioned;
}

/// Most guards do not hold for the last iterations of the loop next to them, which stands inside of
/// other guards, or is not mentioned there.
bool is_refuted_inside(const Polynomial& value, const Facts& facts) {
  const size_t count = facts.conditions().size();
  std::optional<Variables> mentioned;
  Point point(facts, smallest);
  point.lower(value, [&](const Expr& atom) {
    const auto* reference = llvm::dyn_cast<AxisRef>(atom);
    const AxisNode* axis = reference ? reference->axis.get() : nullptr;
    if (!axis || !facts.extent(axis).defined()) return false;
    if (!mentioned) mentioned = mentioned_in(facts);
    return (*mentioned & variable(axis)) == 0 || facts.conditions_around(axis) == count;
  });
  return point.refutes_inside(value);
}

}  // namespace

bool is_refuted(const Polynomial& value, const Facts& facts) {
  if (is_refuted_inside(value, facts)) return true;
  for (size_t size = 0; size < smallest; ++size) {
    Point point(facts, size);
    point.lower(value, [](const Expr&) { return true; });
    if (point.refutes(value)) return true;
    if (!point.depends_on_size()) break;
  }
  return false;
}

}  // namespace hone
