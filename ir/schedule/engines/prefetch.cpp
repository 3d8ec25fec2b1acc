// prefetch(k): consumers fill registers for the next iteration during this one.
//
//   reduce k in 0..n @roles(1)                reduce k in 0..n @roles(1) @prefetch
//     copy T[k % 4, 0 .. +16]                   copy T[k % 4, 0 .. +16]
//       <- A[k*16 .. +16] @by(producers)          <- A[k*16 .. +16] @by(producers)
//     alloc T.reg: f32[4] @registers      =>    alloc T.reg: f32[4] @registers
//     copy T.reg[0 .. +4] <- T[k % 4, ...]      copy T.reg[0 .. +4] <- T[k % 4, ...]
//     body(T.reg[i])                            body(T.reg[i])
//
// Lowering moves these fills, and the wait for their slot, to where the registers were used for the
// last time (codegen/pass/consumers.h). prefetch(k, 4), @prefetch(4), tests the slot's mbarrier
// four turns of the loop inside before the wait, which then is for slots that were not full yet.
//
// Preserves: everything. The loop writes nothing that the fills read, but for its rings.

#include "fmt/format.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/threads/roles.h"

namespace hone {

Rewrite prefetch(const Function& function, const AxisPtr& axis, int64_t tests_ahead) {
  // Preconditions
  const Preconditions check("prefetch", function);
  const For& loop = check.find(axis).loop();
  if (!has_roles(loop))
    check.refuse(
        &loop,
        fmt::format("{} has no producers, which fill the slot of its next iteration", axis->name),
        fmt::format("specialize({0}) comes first; a pipeline fills ahead by itself", axis->name));
  if (loop.binding.has(attr::prefetch))
    check.refuse(&loop, fmt::format("the registers of {} are filled ahead already", axis->name));

  // Rewrite
  Function rewritten = rebind(function, loop, loop.binding.with(attr::prefetch, tests_ahead));

  // Postcondition
  check_promises(check, function, rewritten, &loop);
  return {std::move(rewritten), {axis}, nullptr};
}

const Primitive prefetch_primitive = {
    .name = "prefetch",
    .arguments = {argument::axis, argument::any_count},
    .apply = [](const Function& f, const Step& s) { return prefetch(f, s.axes[0], s.count); },
};

}  // namespace hone
