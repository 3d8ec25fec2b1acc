#include "ir/schedule/rewrite/rings.h"

#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/analysis/accesses.h"
#include "ir/analysis/last_use.h"
#include "ir/core/layout.h"
#include "ir/schedule/legality/shared.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/tensors.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// Dimension 0 counts the stages, and is the slowest one.
TensorPtr ring_of(const TensorNode& tile, int64_t count) {
  llvm::SmallVector<Expr, 4> shape = {count};
  llvm::append_range(shape, tile.shape);
  return make_form(tile, shape, tile.scope, with_slowest_dim(tile.layout));
}

}  // namespace

llvm::SmallVector<RingStage, 2> take_stages(Stmt& body,
                                            llvm::function_ref<bool(const Stmt&)> takes) {
  llvm::SmallVector<TensorPtr, 2> tiles;
  const auto is_stage = [&](const TileFill& fill, const Stmt& rest) {
    const bool reads_another =
        llvm::any_of(tiles, [&](const TensorPtr& tile) { return touches(fill.fill, tile); });
    if (reads_another || !takes(fill.fill)) return false;
    tiles.push_back(fill.tile);
    return llvm::isa<Copy>(fill.fill) || !writes(rest, fill.tile);
  };
  llvm::SmallVector<RingStage, 2> stages;
  for (const TileFill& fill : take_fills(body, is_stage))
    stages.push_back({fill.tile, nullptr, fill.fill});
  return stages;
}

TensorPtr make_ring(const Preconditions& check, const For& loop, const TensorPtr& tile,
                    int64_t slots) {
  TensorPtr ring = ring_of(*tile, slots);
  if (ring->scope == Scope::shared)
    check_shared_tile(check, &loop, *ring, fmt::format("a ring of {} for {}", slots, tile->name),
                      "fewer stages, or smaller tiles");
  return ring;
}

Stmt with_ring(const Stmt& stmt, const RingStage& stage, const Expr& slot) {
  return redirect_to_slot(stmt, stage.tile, stage.ring, slot);
}

bool uses_ring(const For& loop) {
  return llvm::any_of(collect_accesses(loop.body), [&](const MemoryAccess& access) {
    if (access.indices.empty() || access.tensor->scope == Scope::global) return false;
    const auto* slot = llvm::dyn_cast<Binary>(access.indices.front());
    return slot && slot->op == BinaryOp::mod && equal(slot->rhs, access.tensor->shape.front()) &&
           mentions(slot->lhs, loop.axis.get());
  });
}

void check_stages(const Preconditions& check, const For& loop, llvm::ArrayRef<RingStage> stages,
                  const Stmt& rest) {
  if (stages.empty())
    check.refuse(&loop, fmt::format("no tile is filled at the start of {}", loop.axis->name),
                 uses_ring(loop) ? "it goes through the slots of a ring: it is pipelined already"
                                 : "cache_shared or cache_registers under it first");
  for (const RingStage& stage : stages) {
    walk(stage.fill, [&](const Stmt& part) {
      for_each_tensor(part, [&](const TensorPtr& source, TensorUse how) {
        if (how == TensorUse::reads && writes(loop.body, source))
          check.refuse(part.get(),
                       fmt::format("{} is written in {}, and copies would read it iterations "
                                   "earlier",
                                   source->name, loop.axis->name),
                       "pipeline a loop that only reads what its tiles hold");
      });
    });
    if (writes(rest, stage.tile))
      check.refuse(stage.fill.get(),
                   fmt::format("{} is written beside the copy that fills it", stage.tile->name),
                   "a tile that takes results is no stage of a pipeline");
  }
}

}  // namespace hone
