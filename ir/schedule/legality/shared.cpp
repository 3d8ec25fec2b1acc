#include "ir/schedule/legality/shared.h"

#include "fmt/format.h"
#include "ir/algebra/simplify.h"
#include "ir/core/layout.h"
#include "ir/core/layout_problem.h"
#include "ir/memory/shared_plan.h"
#include "ir/schedule/legality/axis_dependence.h"
#include "ir/target/alignment.h"
#include "ir/target/gpu_limits.h"
#include "ir/text/printer.h"
#include "ir/threads/roles.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// Refuses a size that is known at launch only.
void check_size(const Preconditions& check, const TensorNode& tensor, const StmtNode* culprit) {
  for (const Expr& extent : storage_shape(tensor))
    if (!as_int(extent))
      check.refuse(culprit,
                   fmt::format("{} is in shared memory, and its size depends on {}",
                               declaration(tensor), simplify(extent)),
                   "shared memory has the same size in every launch; split the axis by a constant "
                   "and cache under the outer part");
}

/// True where there is the room even if no two tensors have bytes in common.
bool fit_side_by_side(const Stmt& body, int64_t limit) {
  int64_t left = limit;
  walk(body, [&](const Stmt& stmt) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    if (!alloc || alloc->tensor->scope != Scope::shared || left < 0) return;
    const int64_t bytes = storage_bytes(*alloc->tensor), alignment = alignment_of(*alloc->tensor);
    left = bytes > left ? -1 : left - bytes - (alignment - 1);
  });
  return left >= 0;
}

}  // namespace

std::optional<TileProblem> problem_of_tiles(const For& loop) {
  std::optional<TileProblem> problem;
  std::optional<AxisDependence> dependence;
  walk(loop.body, [&](const Stmt& stmt) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    if (problem || !alloc || alloc->tensor->scope != Scope::shared) return;
    if (!dependence) dependence.emplace(loop);
    const std::string &tile = alloc->tensor->name, &axis = loop.axis->name;
    if (const Expr guard = dependence->guard_around(*alloc); guard.defined())
      problem = {stmt,
                 fmt::format("{} stands under {}, which differs between iterations of {}: the "
                             "threads of a block fill it together",
                             tile, guard, axis)};
    else if (dependence->reaches(*alloc->tensor))
      problem = {stmt,
                 fmt::format("{} holds what one iteration of {} touches, and the threads of a "
                             "block have one {} together: it would have to grow",
                             tile, axis, tile)};
  });
  return problem;
}

void check_tiles_of_threads(const Preconditions& check, const Function& result,
                            const StmtNode* culprit) {
  for (const For* loop : loops_of(result.body)) {
    if (!is_loop_in_block(*loop)) continue;
    if (const auto problem = problem_of_tiles(*loop))
      check.refuse(culprit ? culprit : problem->alloc.get(), problem->message,
                   "keep it in registers, or around the loops of threads");
  }
}

void check_shared_tile(const Preconditions& check, const StmtNode* culprit, const TensorNode& tile,
                       const std::string& what, const std::string& note) {
  if (tile.layout.row_pitch.defined())
    check.refuse(culprit, fmt::format("{} has a pitch of its own", tile.name),
                 "say pad: the elements between the rows");
  if (const auto problem = layout_problem(tile))
    check.refuse(culprit, fmt::format("the layout of {}: {}", tile.name, *problem));
  const int64_t bytes = storage_bytes(tile), limit = widest_architecture().shared_bytes_per_block;
  if (bytes > limit)
    check.refuse(
        culprit,
        fmt::format("{} takes {} bytes of shared memory, and no architecture gives a block "
                    "more than {}",
                    what, bytes, limit),
        note);
}

void check_shared_total(const Preconditions& check, const Function& result,
                        const StmtNode* culprit) {
  const int64_t limit = widest_architecture().shared_bytes_per_block;
  const int64_t phases = ring_phase_bytes(result.body);
  walk(result.body, [&](const Stmt& stmt) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    if (alloc && alloc->tensor->scope == Scope::shared)
      check_size(check, *alloc->tensor, culprit ? culprit : alloc);
  });
  if (fit_side_by_side(result.body, limit - phases)) return;
  const auto plan = plan_shared(result.body, facts_of(result.assumptions));
  for (const SharedPlace& place : plan) {
    if (place.beside.empty() || place.end() <= limit - phases) continue;
    llvm::SmallVector<std::string, 4> names;
    for (const size_t other : place.beside) names.push_back(plan[other].tensor->name);
    names.push_back(place.tensor->name);
    check.refuse(culprit,
                 fmt::format("{} take {} bytes of shared memory together, and no architecture "
                             "gives a block more than {}",
                             join_names(names), place.end() + phases, limit),
                 "cache under an inner axis, or split into smaller tiles");
  }
}

}  // namespace hone
