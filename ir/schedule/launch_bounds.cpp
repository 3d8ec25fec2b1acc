// launch_bounds(i, 2): a multiprocessor holds at least two blocks of the kernel of i.
//
//   for i in 0..N @block.x            for i in 0..N @block.x @resident(2)
//     for t in 0..1024 @thread.x  =>    for t in 0..1024 @thread.x
//       body                              body
//
// The kernel announces the number to its compiler, beside that of its threads: these get no more
// registers than so many blocks have at a time.
//
// Preserves: everything.

#include "fmt/format.h"
#include "ir/analysis/nests.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/threads/launch_shape.h"

namespace hone {
namespace {

/// A kernel has launch bounds once.
void check_is_new(const Preconditions& check, const Function& function, const For& loop) {
  for (const Stmt& nest : nests_of(function.body)) {
    const For* other = find_site(nest, &loop) ? loop_with_bounds(nest) : nullptr;
    if (other)
      check.refuse(other, fmt::format("a multiprocessor holds {} block{} of the kernel of {} "
                                      "already",
                                      resident_blocks(nest), resident_blocks(nest) == 1 ? "" : "s",
                                      other->axis->name));
  }
}

}  // namespace

Rewrite launch_bounds(const Function& function, const AxisPtr& axis, int64_t blocks) {
  // Preconditions
  const Preconditions check("launch_bounds", function);
  const For& loop = check.find(axis).loop();
  if (loop.binding.kind != Binding::Kind::block)
    check.refuse(&loop, fmt::format("{} is not bound to blocks", axis->name),
                 fmt::format("bind({}, block.x) first", axis->name));
  if (blocks < 1)
    check.refuse(&loop, fmt::format("a multiprocessor holds a block at least, not {}", blocks));
  check_is_new(check, function, loop);

  // Rewrite
  Function result = rebind(function, loop, loop.binding.with(attr::resident, blocks));

  // Postcondition: a multiprocessor has the room.
  check_promises(check, function, result, &loop);
  return {std::move(result), {axis}, nullptr};
}

// launch_early(): the kernels of a program overlap (programmatic dependent launch).
//
//   func f(A: ...) {       =>     func f(A: ...) @launch_early {
//
// Each kernel may start before the one before it has ended, be it of an earlier launch, and waits
// for that end before it does anything else: what a launch costs by itself goes on meanwhile.
//
// Preserves: everything.

Rewrite launch_early(const Function& function) {
  // Preconditions
  const Preconditions check("launch_early", function);
  if (function.launches_early)
    check.refuse(nullptr, fmt::format("the kernels of {} overlap already", function.name));

  // Rewrite
  Function result = function;
  result.launches_early = true;
  return {std::move(result), {}, nullptr};
}

const Primitive launch_bounds_primitive = {
    .name = "launch_bounds",
    .arguments = {argument::axis, argument::count},
    .apply = [](const Function& f, const Step& s) { return launch_bounds(f, s.axes[0], s.count); },
};

const Primitive launch_early_primitive = {
    .name = "launch_early",
    .apply = [](const Function& f, const Step&) { return launch_early(f); },
};

}  // namespace hone
