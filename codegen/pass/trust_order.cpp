// Indices that grow from one iteration to the next are never smaller than that of an element which
// is there already:
//
//   S.part[] = (-inf, MAX)
//   reduce k in 0..K
//     S.part[] argmax= (A[k], i32(k))
//
//   =>  S.part[] = (-inf, MAX)
//       reduce k in 0..K
//         S.part[] argmax.ascending= (A[k], i32(k))
//
// argmax compares the indices of equal elements, rhs[].second < lhs[].second. argmax.ascending
// compares none, and asks lhs[].second == MAX: whether there is an element yet. It need not where
// the first element, if there is one, decides whether there are more:
//
//   =>  S.part[] = select(0 < K, (-inf, i32(0)), (-inf, MAX))
//       reduce k in 0..K
//         S.part[] argmax.later= (A[k], i32(k))

#include <map>

#include "codegen/pass/ordered_choice.h"
#include "codegen/pass/passes.h"
#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/accesses.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// An update in registers of one thread, and what is around it since the element was set.
struct UpdateSite {
  const Store* update = nullptr;
  llvm::SmallVector<const For*, 4> loops;
  llvm::SmallVector<Stmt, 4> lets;
  llvm::SmallVector<Expr, 4> guards;
  bool is_read = false;  ///< something reads the element before
};

bool stores_to(const Stmt& stmt, const TensorPtr& tensor) {
  return any_of(stmt, [&](const Stmt& nested) {
    const auto* store = llvm::dyn_cast<Store>(nested);
    return store && store->tensor == tensor;
  });
}

bool loads_from(const Stmt& stmt, const TensorPtr& tensor) {
  return any_expr_of(stmt, [&](const Expr& part) { return reads(part, tensor); });
}

/// Adds what is around the first store to `tensor`. False where a loop has another one, or is none
/// that runs in order.
bool find_first(const Stmt& stmt, const TensorPtr& tensor, UpdateSite& site) {
  if (const auto* store = llvm::dyn_cast<Store>(stmt)) {
    site.update = store;
    site.is_read |= loads_from(stmt, tensor);
    return store->tensor == tensor;
  }
  if (const auto* seq = llvm::dyn_cast<Seq>(stmt)) {
    const auto stores = [&](const Stmt& nested) { return stores_to(nested, tensor); };
    if (!site.loops.empty() && llvm::count_if(seq->stmts, stores) > 1) return false;
    const auto* first = llvm::find_if(seq->stmts, stores);
    site.is_read |= llvm::any_of(llvm::make_range(seq->stmts.begin(), first),
                                 [&](const Stmt& nested) { return loads_from(nested, tensor); });
    return first != seq->stmts.end() && find_first(*first, tensor, site);
  }
  if (const auto* loop = llvm::dyn_cast<For>(stmt)) {
    const Binding::Kind kind = loop->binding.kind;
    site.loops.push_back(loop);
    return (kind == Binding::Kind::serial || kind == Binding::Kind::unroll) &&
           find_first(loop->body, tensor, site);
  }
  if (const auto* let = llvm::dyn_cast<Let>(stmt)) {
    site.lets.push_back(stmt);
    site.is_read |= reads(let->value, tensor);
    return find_first(let->body, tensor, site);
  }
  if (const auto* guard = llvm::dyn_cast<If>(stmt)) {
    site.guards.push_back(guard->condition);
    return find_first(guard->body, tensor, site);
  }
  const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
  return alloc && find_first(alloc->body, tensor, site);
}

/// A value over the axes of the loops; undefined where it reads a tensor.
Expr over_loops(const Expr& value, const UpdateSite& site) {
  const Expr spelled_out = without_lets(value, site.lets);
  return reads_tensor(spelled_out) ? Expr() : spelled_out;
}

/// The integer that the update compares, over the axes of the loops; undefined where it is none
/// that the iteration decides alone.
Expr index_of(const UpdateSite& site, unsigned position) {
  const Expr component = component_of(site.update->value, position);
  const auto* cast = component.defined() ? llvm::dyn_cast<Cast>(component) : nullptr;
  return cast && cast->operand.type() == DType::index ? over_loops(cast->operand, site) : Expr();
}

