// specialize(k, 4, {.producer_warps = 4}): warps of their own fill the tiles of a loop.
//
//   reduce k in 0..n                          alloc T: f32[4, 16] @shared
//     alloc T: f32[16] @shared                reduce k in 0..n @roles(4)
//     copy T[0 .. +16]                  =>      copy T[k % 4, 0 .. +16]
//       <- A[k*16 .. +16] @async                  <- A[k*16 .. +16] @async @by(producers)
//     body(T[i])                                body(T[k % 4, i])
//
// Of the copies at the start of the loop, they make those that are asynchronous. With
// CopyEngine::boxes they make the others too, as those of copy_bulk, by the copy engine:
//
//     copy T[...] <- A[...]             =>      copy T[k % 4, ...] <- A[...] @bulk @by(producers)
//
// Producers run ahead of the other warps, the consumers, as far as the ring has slots. Each slot
// has two mbarriers: consumers wait until it is full, and producers until it is empty again.
//
// Preserves: everything. The loop writes no source of the copies, and no tile otherwise; it comes
// to each block once, for all of its threads (legality/roles.h).

#include "fmt/format.h"
#include "ir/memory/boxes.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/schedule/rewrite/rings.h"
#include "ir/traverse/rename.h"

namespace hone {
namespace {

void check_slots(const Preconditions& check, const For& loop, int64_t slots) {
  if (slots < 1)
    check.refuse(&loop, fmt::format("rings have a stage or more, got {}", slots),
                 "4: producers are up to four iterations ahead");
}

/// The copies that producers make.
llvm::SmallVector<RingStage, 2> stages_for(CopyEngine engine, Stmt& rest) {
  return take_stages(rest, [&](const Stmt& fill) {
    const auto* copy = llvm::dyn_cast<Copy>(fill);
    const bool is_by_engine =
        engine == CopyEngine::boxes && copy && copy->destination.tensor->scope == Scope::shared;
    return is_by_engine || (copy && copy->is_async());
  });
}

/// The note where there are none.
const char* way_to_stages(const For& loop, CopyEngine engine) {
  if (uses_ring(loop)) return "it is pipelined already: a loop is pipelined or specialised";
  return engine == CopyEngine::boxes ? "cache_shared under it first"
                                     : "cache_shared under it and copy_async first";
}

/// The producers' copy into a slot of the stage's ring, which starts where the engine wants it. An
/// asynchronous copy stays one.
Stmt fill_by_producers(RingStage& stage, const Expr& slot) {
  const auto* copy = llvm::cast<Copy>(stage.fill);
  const CopyExecution execution = {
      .kind = CopyExecution::Kind::producers,
      .engine = copy->is_async() ? CopyEngine::async : CopyEngine::boxes};
  if (copy->is_async())
    return llvm::cast<Copy>(with_ring(stage.fill, stage, slot))->with_execution(execution);
  const Stmt moved = with_ring(
      Copy::make(copy->destination, copy->source, {.fill = copy->fill, .execution = execution}),
      stage, slot);
  const TensorPtr ring = stage.ring;
  stage.ring = with_alignment(*ring, alignment_for_boxes(*llvm::cast<Copy>(moved)));
  return replace_tensor(moved, ring.get(), stage.ring);
}

}  // namespace

Rewrite specialize(const Function& function, const AxisPtr& axis, int64_t slots,
                   const WarpRoles& roles, CopyEngine engine) {
  // Preconditions
  const Preconditions check("specialize", function);
  const For& loop = check.find_serial(axis).loop();
  check_slots(check, loop, slots);
  Stmt rest = loop.body;
  auto stages = stages_for(engine, rest);
  if (stages.empty())
    check.refuse(&loop,
                 fmt::format("no {} at the start of {}",
                             engine == CopyEngine::boxes ? "copy fills a tile in shared memory"
                                                         : "asynchronous copy fills a tile",
                             axis->name),
                 way_to_stages(loop, engine));
  check_stages(check, loop, stages, rest);

  // Rewrite
  const Expr slot = AxisRef::make(axis) % slots;
  llvm::SmallVector<Stmt, 3> body;
  for (RingStage& stage : stages) {
    stage.ring = make_ring(check, loop, stage.tile, slots);
    body.push_back(fill_by_producers(stage, slot));
  }
  for (const RingStage& stage : stages) rest = with_ring(rest, stage, slot);
  body.push_back(rest);
  Stmt result =
      For::make(axis, loop.extent, {.kind = Binding::Kind::roles, .roles = roles}, Seq::make(body));
  for (const RingStage& stage : llvm::reverse(stages)) result = Alloc::make(stage.ring, result);
  Function rewritten = rebuild(function, &loop, result);

  // Postcondition
  check_promises(check, function, rewritten, &loop);
  return {std::move(rewritten), {}, nullptr};
}

const Primitive specialize_primitive = {
    .name = "specialize",
    .arguments = {argument::axis, argument::count, argument::roles, argument::engine},
    .apply =
        [](const Function& f, const Step& s) {
          return specialize(f, s.axes[0], s.count, s.binding.roles, s.engine);
        },
};

}  // namespace hone
