// multicast(T, 2): blocks with consecutive numbers fill a tile for each other. Each asks the copy
// engine for its share of the box, which comes to all of them.
//
//   for b in 0..n*2 @block.x                        for b in 0..n*2 @block.x
//     reduce k in 0..K @roles(4)                      reduce k in 0..K @roles(4)
//       copy T[k % 4, ...] <- B[k*64, b / 2*256]        copy T[k % 4, ...] <- B[k*64, b / 2*256]
//         @by(producers)                        =>        @by(producers) @multicast(2)
//
// They are a cluster, whose consumers release a slot in all of its blocks.
//
// Preserves: everything. The copies of the blocks are equal, and they come to them together
// (legality/clusters/multicast.h).

#include "ir/schedule/legality/clusters/multicast.h"

#include "fmt/format.h"
#include "ir/analysis/site.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/traverse/rewriter.h"

namespace hone {

Rewrite multicast(const Function& function, const TensorPtr& tile, int64_t blocks) {
  // Preconditions
  const Preconditions check("multicast", function, tile);
  const auto fills = [&](const Stmt& stmt) {
    const auto* copy = llvm::dyn_cast<Copy>(stmt);
    return copy && copy->destination.tensor == tile && copy->source.tensor->scope == Scope::global;
  };
  const StmtNode* found = find_stmt(function.body, fills);
  if (!found)
    check.refuse(find_alloc(function.body, tile),
                 fmt::format("no copy fills {} from global memory", tile->name),
                 "cache_shared makes such a tile");
  const auto& copy = *llvm::cast<Copy>(found);
  if (!copy.is_by_producers() || !copy.moves_boxes())
    check.refuse(&copy,
                 fmt::format("{} is not filled by the copy engine for producers, which alone fills "
                             "tiles of several blocks",
                             tile->name),
                 "specialize with CopyEngine::boxes first");

  // Rewrite
  CopyExecution execution = copy.execution;
  execution.blocks = blocks;
  const Stmt shared = copy.with_execution(execution);
  check_cluster_size(check, *llvm::cast<Copy>(shared), found);
  Function result = rebuild(function, transform_stmts(function.body, [&](const Stmt& stmt) {
                              return stmt.get() == found ? shared : Stmt();
                            }));

  // Postcondition
  check_promises(check, function, result, found);
  return {std::move(result), {}, nullptr};
}

const Primitive multicast_primitive = {
    .name = "multicast",
    .arguments = {argument::tensor, argument::count},
    .apply = [](const Function& f, const Step& s) { return multicast(f, s.tensor, s.count); },
};

}  // namespace hone
