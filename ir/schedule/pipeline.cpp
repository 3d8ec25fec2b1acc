// pipeline(k, 3): the tiles of a loop become rings of 3, and are filled 2 iterations ahead.
//
//   reduce k in 0..n                          alloc T: f32[3, 16] @shared
//     alloc T: f32[16] @shared                for k.ahead in 0..2 @unroll
//     copy T[0 .. +16] <- A[k*16 .. +16]        if (k.ahead < n)
//     body(T[i])                       =>         copy T[k.ahead, 0 .. +16] <- A[k.ahead*16 .. +16]
//                                             reduce k in 0..n
//                                               if (k + 2 < n)
//                                                 copy T[(k + 2) % 3, 0 .. +16]
//                                                   <- A[(k + 2)*16 .. +16]
//                                               body(T[k % 3, i])
//
// All tiles that are filled at the start of the loop take part, by copies or by loops.
//
// Preserves: everything. The loop writes no source of the copies, and no tile otherwise.

#include "fmt/format.h"
#include "ir/analysis/accesses.h"
#include "ir/layout.h"
#include "ir/rename.h"
#include "ir/rewriter.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/legality/shared.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/tensors.h"
#include "ir/text/printer.h"
#include "ir/visit.h"

namespace hone {
namespace {

/// A tile that is filled anew in each iteration, and the ring that takes its place.
struct Stage {
  TensorPtr tile, ring;
  Stmt fill;
};

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

/// The tiles that the loop fills first, outermost first; takes them off `body`.
llvm::SmallVector<Stage, 2> take_stages(Stmt& body) {
  llvm::SmallVector<Stage, 2> stages;
  while (const auto* alloc = llvm::dyn_cast<Alloc>(body)) {
    const Stmt fill = fill_of(*alloc);
    if (!fill.defined()) break;
    stages.push_back({alloc->tensor, nullptr, fill});
    const auto& seq = *llvm::cast<Seq>(alloc->body);
    body = Seq::make(llvm::ArrayRef<Stmt>(seq.stmts).drop_front());
  }
  return stages;
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

/// `stmt` with a slot of the ring in the place of the tile.
Stmt with_ring(const Stmt& stmt, const Stage& stage, const Expr& slot) {
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

void check_loop(const Preconditions& check, const For& loop, int64_t stages) {
  const bool is_in_full = loop.binding == Binding{Binding::Kind::unroll};
  if (!loop.binding.is_serial() && !is_in_full)
    check.refuse(&loop,
                 fmt::format("{} is bound to {}, and a pipeline goes through its iterations one "
                             "after the other",
                             loop.axis->name, to_string(loop.binding)),
                 "pipeline a loop inside of it, or before it is bound");
  if (stages < 2)
    check.refuse(&loop, fmt::format("a pipeline has 2 stages or more, got {}", stages),
                 "2: the next iteration's tiles are filled during this one");
}

/// The fills of later iterations find in their sources what they would have found there later, and
/// nothing but them writes a tile.
void check_stages(const Preconditions& check, const For& loop, llvm::ArrayRef<Stage> stages,
                  const Stmt& rest) {
  if (stages.empty())
    check.refuse(&loop, fmt::format("no tile is filled at the start of {}", loop.axis->name),
                 "cache_shared or cache_registers under it first");
  for (const Stage& stage : stages) {
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

}  // namespace

Rewrite pipeline(const Function& function, const AxisPtr& axis, int64_t count) {
  // Preconditions
  const Preconditions check("pipeline", function);
  const For& loop = check.find(axis).loop();
  check_loop(check, loop, count);
  Stmt rest = loop.body;
  auto stages = take_stages(rest);
  check_stages(check, loop, stages, rest);

  // Rewrite
  Names names(function);
  const Expr current = AxisRef::make(axis), next = current + (count - 1);
  const AxisPtr ahead = make_axis(names.fresh(axis->name + ".ahead"), AxisKind::spatial);
  const Expr early = count == 2 ? Expr(0) : AxisRef::make(ahead);
  llvm::SmallVector<Stmt, 2> first, later;
  for (Stage& stage : stages) {
    stage.ring = ring_of(*stage.tile, count);
    if (stage.ring->scope == Scope::shared)
      check_shared_tile(check, &loop, *stage.ring,
                        fmt::format("a ring of {} for {}", count, stage.tile->name),
                        "fewer stages, or smaller tiles");
    const auto copied_for = [&](const Expr& iteration, const Expr& slot) {
      return with_ring(substitute(stage.fill, axis.get(), iteration), stage, slot);
    };
    first.push_back(with_fresh_names(copied_for(early, early), ".ahead", names));
    later.push_back(copied_for(next, next % count));
  }
  for (const Stage& stage : stages) rest = with_ring(rest, stage, current % count);
  Stmt fill = If::make(early < loop.extent, Seq::make(first));
  if (count > 2) fill = For::make(ahead, count - 1, {Binding::Kind::unroll}, fill);
  const Stmt body = Seq::make({If::make(next < loop.extent, Seq::make(later)), rest});
  Stmt result = Seq::make({fill, loop.with_body(body)});
  for (const Stage& stage : llvm::reverse(stages)) result = Alloc::make(stage.ring, result);
  Function rewritten = rebuild(function, &loop, result);

  // Postcondition
  check_promises(check, function, rewritten, &loop);
  return {std::move(rewritten), {}, nullptr};
}

const Primitive pipeline_primitive = {
    .name = "pipeline",
    .arguments = {argument::axis, argument::count},
    .apply = [](const Function& f, const Step& s) { return pipeline(f, s.axes[0], s.count); },
};

}  // namespace hone
