#include "tools/cli/judge/reference.h"

#include "ir/analysis/site.h"
#include "ir/core/error.h"
#include "ir/interpret/interpreter.h"
#include "ir/schedule/primitives.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// Rows that are computed together, from one row of the operand that they share.
constexpr int64_t rows_of_tile = 8;
/// As many iterations keep all cores busy.
constexpr int64_t enough_iterations = 64;

using Axes = llvm::SmallVector<AxisPtr, 4>;

/// The outermost loops, by their axes: those of the rewritten function are other nodes.
void append_nests(const Stmt& stmt, Axes& nests) {
  if (const auto* loop = llvm::dyn_cast<For>(stmt)) return nests.push_back(loop->axis);
  for_each_operand(
      stmt, [](const Expr&) {}, [&](const Stmt& nested) { append_nests(nested, nests); });
}

/// `rewrite` of the function, or the function itself where that is refused.
Function attempt(const Function& function, llvm::function_ref<Function(const Function&)> rewrite) {
  try {
    return rewrite(function);
  } catch (const ScheduleError&) {
    return function;
  }
}

Axes axes_of(llvm::ArrayRef<const For*> loops, AxisKind kind) {
  Axes axes;
  for (const For* loop : loops)
    if (loop->axis->kind == kind) axes.push_back(loop->axis);
  return axes;
}

/// Reductions go outside of the two innermost spatial loops, of which the outer one runs through a
/// few rows.
Function with_rows_together(const Function& function, llvm::ArrayRef<const For*> loops) {
  const Axes spatial = axes_of(loops, AxisKind::spatial);
  const Axes reductions = axes_of(loops, AxisKind::reduction);
  if (spatial.size() < 2 || reductions.empty()) return function;
  const Rewrite tiled = split(function, spatial[spatial.size() - 2], rows_of_tile, Tail::guard);
  Axes order{tiled.axes[0]};
  llvm::append_range(order, reductions);
  order.push_back(tiled.axes[1]);
  order.push_back(spatial.back());
  return reorder(tiled.function, order).function;
}

bool has_reduction(llvm::ArrayRef<const For*> loops) {
  return llvm::any_of(loops, [](const For* loop) { return loop->is_reduction(); });
}

/// The outermost spatial loop that has enough iterations runs on all cores, else the longest one;
/// where there are reductions, one around them.
Function with_parallel_loop(const Function& function, llvm::ArrayRef<const For*> loops,
                            const Sizes& sizes) {
  const For* best = nullptr;
  int64_t most = 0;
  for (const For* loop : loops) {
    const int64_t extent = std::min(evaluate(loop->extent, sizes), enough_iterations);
    const bool is_around = has_reduction(loops_of(loop->body)) || !has_reduction(loops);
    if (loop->is_reduction() || !is_around || extent <= most) continue;
    best = loop;
    most = extent;
  }
  return best ? bind(function, best->axis, {Binding::Kind::parallel}).function : function;
}

}  // namespace

Function spread_over_lanes(const Function& function) {
  constexpr int64_t lanes = 256;
  Axes nests;
  append_nests(function.body, nests);
  Function result = function;
  for (const AxisPtr& axis : nests) {
    const Rewrite halves = split(result, axis, lanes, Tail::guard);
    const Rewrite outer = bind(halves.function, halves.axes[0], {Binding::Kind::block});
    result = bind(outer.function, halves.axes[1], {Binding::Kind::thread}).function;
  }
  return result;
}

Function spread_over_host(const Function& function, const Sizes& sizes) {
  Axes nests;
  append_nests(function.body, nests);
  Function result = function;
  for (const AxisPtr& axis : nests) {
    const auto site = find_site(result, axis.get());
    const Stmt nest = site->statement;
    result =
        attempt(result, [&](const Function& f) { return with_rows_together(f, loops_of(nest)); });
  }
  Axes rewritten;
  append_nests(result.body, rewritten);
  for (const AxisPtr& axis : rewritten) {
    const Stmt nest = find_site(result, axis.get())->statement;
    result = attempt(
        result, [&](const Function& f) { return with_parallel_loop(f, loops_of(nest), sizes); });
  }
  return result;
}

}  // namespace hone
