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
// compares none, and asks lhs[].second == MAX: whether there is an element yet.

#include <cmath>
#include <limits>

#include "codegen/pass/passes.h"
#include "ir/equal.h"
#include "ir/fold.h"
#include "ir/polynomial.h"
#include "ir/rewriter.h"
#include "ir/scalar.h"
#include "ir/simplify.h"
#include "ir/visit.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {
namespace {

bool is_element_of(const Expr& expr, const TensorPtr& tensor) {
  const auto* load = llvm::dyn_cast<Load>(expr);
  return load && load->tensor == tensor;
}

/// An operator that keeps one of its operands, which are pairs: the right one where `condition`
/// holds, which compares an integer of both.
struct Choice {
  Expr condition, comparison;
  unsigned position;  ///< of the integers
  Expr none;          ///< the integer of the identity, which is the largest
};

/// rhs[].second < lhs[].second
bool prefers_smaller(const OperatorNode& op, const Expr& condition) {
  const auto* less = llvm::dyn_cast<Binary>(condition);
  if (!less || less->op != BinaryOp::lt) return false;
  const auto* rhs = llvm::dyn_cast<Component>(less->lhs);
  const auto* lhs = llvm::dyn_cast<Component>(less->rhs);
  return rhs && lhs && rhs->position == lhs->position && is_element_of(rhs->tuple, op.rhs) &&
         is_element_of(lhs->tuple, op.lhs);
}

Expr component_of(const Expr& value, unsigned position) {
  const auto* tuple = llvm::dyn_cast<MakeTuple>(value);
  return tuple ? tuple->components[position] : Expr();
}

/// True where a condition depends only on how its operands compare.
bool only_compares(const Expr& condition) {
  bool only = true;
  walk(condition, [&](const Expr& part) {
    const auto* unary = llvm::dyn_cast<Unary>(part);
    const auto* binary = llvm::dyn_cast<Binary>(part);
    only &= (!unary || unary->op == UnaryOp::logical_not) &&
            (!binary || is_comparison(binary->op) || is_logical(binary->op)) &&
            !llvm::isa<Cast, Call, Select>(part);
  });
  return only;
}

/// Values in every relation to the constants of a condition: below, equal, above, no number.
std::vector<double> values_around_constants(const Expr& condition) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> values = {-infinity, infinity, std::numeric_limits<double>::quiet_NaN()};
  walk(condition, [&](const Expr& part) {
    const auto constant = as_scalar(part);
    if (!constant || !is_float(constant->type)) return;
    const auto at = static_cast<float>(constant->real);
    const auto end = static_cast<float>(infinity);
    values.insert(values.end(), {std::nextafter(at, -end), at, std::nextafter(at, end)});
  });
  return values;
}

Expr with_comparison(const Choice& choice, bool holds) {
  return transform(choice.condition, [&](const Expr& part) {
    return equal(part, choice.comparison) ? Expr(holds) : Expr();
  });
}

/// True where the operator keeps any right operand beside the identity: an operator that compares
/// values as floats do might prefer the identity to a NaN.
bool replaces_identity(const OperatorNode& op, const Choice& choice) {
  bool is_float = true;
  const Expr first = transform(with_comparison(choice, true), [&](const Expr& part) -> Expr {
    const auto* component = llvm::dyn_cast<Component>(part);
    if (component && is_element_of(component->tuple, op.lhs))
      return component_of(op.identity, component->position);
    is_float &= !component || part.type() == f32;
    return {};
  });
  return is_float && only_compares(first) &&
         llvm::all_of(values_around_constants(first), [&](double value) {
           const auto result = as_scalar(folded(transform(first, [&](const Expr& part) {
             return llvm::isa<Component>(part) ? constant_of(Scalar::of_float(f32, value)) : Expr();
           })));
           return result && result->integer == 1;
         });
}

std::optional<Choice> choice_of(const OperatorNode& op) {
  const auto* select = llvm::dyn_cast<Select>(op.combined);
  const bool is_pair = component_count(op.lhs->type) == 2;
  if (!is_pair || !select || !is_element_of(select->if_true, op.rhs) ||
      !is_element_of(select->if_false, op.lhs))
    return std::nullopt;
  Choice choice{select->condition, {}, 0, {}};
  walk(select->condition, [&](const Expr& part) {
    if (prefers_smaller(op, part)) choice.comparison = part;
  });
  if (!choice.comparison.defined()) return std::nullopt;
  const auto& less = *llvm::cast<Binary>(choice.comparison);
  choice.position = llvm::cast<Component>(less.lhs)->position;
  choice.none = component_of(op.identity, choice.position);
  const bool is_largest = choice.none.defined() && choice.none.type() == i32 &&
                          as_int(choice.none) == std::numeric_limits<int32_t>::max();
  return is_largest && replaces_identity(op, choice) ? std::optional(choice) : std::nullopt;
}

OperatorPtr ascending(const OperatorNode& op, const Choice& choice, std::string name) {
  const Expr lhs = Load::make(op.lhs, {}), rhs = Load::make(op.rhs, {});
  const Expr is_better = with_comparison(choice, false);
  const Expr is_first = Component::make(lhs, choice.position) == choice.none;
  return make_operator(name, op.lhs, op.rhs,
                       Select::make(is_first || simplify(is_better), rhs, lhs), op.identity);
}

