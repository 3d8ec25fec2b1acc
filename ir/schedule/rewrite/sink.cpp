#include "ir/schedule/rewrite/sink.h"

#include "ir/text/printer.h"
#include "ir/traverse/guards.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// The innermost guard around the loop at `site` that differs between threads; null where there is
/// none.
const If* divergent_guard(const Site& site) {
  for (const Stmt& stmt : llvm::reverse(site.around))
    if (const auto* guard = llvm::dyn_cast<If>(stmt);
        guard && differs_between_threads(guard->condition, site.around))
      return guard;
  return nullptr;
}

/// The guard on what stands beside the loop, and within it.
Stmt sunk(const If& guard, const For& loop) {
  return with_guard(guard.condition, guard.body, [&](const Stmt& stmt) {
    if (stmt.get() == &loop) return GuardPlace::around_body;
    const auto is_it = [&](const Stmt& part) { return part.get() == &loop; };
    return any_of(stmt, is_it) ? GuardPlace::inside : GuardPlace::around;
  });
}

}  // namespace

Function sink_thread_guards(const Preconditions& check, const Function& function,
                            const AxisPtr& axis) {
  const Site site = *find_site(function, axis.get());
  const If* guard = divergent_guard(site);
  if (!guard) return function;
  if (reads_tensor(guard->condition))
    check.refuse(guard,
                 fmt::format("threads of a block differ in {}, which cannot move inwards: it reads "
                             "a tensor",
                             guard->condition),
                 "the threads of a block fill a shared tile together");
  const Stmt body = replace(function.body, guard, sunk(*guard, site.loop()));
  return sink_thread_guards(check, function.with_body(body), axis);
}

}  // namespace hone
