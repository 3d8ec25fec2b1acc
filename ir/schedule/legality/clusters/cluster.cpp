#include "ir/schedule/legality/clusters/cluster.h"

#include "fmt/format.h"
#include "ir/analysis/nests.h"
#include "ir/target/gpu_limits.h"
#include "ir/text/printer.h"
#include "ir/threads/launch_shape.h"
#include "ir/threads/roles.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// The first loop over the blocks of a cluster in a kernel; null where it has none.
const For* find_cluster(const Stmt& kernel) {
  for (const For* loop : loops_of(kernel))
    if (loop->binding.is_cluster()) return loop;
  return nullptr;
}

/// The reason that a statement of the kernel has no place beside the loop; empty where it has.
std::string problem_beside(const Stmt& stmt, const For& cluster) {
  const std::string blocks =
      fmt::format("{} goes over the blocks of a cluster", cluster.axis->name);
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
      alloc && alloc->tensor->scope == Scope::shared)
    return fmt::format("{} lies in the shared memory of one block, and {}", alloc->tensor->name,
                       blocks);
  const auto* loop = llvm::dyn_cast<For>(stmt);
  if (!loop) return "";
  if (has_roles(*loop)) return fmt::format("{} has producers, and {}", loop->axis->name, blocks);
  if (loop->binding.kind == Binding::Kind::block && loop->binding.combine)
    return fmt::format("{} combines over {}, and {}", loop->axis->name, to_string(loop->binding),
                       blocks);
  return "";
}

/// Threads combine in the memory of their own block, so that each block has to.
bool combines_outside(const For& loop, const Stmt& kernel) {
  const CombineLevels& levels = loop.binding.combine;
  if (!levels.is_exchange() || levels.is_of_cluster()) return false;
  return llvm::none_of(loops_of(kernel), [&](const For* around) {
    return around->binding.is_cluster() && llvm::is_contained(loops_of(around->body), &loop);
  });
}

void check_kernel(const Preconditions& check, const Stmt& kernel, const StmtNode* culprit) {
  const For* cluster = find_cluster(kernel);
  if (!cluster) return;
  walk(kernel, [&](const Stmt& stmt) {
    if (const std::string problem = problem_beside(stmt, *cluster); !problem.empty())
      check.refuse(culprit ? culprit : stmt.get(), problem,
                   "blocks of a cluster share the results of reductions alone");
  });
  for (const For* loop : loops_of(kernel))
    if (combines_outside(*loop, kernel))
      check.refuse(culprit ? culprit : loop,
                   fmt::format("threads combine over {} outside of the loops over the blocks of a "
                               "cluster, and {} is one",
                               loop->axis->name, cluster->axis->name),
                   "bind the reduction's outer part to cluster.x first");
}

}  // namespace

void check_cluster_size(const Preconditions& check, const For& loop) {
  const auto extent = as_int(loop.extent);
  const int64_t most = widest_architecture().blocks_per_cluster;
  if (!extent)
    check.refuse(&loop,
                 fmt::format("{} has the extent {}, which is known at launch only, and a cluster "
                             "has a constant number of blocks",
                             loop.axis->name, loop.extent),
                 "split off a constant number of iterations");
  if (*extent > most)
    check.refuse(&loop,
                 fmt::format("{} has the extent {}, and cluster.x takes at most {}",
                             loop.axis->name, *extent, most),
                 "split it first");
}

void check_clusters(const Preconditions& check, const Function& result, const StmtNode* culprit) {
  for (const Stmt& kernel : nests_of(result.body)) check_kernel(check, kernel, culprit);
}

}  // namespace hone