/// An update in registers of one thread, and the loops around it since the element was set.
struct Site {
  const Store* update = nullptr;
  llvm::SmallVector<const For*, 4> loops;
  llvm::SmallVector<const Let*, 4> lets;
};

bool stores_to(const Stmt& stmt, const TensorPtr& tensor) {
  bool found = false;
  walk(stmt, [&](const Stmt& nested) {
    const auto* store = llvm::dyn_cast<Store>(nested);
    found |= store && store->tensor == tensor;
  });
  return found;
}

/// Adds what is around the first store to `tensor`. False where a loop has another one, or is none
/// that runs in order.
bool find_first(const Stmt& stmt, const TensorPtr& tensor, Site& site) {
  if (const auto* store = llvm::dyn_cast<Store>(stmt)) {
    site.update = store;
    return store->tensor == tensor;
  }
  if (const auto* seq = llvm::dyn_cast<Seq>(stmt)) {
    const auto stores = [&](const Stmt& nested) { return stores_to(nested, tensor); };
    if (!site.loops.empty() && llvm::count_if(seq->stmts, stores) > 1) return false;
    const auto* first = llvm::find_if(seq->stmts, stores);
    return first != seq->stmts.end() && find_first(*first, tensor, site);
  }
  if (const auto* loop = llvm::dyn_cast<For>(stmt)) {
    const Binding::Kind kind = loop->binding.kind;
    site.loops.push_back(loop);
    return (kind == Binding::Kind::serial || kind == Binding::Kind::unroll) &&
           find_first(loop->body, tensor, site);
  }
  if (const auto* let = llvm::dyn_cast<Let>(stmt)) {
    site.lets.push_back(let);
    return find_first(let->body, tensor, site);
  }
  if (const auto* guard = llvm::dyn_cast<If>(stmt)) return find_first(guard->body, tensor, site);
  const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
  return alloc && find_first(alloc->body, tensor, site);
}

/// The integer that the update compares, over the axes of the loops; undefined where it is none
/// that the iteration decides alone.
Expr index_of(const Site& site, unsigned position) {
  const Expr component = component_of(site.update->value, position);
  const auto* cast = component.defined() ? llvm::dyn_cast<Cast>(component) : nullptr;
  if (!cast || cast->operand.type() != DType::index || reads_tensor(cast->operand)) return {};
  Expr index = cast->operand;
  for (const Let* let : llvm::reverse(site.lets)) {
    if (mentions(index, let->axis.get()) && reads_tensor(let->value)) return {};
    index = substitute(index, let->axis.get(), let->value);
  }
  return index;
}

bool has_fixed_extents(const Site& site) {
  return llvm::all_of(site.loops, [&](const For* loop) {
    return !reads_tensor(loop->extent) && llvm::none_of(site.loops, [&](const For* other) {
      return mentions(loop->extent, other->axis.get());
    }) && llvm::none_of(site.lets, [&](const Let* let) {
      return mentions(loop->extent, let->axis.get());
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

/// The update that comes first after `alloc` has set its element, if its indices grow.
const Store* ascending_update(const Alloc& alloc, const Facts& facts) {
  const auto* seq = llvm::dyn_cast<Seq>(alloc.body);
  if (alloc.tensor->scope != Scope::registers || alloc.tensor->rank() > 0 || !seq) return nullptr;
  const auto* first = llvm::dyn_cast<Store>(seq->stmts.front());
  if (!first || first->tensor != alloc.tensor || first->update != Update::set) return nullptr;
  Site site;
  const Stmt rest = Seq::make(llvm::ArrayRef<Stmt>(seq->stmts).drop_front());
  if (!find_first(rest, alloc.tensor, site) || !site.update->op || site.update->is_atomic)
    return nullptr;
  const auto choice = choice_of(*site.update->op);
  if (!choice || !equal(first->value, site.update->op->identity) || !has_fixed_extents(site))
    return nullptr;
  const Expr index = index_of(site, choice->position);
  return index.defined() && grows(index, site.loops, facts) ? site.update : nullptr;
}

std::string name_beside(const OperatorNode& op, llvm::ArrayRef<OperatorPtr> others) {
  std::string name = op.name + ".ascending";
  while (llvm::any_of(others, [&](const OperatorPtr& other) { return other->name == name; }))
    name += '_';
  return name;
}

}  // namespace

void trust_order(KernelFunction& kernel) {
  const auto operators = operators_of(kernel.body);
  if (operators.empty() || kernel.index_bits != 32) return;
  llvm::SmallVector<const Store*, 2> updates;
  Facts facts = facts_in(kernel);
  walk_with_facts(kernel.body, facts, [&](const Stmt& stmt, const Facts& known) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    const Store* update = alloc ? ascending_update(*alloc, known) : nullptr;
    if (update) updates.push_back(update);
  });
  llvm::DenseMap<const OperatorNode*, OperatorPtr> made;
  for (const Store* store : updates) {
    OperatorPtr& op = made[store->op.get()];
    if (!op) op = ascending(*store->op, *choice_of(*store->op), name_beside(*store->op, operators));
  }
  kernel.body = transform_stmts(kernel.body, [&](const Stmt& stmt) -> Stmt {
    const auto* store = llvm::dyn_cast<Store>(stmt);
    if (!store || !llvm::is_contained(updates, store)) return {};
    return Store::make(store->tensor, store->indices, store->update, store->value,
                       made[store->op.get()]);
  });
}

}  // namespace hone
