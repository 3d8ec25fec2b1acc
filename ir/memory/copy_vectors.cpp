#include "ir/memory/copy_vectors.h"

#include "fmt/format.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/copy_sides.h"
#include "ir/analysis/tiles.h"
#include "ir/core/layout.h"
#include "ir/text/printer.h"

namespace hone {
namespace {

Expr exists(const Region& region, llvm::ArrayRef<Expr> indices) {
  Expr condition = true;
  for (unsigned dim = 0; dim < indices.size(); ++dim)
    condition = condition && (indices[dim] >= 0 && indices[dim] < region.tensor->shape[dim]);
  return condition;
}

/// One vector of a copy whose rows are whole vectors, anywhere in the copy. Messages show the
/// names.
struct CopyVector {
  Facts facts;  ///< around it
  Lanes lanes;
  llvm::SmallVector<Expr, 4> to, from;

  CopyVector(const Copy& copy, Facts around)
      : facts(std::move(around)), lanes{make_axis(".lane", AxisKind::spatial), copy.vector} {
    const auto extents = copy.destination.extents();
    const size_t along = *vector_dim(copy);
    llvm::SmallVector<Expr, 4> position;
    for (size_t n = 0; n < extents.size(); ++n) {
      const std::string name = n == along ? ".vector" : fmt::format(".{}", n);
      const AxisPtr axis = make_axis(name, AxisKind::spatial);
      facts.add_axis(axis, n == along ? Expr(*as_int(extents[n]) / copy.vector) : extents[n]);
      const Expr index = AxisRef::make(axis);
      position.push_back(n == along ? index * copy.vector + AxisRef::make(lanes.axis) : index);
    }
    to = indices_at(copy.destination, position);
    from = indices_at(copy.source, position);
  }

  /// The loop over its elements.
  Stmt loop(const Copy& copy) const {
    const Expr element = Load::make(copy.source.tensor, from);
    const Expr value = select(exists(copy.source, from), element, copy.fill);
    Facts inside = facts;
    inside.add_axis(lanes.axis, lanes.count);
    const Stmt store =
        simplify(If::make(exists(copy.destination, to),
                          Store::make(copy.destination.tensor, to, Update::set, value)),
                 inside);
    const Stmt uniform = with_uniform_conditions(store, lanes, facts);
    return For::make(lanes.axis, lanes.count, {Binding::Kind::vectorize}, uniform);
  }
};

/// True where a condition of the loop over a vector differs between its elements.
bool is_cut(const Stmt& stmt, const AxisNode* lane) {
  if (const auto* loop = llvm::dyn_cast<For>(stmt)) return is_cut(loop->body, lane);
  if (const auto* guard = llvm::dyn_cast<If>(stmt))
    return mentions(guard->condition, lane) || is_cut(guard->body, lane);
  const auto* choice = llvm::dyn_cast<Select>(llvm::cast<Store>(stmt)->value);
  return choice && mentions(choice->condition, lane);
}

bool is_contiguous(const TensorNode& tensor, llvm::ArrayRef<Expr> indices,
                   const CopyVector& vector) {
  return tensor.scope == Scope::registers ||
         lane_access(tensor, indices, vector.lanes, vector.facts).form ==
             LaneAccess::Form::contiguous;
}

}  // namespace

std::optional<CopyProblem> vector_problem(const Copy& copy, const Facts& facts, bool may_alias) {
  const TensorNode& tensor = *memory_side(copy).tensor;
  const auto refusal = [&](const std::string& why, std::string note = "") {
    return CopyProblem{
        fmt::format("{} cannot move {} elements at a time: {}", tensor.name, copy.vector, why),
        std::move(note)};
  };
  const auto along = vector_dim(copy);
  if (!along) return refusal("the copy takes one element of each row");
  const Expr extent = copy.destination.extents()[*along];
  if (!as_int(extent) || *as_int(extent) % copy.vector != 0)
    return refusal(fmt::format("the copy takes {} elements of each row", extent));
  const CopyVector vector(copy, facts);
  const Stmt loop = vector.loop(copy);
  const auto problem = vector_problem(*llvm::cast<For>(loop), vector.facts, may_alias);
  if (problem) return refusal(problem->message, problem->note);
  if (is_cut(loop, vector.lanes.axis.get()))
    return refusal(fmt::format("some of them may lie outside of {}, and others inside",
                               copy.source.tensor->name),
                   "split by a number that divides the rows of the tile");
  return std::nullopt;
}

bool has_vectors_on_both_sides(const Copy& copy, const Facts& facts) {
  const CopyVector vector(copy, facts);
  return is_contiguous(*copy.destination.tensor, vector.to, vector) &&
         is_contiguous(*copy.source.tensor, vector.from, vector);
}

}  // namespace hone
