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
// All tiles that are filled at the start of the loop take part, by copies or by loops, up to one
// that is filled from another of them.
//
// pipeline(k, 1): registers are filled for the next iteration behind their last use.
//
//   reduce k in 0..n                          alloc T: f32[8, 4] @registers
//     alloc T: f32[8, 4] @registers           if (0 < n)
//     copy T[0 .. +8, 0 .. +4]                  copy T[0 .. +8, 0 .. +4] <- A[0 .. +8, 0 .. +4]
//       <- A[0 .. +8, k*4 .. +4]              reduce k in 0..n
//     for l in 0..4                             for l in 0..4
//       for i in 0..8                     =>      for i in 0..8
//         body(T[i, l])                             body(T[i, l])
//                                                   if (l == 3)
//                                                     if (k + 1 < n)
//                                                       copy T[i, 0 .. +4]
//                                                         <- A[i, k*4 + 4 .. +4]
//
// Preserves: everything. The loop writes no source of the copies, and no tile otherwise.

#include "fmt/format.h"
#include "ir/analysis/last_use.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/schedule/rewrite/rings.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

void check_loop(const Preconditions& check, const For& loop, int64_t stages) {
  if (!loop.binding.is_serial() && !loop.binding.is_unrolled_in_full())
    check.refuse(&loop,
                 fmt::format("{} is bound to {}, and a pipeline goes through its iterations one "
                             "after the other",
                             loop.axis->name, to_string(loop.binding)),
                 "pipeline a loop inside of it, or before it is bound");
  if (stages < 1)
    check.refuse(&loop, fmt::format("a pipeline has a stage or more, got {}", stages),
                 "2: the next iteration's tiles are filled during this one");
}

void check_registers(const Preconditions& check, llvm::ArrayRef<RingStage> stages) {
  for (const RingStage& stage : stages)
    if (stage.tile->scope != Scope::registers)
      check.refuse(stage.fill.get(),
                   fmt::format("{} lies in shared memory, and a pipeline of one stage fills "
                               "registers, each thread behind its own last use",
                               stage.tile->name),
                   "2 stages or more");
}

/// One stage: each tile is filled where it was used for the last time.
Stmt filled_in_place(const For& loop, llvm::ArrayRef<RingStage> stages, Stmt rest, Names& names) {
  const Expr next = AxisRef::make(loop.axis) + 1;
  llvm::SmallVector<Stmt, 2> first;
  for (const RingStage& stage : stages) {
    const auto filled_for = [&](const Expr& iteration) {
      return substitute(stage.fill, loop.axis.get(), iteration);
    };
    first.push_back(with_fresh_names(filled_for(0), ".ahead", names));
    const TileFill later{stage.tile, If::make(next < loop.extent, filled_for(next))};
    rest = with_fill_at(rest, last_use(rest, later), later);
  }
  return Seq::make({If::make(Expr(0) < loop.extent, Seq::make(first)), loop.with_body(rest)});
}

/// A ring for each tile, filled `count` - 1 iterations ahead.
Stmt filled_ahead(const For& loop, llvm::ArrayRef<RingStage> stages, Stmt rest, int64_t count,
                  Names& names) {
  const Expr current = AxisRef::make(loop.axis), next = current + (count - 1);
  const AxisPtr ahead = make_axis(names.fresh(loop.axis->name + ".ahead"), AxisKind::spatial);
  const Expr early = count == 2 ? Expr(0) : AxisRef::make(ahead);
  llvm::SmallVector<Stmt, 2> first, later;
  for (const RingStage& stage : stages) {
    const auto copied_for = [&](const Expr& iteration, const Expr& slot) {
      return with_ring(substitute(stage.fill, loop.axis.get(), iteration), stage, slot);
    };
    first.push_back(with_fresh_names(copied_for(early, early), ".ahead", names));
    later.push_back(copied_for(next, next % count));
  }
  for (const RingStage& stage : stages) rest = with_ring(rest, stage, current % count);
  Stmt fill = If::make(early < loop.extent, Seq::make(first));
  if (count > 2) fill = For::make(ahead, count - 1, {Binding::Kind::unroll}, fill);
  const Stmt body = Seq::make({If::make(next < loop.extent, Seq::make(later)), rest});
  return Seq::make({fill, loop.with_body(body)});
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
  if (count == 1) check_registers(check, stages);

  // Rewrite
  Names names(function);
  for (RingStage& stage : stages)
    stage.ring = count == 1 ? stage.tile : make_ring(check, loop, stage.tile, count);
  Stmt result = count == 1 ? filled_in_place(loop, stages, rest, names)
                           : filled_ahead(loop, stages, rest, count, names);
  for (const RingStage& stage : llvm::reverse(stages)) result = Alloc::make(stage.ring, result);
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
