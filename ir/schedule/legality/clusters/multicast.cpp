#include "ir/schedule/legality/clusters/multicast.h"

#include "fmt/format.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/divisibility.h"
#include "ir/analysis/nests.h"
#include "ir/analysis/site.h"
#include "ir/memory/boxes.h"
#include "ir/target/gpu_limits.h"
#include "ir/text/printer.h"
#include "ir/threads/launch_shape.h"
#include "ir/threads/roles.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

class MulticastCheck {
 public:
  MulticastCheck(const Preconditions& check, const Function& function, const Copy& copy,
                 const StmtNode* culprit)
      : check_(check),
        copy_(copy),
        culprit_(culprit ? culprit : &copy),
        tile_(copy.destination.tensor->name),
        blocks_(copy.execution.blocks),
        site_(*find_site(function.body, &copy)) {
    site_.assumptions.assign(function.assumptions.begin(), function.assumptions.end());
  }

  void run(const Stmt& nest) const {
    check_cluster_size(check_, copy_, culprit_);
    check_others(nest);
    const For* loop = loop_over_block_x(site_);
    if (!loop)
      refuse(fmt::format("no loop around the copy of {} goes over block.x, which numbers the "
                         "blocks of a cluster",
                         tile_),
             "bind an axis to block.x first");
    check_clusters(*loop);
    check_equal(*loop);
    if (!dim_to_share(copy_, blocks_))
      refuse(fmt::format("{} blocks cannot share the box of {}: none of its dimensions has parts "
                         "that start where the copy engine wants them",
                         blocks_, tile_),
             "a tile whose rows are a multiple of 8 times the blocks");
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& note) const {
    check_.refuse(culprit_, what, note);
  }

  void check_others(const Stmt& nest) const {
    walk(nest, [&](const Stmt& stmt) {
      const auto* other = llvm::dyn_cast<Copy>(stmt);
      if (other && other->execution.blocks > 1 && other->execution.blocks != blocks_)
        refuse(
            fmt::format("{} is filled for {} blocks, and {} for {}: a kernel has clusters of "
                        "one size",
                        other->destination.tensor->name, other->execution.blocks, tile_, blocks_),
            fmt::format("{} for both", other->execution.blocks));
    });
    if (cluster_of(nest) > 1)
      refuse(fmt::format("loops of the kernel go over cluster.x, and {} is to be filled for blocks "
                         "with consecutive block.x",
                         tile_),
             "bind to block.x what is bound to cluster.x");
  }

  void check_clusters(const For& loop) const {
    if (divides(blocks_, loop.extent, site_.facts_around())) return;
    refuse(
        fmt::format("{} has {} iterations, which are not proved to be whole clusters of {} "
                    "blocks",
                    loop.axis->name, loop.extent, blocks_),
        fmt::format("split off {} blocks, and fuse them into the axis as the inner one", blocks_));
  }

  /// The blocks of a cluster do the same around the copy, and read the same.
  void check_equal(const For& loop) const {
    for (const Stmt& around : site_.around) {
      const auto* inner = llvm::dyn_cast<For>(around);
      if (inner && inner != &loop) check_equal(inner->extent, loop, "it is copied {} times");
      if (const auto* branch = llvm::dyn_cast<If>(around))
        check_equal(branch->condition, loop, "it is copied under {}");
    }
    for (const Range& range : copy_.source.ranges)
      check_equal(range.offset, loop, "its copy starts at {}");
    for (const Range& range : copy_.destination.ranges)
      check_equal(range.offset, loop, "its copy goes to {}");
  }

  void check_equal(const Expr& value, const For& loop, const char* what) const {
    if (is_equal_in_cluster(value, loop)) return;
    refuse(fmt::format("{}, which may differ between the {} blocks that fill {} for each other: {} "
                       "numbers them",
                       fmt::format(fmt::runtime(what), value), blocks_, tile_, loop.axis->name),
           "fuse the axis in which they differ into that of block.x as the inner one");
  }

  bool is_equal_in_cluster(const Expr& value, const For& loop) const {
    const AxisPtr cluster = make_variable(), block = make_variable();
    Facts facts = site_.facts_around();
    facts.add_axis(cluster, simplify(loop.extent / blocks_));
    facts.add_axis(block, blocks_);
    const Expr number = AxisRef::make(cluster) * blocks_ + AxisRef::make(block);
    return !mentions(simplify(substitute(value, loop.axis.get(), number), facts), block.get());
  }

  const Preconditions& check_;
  const Copy& copy_;
  const StmtNode* culprit_;
  const std::string& tile_;
  const int64_t blocks_;
  Site site_;
};

}  // namespace

void check_cluster_size(const Preconditions& check, const Copy& copy, const StmtNode* culprit) {
  const int64_t blocks = copy.execution.blocks, most = widest_architecture().blocks_per_cluster;
  if (blocks >= 2 && blocks <= most) return;
  check.refuse(culprit,
               fmt::format("{} is to be filled for {} blocks, and a cluster has 2 to {}",
                           copy.destination.tensor->name, blocks, most),
               "2");
}

void check_multicast(const Preconditions& check, const Function& result, const StmtNode* culprit) {
  for (const Stmt& nest : nests_of(result.body))
    walk(nest, [&](const Stmt& stmt) {
      const auto* copy = llvm::dyn_cast<Copy>(stmt);
      if (copy && copy->execution.blocks != 1)
        MulticastCheck(check, result, *copy, culprit).run(nest);
    });
}

}  // namespace hone
