#include "ir/schedule/legality/clusters/cluster.h"

#include "fmt/format.h"
#include "ir/analysis/nests.h"
#include "ir/analysis/site.h"
#include "ir/core/layout.h"
#include "ir/target/gpu_limits.h"
#include "ir/text/printer.h"
#include "ir/threads/launch_shape.h"
#include "ir/traverse/tensors.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// The first loop over the blocks of a cluster in a kernel; null where it has none.
const For* find_cluster(const Stmt& kernel) {
  for (const For* loop : loops_of(kernel))
    if (loop->binding.is_cluster()) return loop;
  return nullptr;
}

/// The reason that a loop of the kernel has no place beside the other one; empty where it has.
std::string problem_beside(const Stmt& stmt, const For& cluster) {
  const std::string blocks =
      fmt::format("{} goes over the blocks of a cluster", cluster.axis->name);
  const auto* loop = llvm::dyn_cast<For>(stmt);
  if (!loop) return "";
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

bool is_tile(const Stmt& stmt) {
  const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
  return alloc && alloc->tensor->scope == Scope::shared;
}

/// Each block has a tile of its own inside of a loop over blocks.
bool is_of_each_block(const Alloc& tile, const Stmt& kernel) {
  return llvm::any_of(loops_of(kernel), [&](const For* loop) {
    return loop->binding.is_cluster() && find_alloc(loop->body, tile.tensor);
  });
}

/// An engine moves elements of the tile.
bool moves_by_engine(const Stmt& stmt, const TensorPtr& tile) {
  const auto* copy = llvm::dyn_cast<Copy>(stmt);
  return copy && copy->uses_engine() && names_tensor(stmt, tile.get());
}

/// The reason that a tile has no parts in the blocks of a cluster; empty where it may have them.
std::string problem_of_parts(const TensorNode& tile, const Stmt& kernel) {
  const int64_t blocks = cluster_of(kernel);
  if (tile.rank() == 0) return fmt::format("{} has no dimension that numbers its parts", tile.name);
  if (!is_int(tile.shape.front(), blocks))
    return fmt::format("{} has {} parts, and the cluster has {} blocks", tile.name,
                       tile.shape.front(), blocks);
  const IndexDigit slowest = storage_digits(tile).front();
  if (slowest.dim != 0 || slowest.stride != 1 || slowest.count != 0)
    return fmt::format("{} has a part in each block of the cluster, which its layout takes apart",
                       tile.name);
  return "";
}

void check_tile(const Preconditions& check, const Alloc& tile, const Stmt& kernel,
                const StmtNode* culprit) {
  const auto refuse = [&](const StmtNode* stmt, const std::string& problem, const char* way_out) {
    if (!problem.empty()) check.refuse(culprit ? culprit : stmt, problem, way_out);
  };
  const For* cluster = find_cluster(kernel);
  const TensorNode& tensor = *tile.tensor;
  if (!tensor.is_in_parts) {
    if (!cluster || is_of_each_block(tile, kernel)) return;
    return refuse(&tile,
                  fmt::format("{} lies in the shared memory of one block, and {} goes over the "
                              "blocks of a cluster",
                              tensor.name, cluster->axis->name),
                  "a temporary whose outermost loop is bound to cluster.x has a part in each block "
                  "where compute_at places it");
  }
  if (!cluster)
    return refuse(&tile,
                  fmt::format("{} has parts in the blocks of a cluster, and no loop goes over them",
                              tensor.name),
                  "bind a loop to cluster.x");
  refuse(&tile, problem_of_parts(tensor, kernel), "its first dimension numbers the blocks");
  if (const StmtNode* move =
          find_stmt(kernel, [&](const Stmt& stmt) { return moves_by_engine(stmt, tile.tensor); }))
    refuse(move,
           fmt::format("{} has parts in the blocks of a cluster, and engines come to the memory of "
                       "one block",
                       tensor.name),
           "threads move its elements by loads and stores");
}

void check_tiles(const Preconditions& check, const Stmt& kernel, const StmtNode* culprit) {
  walk(kernel, [&](const Stmt& stmt) {
    if (is_tile(stmt)) check_tile(check, *llvm::cast<Alloc>(stmt), kernel, culprit);
  });
}

void check_kernel(const Preconditions& check, const Stmt& kernel, const StmtNode* culprit) {
  check_tiles(check, kernel, culprit);
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
