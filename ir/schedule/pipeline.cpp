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
#include "ir/rename.h"
#include "ir/rewriter.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/schedule/rewrite/rings.h"

namespace hone {
namespace {

void check_loop(const Preconditions& check, const For& loop, int64_t stages) {
  if (!loop.binding.is_serial() && !loop.binding.is_unrolled_in_full())
    check.refuse(&loop,
                 fmt::format("{} is bound to {}, and a pipeline goes through its iterations one "
                             "after the other",
                             loop.axis->name, to_string(loop.binding)),
                 "pipeline a loop inside of it, or before it is bound");
  if (stages < 2)
    check.refuse(&loop, fmt::format("a pipeline has 2 stages or more, got {}", stages),
                 "2: the next iteration's tiles are filled during this one");
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
  for (RingStage& stage : stages) {
    stage.ring = make_ring(check, loop, stage.tile, count);
    const auto copied_for = [&](const Expr& iteration, const Expr& slot) {
      return with_ring(substitute(stage.fill, axis.get(), iteration), stage, slot);
    };
    first.push_back(with_fresh_names(copied_for(early, early), ".ahead", names));
    later.push_back(copied_for(next, next % count));
  }
  for (const RingStage& stage : stages) rest = with_ring(rest, stage, current % count);
  Stmt fill = If::make(early < loop.extent, Seq::make(first));
  if (count > 2) fill = For::make(ahead, count - 1, {Binding::Kind::unroll}, fill);
  const Stmt body = Seq::make({If::make(next < loop.extent, Seq::make(later)), rest});
  Stmt result = Seq::make({fill, loop.with_body(body)});
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
