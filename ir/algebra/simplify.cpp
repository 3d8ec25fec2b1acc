#include "ir/algebra/simplify.h"

#include <limits>

#include "ir/algebra/comparison.h"
#include "ir/algebra/division.h"
#include "ir/algebra/facts_rewriter.h"
#include "ir/algebra/interval.h"
#include "ir/algebra/refuter.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/named_values.h"
#include "ir/traverse/order.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/DenseSet.h"

namespace hone {
namespace {

bool is_true(const Expr& expr) { return expr.type() == DType::boolean && is_int(expr, 1); }
bool is_false(const Expr& expr) { return expr.type() == DType::boolean && is_int(expr, 0); }

/// The expressions of a statement, with what holds around each.
class Occurrences {
 public:
  Occurrences(const Stmt& stmt, Facts& facts) {
    walk_with_facts(stmt, facts, [&](const Stmt& part, const Facts& around) {
      for_each_operand(
          part,
          [&](const Expr& expr) {
            found_.insert({expr.get(), around.fingerprint()});
          },
          [](const Stmt&) {});
    });
  }

  bool contains(const Expr& expr, const Facts& around) const {
    return found_.contains({expr.get(), around.fingerprint()});
  }

 private:
  llvm::SmallDenseSet<std::pair<const ExprNode*, uint64_t>, 64> found_;
};

class Simplifier : public Rewriter, private SumReader {
 public:
  /// Adds to the facts what holds inside, and takes it away again.
  explicit Simplifier(Facts& facts, const Occurrences* simple = nullptr)
      : facts_(facts), simple_(simple) {}

  Expr rewrite(const Expr& expr) override;
  Stmt rewrite(const Stmt& stmt) override;
  /// As the simplified condition would be `true`, without looking whether it is `false`.
  bool proves(const Expr& condition);

 private:
  /// Runs `rewrite` where `condition` holds as well; a null one says nothing.
  template <class Rewrite>
  auto under(const Expr& condition, Rewrite rewrite) {
    const FactsScope scope(facts_);
    if (condition.defined()) facts_.assume(condition);
    return rewrite();
  }

  /// Rewrites `stmt` with the facts that `add` adds.
  Stmt inside(llvm::function_ref<void()> add, const Stmt& stmt) {
    const FactsScope scope(facts_);
    add();
    return rewrite(stmt);
  }

  Expr simplified(const Expr& expr);
  Expr rewrite_bits(const Expr& expr);
  Expr rewrite_shift(const Expr& expr);
  Expr rewrite_sum(const Expr& expr);
  Expr rewrite_choice(const Binary& choice, const Expr& expr);
  Expr rewrite_comparison(const Binary& comparison, const Expr& expr);
  Expr rewrite_logical(const Binary& logical, const Expr& expr);
  Expr rewrite_not(const Unary& negation, const Expr& expr);
  Expr rewrite_select(const Select& select, const Expr& expr);
  Expr rewrite_tuple(const Expr& expr);
  Expr rewrite_component(const Expr& expr);
  Expr rewrite_named(const Expr& expr);
  Expr assumed(const Expr& condition) const;
  bool is_known(const Expr& condition) const;

  Sum finished(const Expr& expr) {
    Sum sum = read(expr);
    finish(sum);
    return sum;
  }
  Sum leaf(const Expr& expr) override;
  void finish(Sum& sum) override { recombine(sum, facts_); }

  Stmt rewrite_loop(const For& loop, const Stmt& stmt);
  Stmt rewrite_guard(const If& guard, const Stmt& stmt);
  Stmt rewrite_let(const Let& let, const Stmt& stmt);
  Stmt rewrite_sequence(const Seq& sequence, const Stmt& stmt);