bool has_fixed_extents(const UpdateSite& site) {
  return llvm::all_of(site.loops, [&](const For* loop) {
    return !reads_tensor(loop->extent) && llvm::none_of(site.loops, [&](const For* other) {
      return mentions(loop->extent, other->axis.get());
    }) && llvm::none_of(site.lets, [&](const Stmt& let) {
      return mentions(loop->extent, llvm::cast<Let>(let)->axis.get());
    });
  });
}

/// True where each iteration of each loop has larger indices than the one before it, wherever the
/// loops inside are.
bool grows(const Expr& index, llvm::ArrayRef<const For*> loops, Facts facts) {
  for (const For* loop : loops) facts.add_axis(loop->axis, loop->extent);
  for (; !loops.empty(); loops = loops.drop_front()) {
    const AxisPtr& axis = loops.front()->axis;
    Expr next = substitute(index, axis.get(), AxisRef::make(axis) + 1);
    for (const For* inside : loops.drop_front()) {
      const AxisPtr other = make_axis(inside->axis->name, inside->axis->kind);
      facts.add_axis(other, inside->extent);
      next = substitute(next, inside->axis.get(), AxisRef::make(other));
    }
    if (!proves(index < next, facts)) return false;
  }
  return true;
}

Expr in_first_iteration(Expr value, const UpdateSite& site) {
  for (const For* loop : site.loops) value = substitute(value, loop->axis.get(), 0);
  return value;
}

/// The condition without a quotient on its larger side: x < y / c as x*c < y - (c - 1).
Expr undivided(const Expr& condition) {
  const auto* compared = llvm::dyn_cast<Binary>(condition);
  if (!compared || (compared->op != BinaryOp::lt && compared->op != BinaryOp::gt)) return condition;
  const bool is_less = compared->op == BinaryOp::lt;
  const Expr& smaller = is_less ? compared->lhs : compared->rhs;
  const auto* quotient = llvm::dyn_cast<Binary>(is_less ? compared->rhs : compared->lhs);
  const auto divisor =
      quotient && quotient->op == BinaryOp::div ? as_int(quotient->rhs) : std::nullopt;
  if (!divisor || *divisor <= 0) return condition;
  return undivided(simplify(smaller * *divisor) < simplify(quotient->lhs - (*divisor - 1)));
}

/// All of the conditions, less those that the others imply.
Expr all_of(llvm::SmallVector<Expr, 4> conditions, const Facts& facts) {
  for (size_t n = 0; n < conditions.size();) {
    Facts others = facts;
    for (size_t other = 0; other < conditions.size(); ++other)
      if (other != n) others.assume(conditions[other]);
    if (proves(conditions[n], others))
      conditions.erase(conditions.begin() + n);
    else
      ++n;
  }
  Expr all = true;
  for (const Expr& condition : conditions) all = all && condition;
  return simplify(all, facts);
}

/// The condition under which the first iteration makes the update; undefined where later ones may
/// if it does not.
Expr makes_first_update(const UpdateSite& site, const Facts& facts) {
  Facts later = facts;
  llvm::SmallVector<Expr, 4> makes;
  for (const For* loop : site.loops) {
    later.add_axis(loop->axis, loop->extent);
    makes.push_back(undivided(loop->extent > 0));
  }
  llvm::SmallVector<Expr, 4> guards;
  for (const Expr& guard : site.guards) {
    guards.push_back(over_loops(guard, site));
    if (!guards.back().defined()) return {};
    later.assume(guards.back());
  }
  for (const Expr& guard : guards) {
    const Expr first = in_first_iteration(guard, site);
    if (!proves(first, later)) return {};
    makes.push_back(undivided(simplify(first)));
  }
  return all_of(makes, facts);
}

