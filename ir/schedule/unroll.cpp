// unroll(axis), unroll(axis, count): the generated loop is unrolled, in full or `count` times.
//
//   for k in 0..8         =>     for k in 0..8 @unroll
//     body                         body
//
// A loop that indexes registers is unrolled in full already; that may be asked for once more.
//
// Preserves: everything; generated code carries `#pragma unroll`.

#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/analysis/accesses.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/budget.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/text/printer.h"

namespace hone {
namespace {

/// Registers have no addresses: what indexes them is unrolled in full.
void check_free_to_count(const Preconditions& check, const For& loop) {
  if (loop.binding.kind != Binding::Kind::unroll || loop.binding.count != 0) return;
  for (const MemoryAccess& access : collect_accesses(loop.body)) {
    const bool is_indexed = llvm::any_of(
        access.indices, [&](const Expr& index) { return mentions(index, loop.axis.get()); });
    if (access.tensor->scope == Scope::registers && is_indexed)
      check.refuse(access.statement.get(),
                   fmt::format("{} is unrolled in full, since it indexes {}, which lives in "
                               "registers",
                               loop.axis->name, access.tensor->name),
                   "registers have no addresses; split the axis first to unroll a part of it");
  }
}

}  // namespace

Rewrite unroll(const Function& function, const AxisPtr& axis, int64_t count) {
  // Preconditions
  const Preconditions check("unroll", function);
  if (count == 0 && check.find(axis).loop().binding.is_unrolled_in_full())
    return {function, {axis}, nullptr};
  check_free_to_count(check, check.find(axis).loop());
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
  Function result = rebind(function, loop, {Binding::Kind::unroll, 0, count});

  // Postcondition: a nest that an instruction computes is still what it computes.
  check_promises(check, function, result, &loop);
  return {std::move(result), {axis}, nullptr};
}

const Primitive unroll_primitive = {
    .name = "unroll",
    .arguments = {argument::axis, argument::count},
    .apply = [](const Function& f, const Step& s) { return unroll(f, s.axes[0], s.count); },
};

}  // namespace hone
