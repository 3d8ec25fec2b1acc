#include "ir/schedule/vectors.h"

#include "fmt/format.h"
#include "ir/analysis/tiles.h"
#include "ir/analysis/vectors.h"
#include "ir/layout.h"
#include "ir/printer.h"
#include "ir/simplify.h"
#include "ir/visit.h"

namespace hone {
namespace {

/// Calls `use` on every statement with what holds around it.
void walk_with_facts(const Stmt& stmt, Facts& facts,
                     llvm::function_ref<void(const Stmt&, const Facts&)> use) {
  use(stmt, facts);
  const Facts::Mark mark = facts.mark();
  if (const auto* loop = llvm::dyn_cast<For>(stmt)) facts.add_axis(loop->axis, loop->extent);
  if (const auto* branch = llvm::dyn_cast<If>(stmt)) facts.assume(branch->condition);
  if (const auto* let = llvm::dyn_cast<Let>(stmt)) facts.define(let->axis, let->value);
  for_each_operand(
      stmt, [](const Expr&) {}, [&](const Stmt& nested) { walk_with_facts(nested, facts, use); });
  facts.rewind(mark);
}

/// The side whose elements must lie side by side: global memory before shared memory, and memory
/// before registers.
const Region& memory_side(const Copy& copy) {
  const Region &to = copy.destination, &from = copy.source;
  if (from.tensor->scope == Scope::global) return from;
  if (to.tensor->scope == Scope::global) return to;
  return from.tensor->scope == Scope::shared && to.tensor->scope == Scope::registers ? from : to;
}

Expr exists(const Region& region, llvm::ArrayRef<Expr> indices) {
  Expr condition = true;
  for (unsigned dim = 0; dim < indices.size(); ++dim)
    condition = condition && (indices[dim] >= 0 && indices[dim] < region.tensor->shape[dim]);
  return condition;
}

/// Which of the dimensions of a region, points left out, is number `dim` of its tensor; nothing for
/// a point.
std::optional<size_t> region_dim(const Region& region, int dim) {
  if (region.ranges[dim].is_point()) return std::nullopt;
  return llvm::count_if(llvm::makeArrayRef(region.ranges).take_front(dim),
                        [](const Range& range) { return !range.is_point(); });
}

struct Problem {
  std::string message, note;
};

/// One vector of a copy, as the loop over its elements.
std::optional<Problem> copy_problem(const Copy& copy, Facts facts, bool may_alias) {
  const Region& memory = memory_side(copy);
  const TensorNode& tensor = *memory.tensor;
  const auto extents = copy.destination.extents();
  const auto along = region_dim(memory, fastest_dim(tensor));
  if (!along)
    return Problem{fmt::format("the copy takes one element of each row of {}", tensor.name), ""};
  const auto length = as_int(extents[*along]);
  if (!length || *length % copy.vector != 0)
    return Problem{fmt::format("rows of {} elements of {} are no multiple of {}", extents[*along],
                               tensor.name, copy.vector),
                   ""};

  const AxisPtr lane = make_axis("lane", AxisKind::spatial);
  llvm::SmallVector<Expr, 4> position;
  for (size_t n = 0; n < extents.size(); ++n) {
    const AxisPtr axis = make_axis(fmt::format("dimension {}", n), AxisKind::spatial);
    facts.add_axis(axis, n == *along ? Expr(*length / copy.vector) : extents[n]);
    const Expr index = AxisRef::make(axis);
    position.push_back(n == *along ? index * copy.vector + AxisRef::make(lane) : index);
  }
  const auto to = indices_at(copy.destination, position), from = indices_at(copy.source, position);
  const Expr value =
      select(exists(copy.source, from), Load::make(copy.source.tensor, from), copy.fill);
  Facts inside = facts;
  inside.add_axis(lane, copy.vector);
  const Stmt element =
      simplify(If::make(exists(copy.destination, to),
                        Store::make(copy.destination.tensor, to, Update::set, value)),
               inside);
  const Stmt uniform = with_uniform_conditions(element, {lane, copy.vector}, facts);
  const Stmt loop = For::make(lane, copy.vector, {Binding::Kind::vectorize, 0, 0}, uniform);
  const auto problem = vector_problem(*llvm::cast<For>(loop), facts, may_alias);
  if (!problem) return std::nullopt;
  return Problem{fmt::format("{} cannot move {} elements at a time: {}", tensor.name, copy.vector,
                             problem->message),
                 problem->note};
}

}  // namespace

void check_vectors(const Preconditions& check, const Function& result, const StmtNode* culprit) {
  Facts facts = facts_of(result.assumptions);
  walk_with_facts(result.body, facts, [&](const Stmt& stmt, const Facts& around) {
    std::optional<Problem> problem;
    const auto* loop = llvm::dyn_cast<For>(stmt);
    if (loop && loop->binding.kind == Binding::Kind::vectorize)
      if (const auto found = vector_problem(*loop, around, result.may_alias))
        problem = {found->message, found->note};
    const auto* copy = llvm::dyn_cast<Copy>(stmt);
    if (copy && copy->vector > 1) problem = copy_problem(*copy, around, result.may_alias);
    if (problem) check.refuse(culprit, problem->message, problem->note);
  });
}

}  // namespace hone
