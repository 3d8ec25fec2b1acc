// unroll(axis), unroll(axis, count): the generated loop is unrolled, in full or `count` times.
//
//   for k in 0..8         =>     for k in 0..8 @unroll
//     body                         body
//
// Preserves: everything; generated code carries `#pragma unroll`.

#include "fmt/format.h"
#include "ir/printer.h"
#include "ir/schedule/budget.h"
#include "ir/schedule/primitives.h"
#include "ir/schedule/rebuild.h"
#include "ir/schedule/site.h"

namespace hone {

Rewrite unroll(const Function& function, const AxisPtr& axis, int64_t count) {
  // Preconditions
  const Preconditions check("unroll", function);
  const Site site = check.find_serial(axis);
  const For& loop = site.loop();
  if (count < 0)
    check.refuse(&loop, fmt::format("the count must be positive, got {}", count),
                 "0, or no count, unrolls in full");
  const auto extent = as_int(loop.extent);
  if (count == 0 && !extent)
    check.refuse(
        &loop,
        fmt::format("{} has the extent {}, which is known at launch only", axis->name, loop.extent),
        "give a count, or split off a constant number of iterations");
  check_budget(check, site, count != 0 ? count : *extent);

  // Rewrite
  return {rebind(function, loop, {Binding::Kind::unroll, 0, count}), {axis}, nullptr};
}

}  // namespace hone