  Facts& facts_;
  const Occurrences* simple_;  ///< expressions to leave alone; may be null
};

// ---- Expressions --------------------------------------------------------------------------------

/// An expression that did not change keeps its node.
Expr Simplifier::rewrite(const Expr& expr) {
  if (simple_ && simple_->contains(expr, facts_)) return expr;
  const Expr result = simplified(expr);
  return compare(result, expr) == 0 ? expr : result;
}

Expr Simplifier::simplified(const Expr& expr) {
  if (const auto* select = llvm::dyn_cast<Select>(expr)) return rewrite_select(*select, expr);
  if (llvm::isa<MakeTuple>(expr)) return rewrite_tuple(expr);
  if (llvm::isa<Component>(expr)) return rewrite_component(expr);
  if (llvm::isa<Named>(expr)) return rewrite_named(expr);
  if (const auto* unary = llvm::dyn_cast<Unary>(expr)) {
    if (unary->op == UnaryOp::logical_not) return rewrite_not(*unary, expr);
    return unary->type == DType::index ? rewrite_sum(expr) : rewrite_operands(expr);
  }
  const auto* binary = llvm::dyn_cast<Binary>(expr);
  if (!binary) return rewrite_operands(expr);
  if (is_comparison(binary->op)) return rewrite_comparison(*binary, expr);
  if (is_logical(binary->op)) return rewrite_logical(*binary, expr);
  if (binary->type != DType::index) return rewrite_operands(expr);
  if (binary->op == BinaryOp::min || binary->op == BinaryOp::max)
    return rewrite_choice(*binary, expr);
  if (binary->op >= BinaryOp::bit_and && binary->op <= BinaryOp::bit_xor) return rewrite_bits(expr);
  if (binary->op == BinaryOp::shl || binary->op == BinaryOp::shr) return rewrite_shift(expr);
  return rewrite_sum(expr);
}

Expr Simplifier::rewrite_bits(const Expr& expr) {
  const Expr rewritten = rewrite_operands(expr);
  const auto& binary = *llvm::cast<Binary>(rewritten.get());
  const auto lhs = as_int(binary.lhs), rhs = as_int(binary.rhs);
  if (lhs && rhs)
    return binary.op == BinaryOp::bit_and  ? *lhs & *rhs
           : binary.op == BinaryOp::bit_or ? *lhs | *rhs
                                           : *lhs ^ *rhs;
  if (binary.op == BinaryOp::bit_and) return lhs == 0 || rhs == 0 ? Expr(0) : rewritten;
  if (lhs == 0) return binary.rhs;
  return rhs == 0 ? binary.lhs : rewritten;
}

Expr Simplifier::rewrite_shift(const Expr& expr) {
  const Expr rewritten = rewrite_operands(expr);
  const auto& binary = *llvm::cast<Binary>(rewritten.get());
  const auto lhs = as_int(binary.lhs), rhs = as_int(binary.rhs);
  if (rhs == 0) return binary.lhs;
  const bool is_exact = lhs && rhs && *lhs >= 0 && *rhs > 0 && *rhs < 63;
  if (!is_exact) return rewritten;
  if (binary.op == BinaryOp::shr) return *lhs >> *rhs;
  return *lhs > std::numeric_limits<int64_t>::max() >> *rhs ? rewritten : Expr(*lhs << *rhs);
}

Expr Simplifier::rewrite_sum(const Expr& expr) { return finished(expr).to_expr(); }

/// A division that is left as it was keeps its node, which is quick to compare, and of which more
/// is known.
Sum kept(const Expr& division, Sum result) {
  const Product* single = result.single();
  const bool is_same = single && single->coefficient == 1 && single->factors.size() == 1 &&
                       compare(single->factors.front(), division) == 0;
  return is_same ? Sum::leaf(division) : std::move(result);
}

Sum Simplifier::leaf(const Expr& expr) {
  if (llvm::isa<AxisRef, ParamRef, ThreadIndex>(expr)) return Sum::leaf(expr);
  const auto* binary = llvm::dyn_cast<Binary>(expr);
  if (binary && binary->op == BinaryOp::div)
    return kept(expr, quotient(finished(binary->lhs), finished(binary->rhs), facts_));
  if (binary && binary->op == BinaryOp::mod)
    return kept(expr, remainder(finished(binary->lhs), finished(binary->rhs), facts_));
  return Sum::of(rewrite(expr));
}

/// min and max of indices: min(x, y) = x where y - x >= 0.
Expr Simplifier::rewrite_choice(const Binary& choice, const Expr& expr) {
  const Expr rebuilt = rewrite_operands(expr);
  const Expr lhs = llvm::cast<Binary>(rebuilt)->lhs, rhs = llvm::cast<Binary>(rebuilt)->rhs;
  const Sum left = Sum::of(lhs), right = Sum::of(rhs);
  const bool is_min = choice.op == BinaryOp::min;
  if (proves_at_least(right, left, 0, facts_)) return is_min ? lhs : rhs;
  if (proves_at_least(left, right, 0, facts_)) return is_min ? rhs : lhs;
  return rebuilt;
}

Expr Simplifier::rewrite_comparison(const Binary& comparison, const Expr& expr) {
  const Expr rebuilt = rewrite_operands(expr);
  if (comparison.lhs.type() == DType::index) {
    const auto* sides = llvm::cast<Binary>(rebuilt.get());
    const auto differences = differences_of(Sum::of(sides->lhs), Sum::of(sides->rhs));
    if (differences && holds(comparison.op, *differences, facts_)) return Expr(true);
    if (differences && holds(opposite(comparison.op), *differences, facts_)) return Expr(false);
  }
  return assumed(rebuilt);
}

/// The polynomial that is not negative where a comparison of indices holds; nothing for == and !=.
std::optional<Polynomial> surplus(const Binary& comparison) {
  const bool is_less = comparison.op == BinaryOp::lt || comparison.op == BinaryOp::le;
  if (comparison.op == BinaryOp::eq || comparison.op == BinaryOp::ne) return std::nullopt;
  const bool is_strict = comparison.op == BinaryOp::lt || comparison.op == BinaryOp::gt;
  const Polynomial lhs = Polynomial::of(comparison.lhs), rhs = Polynomial::of(comparison.rhs);
  return (is_less ? rhs - lhs : lhs - rhs) - Polynomial(is_strict ? 1 : 0);
}

bool Simplifier::proves(const Expr& condition) {
  const auto* comparison = llvm::dyn_cast<Binary>(condition);
  if (!comparison || !is_comparison(comparison->op) || comparison->lhs.type() != DType::index)
    return is_true(rewrite(condition));
  if (is_known(condition)) return true;
  if (const auto value = surplus(*comparison)) {
    if (interval_of(*value, facts_).is_non_negative()) return true;
    if (is_refuted(*value, facts_)) return false;
  }
  const Sum lhs = finished(comparison->lhs), rhs = finished(comparison->rhs);
  const auto differences = differences_of(lhs, rhs);
  return (differences && holds(comparison->op, *differences, facts_)) ||
         is_true(assumed(Binary::make(comparison->op, lhs.to_expr(), rhs.to_expr())));
}

/// True if the facts have it as a condition, in this form.
bool Simplifier::is_known(const Expr& condition) const {
  if (condition.get()->size.has_name) return is_known(without_names(condition));
  const auto* binary = llvm::dyn_cast<Binary>(condition);
  std::optional<size_t> wanted;
  for (size_t n = 0; n < facts_.conditions().size(); ++n) {
    const Expr& known = facts_.conditions()[n];
    const auto* other = llvm::dyn_cast<Binary>(known);
    if (known.kind() != condition.kind() || (binary && binary->op != other->op)) continue;
    auto& hash_of_known = facts_.note_of_condition(n).hash;
    if (!hash_of_known) hash_of_known = hash(known);
    if (!wanted) wanted = hash(condition);
    if (hash_of_known == wanted && compare(known, condition) == 0) return true;
  }
  return false;
}

/// `condition`, or what is assumed of it.
Expr Simplifier::assumed(const Expr& condition) const {
  if (facts_.conditions().empty()) return condition;
  if (is_known(condition)) return Expr(true);
  const Expr opposite = negated(condition);
  return opposite.defined() && is_known(opposite) ? Expr(false) : condition;
}

/// The right side is evaluated only where the left one does not decide.
Expr Simplifier::rewrite_logical(const Binary& logical, const Expr&) {
  const bool is_and = logical.op == BinaryOp::logical_and;
  const auto decides = is_and ? is_false : is_true;
  const auto is_neutral = is_and ? is_true : is_false;
  const Expr lhs = rewrite(logical.lhs);
  if (decides(lhs)) return lhs;
  const Expr rhs = under(is_and ? lhs : negated(lhs), [&] { return rewrite(logical.rhs); });
  if (is_neutral(lhs) || decides(rhs)) return rhs;
  if (is_neutral(rhs) || compare(lhs, rhs) == 0) return lhs;
  return Binary::make(logical.op, lhs, rhs);
}

Expr Simplifier::rewrite_not(const Unary& negation, const Expr&) {
  const Expr operand = rewrite(negation.operand);
  const auto* binary = llvm::dyn_cast<Binary>(operand);
  const bool is_short = !binary || is_comparison(binary->op);
  const Expr opposite = is_short ? negated(operand) : Expr();
  return assumed(opposite.defined() ? opposite : !operand);
}

Expr Simplifier::rewrite_select(const Select& select, const Expr&) {
  const Expr condition = rewrite(select.condition);
  if (is_true(condition)) return rewrite(select.if_true);
  if (is_false(condition)) return rewrite(select.if_false);
  const Expr if_true = under(condition, [&] { return rewrite(select.if_true); });
  const Expr if_false = under(negated(condition), [&] { return rewrite(select.if_false); });
  if (compare(if_true, if_false) == 0) return if_true;
  return Select::make(condition, if_true, if_false);
}

/// (x.first, x.second) = x, if that is all of x
Expr Simplifier::rewrite_tuple(const Expr& expr) {
  const Expr rewritten = rewrite_operands(expr);
  const auto& tuple = *llvm::cast<MakeTuple>(rewritten);
  const auto* front = llvm::dyn_cast<Component>(tuple.components.front());
  if (!front || front->tuple.type() != tuple.type) return rewritten;
  for (size_t n = 0; n < tuple.components.size(); ++n) {
    const auto* part = llvm::dyn_cast<Component>(tuple.components[n]);
    if (!part || part->position != n || compare(part->tuple, front->tuple) != 0) return rewritten;
  }
  return front->tuple;
}

/// (x, y).first = x
Expr Simplifier::rewrite_component(const Expr& expr) {
  const Expr rewritten = rewrite_operands(expr);
  const auto& component = *llvm::cast<Component>(rewritten);
  const auto* tuple = llvm::dyn_cast<MakeTuple>(component.tuple);
  return tuple ? tuple->components[component.position] : rewritten;
}

/// A constant needs no name.
Expr Simplifier::rewrite_named(const Expr& expr) {
  const Expr rewritten = rewrite_operands(expr);
  const Expr& value = llvm::cast<Named>(rewritten)->value;
  return is_constant(value) ? value : rewritten;
}

// ---- Statements ---------------------------------------------------------------------------------

Stmt nothing() { return Seq::make({}); }

bool is_nothing(const Stmt& stmt) {
  const auto* sequence = llvm::dyn_cast<Seq>(stmt);
  return sequence && sequence->stmts.empty();
}

Stmt Simplifier::rewrite(const Stmt& stmt) {
  if (const auto* loop = llvm::dyn_cast<For>(stmt)) return rewrite_loop(*loop, stmt);
  if (const auto* guard = llvm::dyn_cast<If>(stmt)) return rewrite_guard(*guard, stmt);
  if (const auto* let = llvm::dyn_cast<Let>(stmt)) return rewrite_let(*let, stmt);
  if (const auto* sequence = llvm::dyn_cast<Seq>(stmt)) return rewrite_sequence(*sequence, stmt);
  const Stmt rebuilt = rewrite_operands(stmt);
  const auto* alloc = llvm::dyn_cast<Alloc>(rebuilt);
  return alloc && is_nothing(alloc->body) ? nothing() : rebuilt;
}

Stmt Simplifier::rewrite_loop(const For& loop, const Stmt& stmt) {
  const Expr extent = rewrite(loop.extent);
  if (const auto count = as_int(extent); count && *count <= 0) return nothing();
  const Stmt body = inside([&] { facts_.add_axis(loop.axis, extent); }, loop.body);
  if (is_nothing(body)) return body;
  if (extent.same_as(loop.extent) && body.same_as(loop.body)) return stmt;
  return For::make(loop.axis, extent, loop.binding, body);
}

Stmt Simplifier::rewrite_guard(const If& guard, const Stmt& stmt) {
  const Expr condition = rewrite(guard.condition);
  if (is_false(condition)) return nothing();
  const Stmt body = under(condition, [&] { return rewrite(guard.body); });
  if (is_true(condition) || is_nothing(body)) return body;
  if (condition.same_as(guard.condition) && body.same_as(guard.body)) return stmt;
  return If::make(condition, body);
}

Stmt Simplifier::rewrite_let(const Let& let, const Stmt& stmt) {
  const Expr value = rewrite(let.value);
  const Stmt body = inside([&] { facts_.define(let.axis, value); }, let.body);
  if (is_nothing(body)) return body;
  if (value.same_as(let.value) && body.same_as(let.body)) return stmt;
  return Let::make(let.axis, value, body);
}

Stmt Simplifier::rewrite_sequence(const Seq& sequence, const Stmt& stmt) {
  llvm::SmallVector<Stmt, 4> stmts;
  bool changed = false;
  for (const Stmt& old : sequence.stmts) {
    const Stmt rebuilt = rewrite(old);
    changed |= !rebuilt.same_as(old);
    if (!is_nothing(rebuilt)) stmts.push_back(rebuilt);
  }
  return changed ? Seq::make(stmts) : stmt;
}

}  // namespace

Expr simplify(const Expr& expr, const Facts& facts) {
  Facts scratch = facts;
  return Simplifier(scratch).rewrite(expr);
}

Stmt simplify(const Stmt& stmt, const Facts& facts) {
  Facts scratch = facts;
  return Simplifier(scratch).rewrite(stmt);
}

Stmt simplify(const Stmt& stmt, const Facts& facts, const Stmt& simple) {
  Facts scratch = facts;
  const Occurrences occurrences(simple, scratch);
  return Simplifier(scratch, &occurrences).rewrite(stmt);
}

bool proves(const Expr& condition, Facts& facts) { return Simplifier(facts).proves(condition); }

bool proves(const Expr& condition, const Facts& facts) {
  Facts scratch = facts;
  return proves(condition, scratch);
}

}  // namespace hone
