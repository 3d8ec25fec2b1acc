#include "ir/schedule/rewrite/rings.h"

#include "fmt/format.h"
#include "ir/analysis/accesses.h"
#include "ir/layout.h"
#include "ir/rename.h"
#include "ir/rewriter.h"
#include "ir/schedule/legality/shared.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/tensors.h"
#include "ir/text/printer.h"
#include "ir/visit.h"

namespace hone {
namespace {

/// True if all that the statement does is to set elements of the tile, from other tensors.
bool only_fills(const Stmt& stmt, const TensorPtr& tile) {
  bool fills = true;
  walk(stmt, [&](const Stmt& part) {
    const auto* store = llvm::dyn_cast<Store>(part);
    fills &= !store || store->update == Update::set;
    for_each_tensor(part, [&](const TensorPtr& tensor, TensorUse how) {
      fills &= (tensor == tile) == (how == TensorUse::writes);
    });
  });
  return fills;
}

/// The statement that fills the tile at the start of its life; none where the tile takes results
/// there.
Stmt fill_of(const Alloc& alloc) {
  const auto* seq = llvm::dyn_cast<Seq>(alloc.body);
  if (!seq) return {};
  const Stmt& first = seq->stmts.front();
  const Stmt rest = Seq::make(llvm::ArrayRef<Stmt>(seq->stmts).drop_front());
  const bool fills = writes(first, alloc.tensor) && only_fills(first, alloc.tensor);
  return fills && (llvm::isa<Copy>(first) || !writes(rest, alloc.tensor)) ? first : Stmt();
}

/// Dimension 0 counts the stages, and is the slowest one.
TensorPtr ring_of(const TensorNode& tile, int64_t count) {
  llvm::SmallVector<Expr, 4> shape = {count};
  llvm::append_range(shape, tile.shape);
  return make_form(tile, shape, tile.scope, with_slowest_dim(tile.layout));
}

Region in_slot(const Region& region, const TensorPtr& ring, const Expr& slot) {
  Region result{ring, {{slot}}};
  llvm::append_range(result.ranges, region.ranges);
  return result;
}

}  // namespace

llvm::SmallVector<RingStage, 2> take_stages(Stmt& body,
                                            llvm::function_ref<bool(const Stmt&)> takes) {
  llvm::SmallVector<RingStage, 2> stages;
  while (const auto* alloc = llvm::dyn_cast<Alloc>(body)) {
    const Stmt fill = fill_of(*alloc);
    if (!fill.defined() || !takes(fill)) break;
    stages.push_back({alloc->tensor, nullptr, fill});
    const auto& seq = *llvm::cast<Seq>(alloc->body);
    body = Seq::make(llvm::ArrayRef<Stmt>(seq.stmts).drop_front());
  }
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
  const Stmt redirected =
      redirect_accesses(stmt, stage.tile.get(), [&](llvm::ArrayRef<Expr> indices) -> TensorElement {
        llvm::SmallVector<Expr, 4> own = {slot};
        llvm::append_range(own, indices);
        return {stage.ring, own};
      });
  return transform_stmts(redirected, [&](const Stmt& part) {
    const auto* copy = llvm::dyn_cast<Copy>(part);
    if (!copy) return Stmt();
    const auto other = [&](const Region& region) {
      return region.tensor == stage.tile ? in_slot(region, stage.ring, slot) : region;
    };
    return copy->with_regions(other(copy->destination), other(copy->source));
  });
}

void check_stages(const Preconditions& check, const For& loop, llvm::ArrayRef<RingStage> stages,
                  const Stmt& rest) {
  if (stages.empty())
    check.refuse(&loop, fmt::format("no tile is filled at the start of {}", loop.axis->name),
                 "cache_shared or cache_registers under it first");
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
