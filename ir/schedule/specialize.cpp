// specialize(k, 4, {.producer_warps = 4}): warps of their own fill the tiles of a loop.
//
//   reduce k in 0..n                          alloc T: f32[4, 16] @shared
//     alloc T: f32[16] @shared                reduce k in 0..n @roles(4)
//     copy T[0 .. +16]                  =>      copy T[k % 4, 0 .. +16]
//       <- A[k*16 .. +16] @async                  <- A[k*16 .. +16] @async @by(producers)
//     body(T[i])                                body(T[k % 4, i])
//
// Producers run ahead of the other warps, the consumers, as far as the ring has slots. Each slot
// has two mbarriers: consumers wait until it is full, and producers until it is empty again.
//
// Preserves: everything. The loop writes no source of the copies, and no tile otherwise; it comes
// to each block once, for all of its threads (legality/roles.h).

#include "fmt/format.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/schedule/rewrite/rings.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

void check_slots(const Preconditions& check, const For& loop, int64_t slots) {
  if (slots < 1)
    check.refuse(&loop, fmt::format("rings have a stage or more, got {}", slots),
                 "4: producers are up to four iterations ahead");
}

bool is_async(const Stmt& fill) {
  const auto* copy = llvm::dyn_cast<Copy>(fill);
  return copy && copy->is_async();
}

}  // namespace

Rewrite specialize(const Function& function, const AxisPtr& axis, int64_t slots,
                   const WarpRoles& roles) {
  // Preconditions
  const Preconditions check("specialize", function);
  const For& loop = check.find_serial(axis).loop();
  check_slots(check, loop, slots);
  Stmt rest = loop.body;
  auto stages = take_stages(rest, is_async);
  if (stages.empty())
    check.refuse(&loop,
                 fmt::format("no asynchronous copy fills a tile at the start of {}", axis->name),
                 uses_ring(loop) ? "it is pipelined already: a loop is pipelined or specialised"
                                 : "cache_shared under it and copy_async first");
  check_stages(check, loop, stages, rest);

  // Rewrite
  const Expr slot = AxisRef::make(axis) % slots;
  llvm::SmallVector<Stmt, 3> body;
  for (RingStage& stage : stages) {
    stage.ring = make_ring(check, loop, stage.tile, slots);
    const Stmt fill = with_ring(stage.fill, stage, slot);
    body.push_back(llvm::cast<Copy>(fill)->with_execution(
        {.kind = CopyExecution::Kind::producers, .engine = CopyEngine::async}));
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
    .arguments = {argument::axis, argument::count, argument::roles},
    .apply = [](const Function& f,
                const Step& s) { return specialize(f, s.axes[0], s.count, s.binding.roles); },
};

}  // namespace hone