/// The identity with the integer of the first iteration, if that makes the update; undefined where
/// this is not known.
Expr first_element(const UpdateSite& site, const OrderedChoice& choice, const Expr& index,
                   const Facts& facts) {
  if (site.is_read || !choice.may_start_at_identity) return {};
  const Expr makes = makes_first_update(site, facts);
  if (!makes.defined()) return {};
  const Expr& identity = site.update->op->identity;
  auto components = llvm::cast<MakeTuple>(identity)->components;
  components[choice.position] = Cast::make(i32, simplify(in_first_iteration(index, site), facts));
  return simplify(Select::make(makes, MakeTuple::make(components), identity), facts);
}

/// The first update behind the statement that sets its element.
struct Trusted {
  const Store* init = nullptr;
  const Store* update = nullptr;
  Expr start;  ///< for the element, in place of the identity; undefined where it stays
};

/// The update that comes first after `alloc` has set its element, if its indices grow.
std::optional<Trusted> ascending_update(const Alloc& alloc, const Facts& facts) {
  const auto* seq = llvm::dyn_cast<Seq>(alloc.body);
  if (alloc.tensor->scope != Scope::registers || alloc.tensor->rank() > 0 || !seq)
    return std::nullopt;
  const auto* init = llvm::dyn_cast<Store>(seq->stmts.front());
  if (!init || init->tensor != alloc.tensor || init->update != Update::set) return std::nullopt;
  UpdateSite site;
  const auto rest = llvm::ArrayRef<Stmt>(seq->stmts).drop_front();
  if (!find_first(Seq::make(rest), alloc.tensor, site) || !site.update->op ||
      site.update->is_atomic)
    return std::nullopt;
  const auto choice = ordered_choice_of(*site.update->op);
  if (!choice || !equal(init->value, site.update->op->identity) || !has_fixed_extents(site))
    return std::nullopt;
  const Expr index = index_of(site, choice->position);
  if (!index.defined() || !grows(index, site.loops, facts)) return std::nullopt;
  return Trusted{init, site.update, first_element(site, *choice, index, facts)};
}

/// Makes operators that trust the order, one for all updates that need the same.
class Operators {
 public:
  explicit Operators(llvm::ArrayRef<OperatorPtr> others) : others_(others) {}

  OperatorPtr of(const Trusted& trusted) {
    const OperatorNode& op = *trusted.update->op;
    const bool is_later = trusted.start.defined();
    OperatorPtr& made = made_[{&op, is_later}];
    if (made) return made;
    const OrderedChoice choice = *ordered_choice_of(op);
    made = is_later ? later_operator(op, choice, name_beside(op, ".later"))
                    : ascending_operator(op, choice, name_beside(op, ".ascending"));
    return made;
  }

 private:
  std::string name_beside(const OperatorNode& op, llvm::StringRef suffix) const {
    std::string name = op.name + suffix.str();
    while (llvm::any_of(others_, [&](const OperatorPtr& other) { return other->name == name; }))
      name += '_';
    return name;
  }

  llvm::ArrayRef<OperatorPtr> others_;
  std::map<std::pair<const OperatorNode*, bool>, OperatorPtr> made_;
};

}  // namespace

void trust_order(KernelFunction& kernel) {
  const auto operators = operators_of(kernel.body);
  if (operators.empty() || kernel.index_bits != 32) return;
  llvm::SmallVector<Trusted, 2> found;
  Facts facts = facts_in(kernel);
  walk_with_facts(kernel.body, facts, [&](const Stmt& stmt, const Facts& known) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    if (const auto trusted = alloc ? ascending_update(*alloc, known) : std::nullopt)
      found.push_back(*trusted);
  });
  Operators made(operators);
  kernel.body = transform_stmts(kernel.body, [&](const Stmt& stmt) -> Stmt {
    for (const Trusted& trusted : found) {
      if (stmt.get() == trusted.init && trusted.start.defined())
        return Store::make(trusted.init->tensor, {}, Update::set, trusted.start);
      if (stmt.get() == trusted.update)
        return Store::make(trusted.update->tensor, trusted.update->indices, trusted.update->update,
                           trusted.update->value, made.of(trusted));
    }
    return {};
  });
}

}  // namespace hone
