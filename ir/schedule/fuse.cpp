// fuse(outer, inner): two nested loops become one.
//
//   for i in 0..M                for i_j in 0..M*N
//     if (guard(i))       =>       if (guard(i_j / N))
//       for j in 0..N                body(i_j / N, i_j % N)
//         body(i, j)
//
// Preserves: which iterations of the body run, and their order.

#include "fmt/format.h"
#include "ir/analysis/dependence.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/preconditions.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/text/printer.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

/// The loop under `body` that has `axis`, when only guards stand between; null otherwise.
const For* only_loop(const Stmt& body, const AxisPtr& axis) {
  if (const auto* branch = llvm::dyn_cast<If>(body)) return only_loop(branch->body, axis);
  const auto* loop = llvm::dyn_cast<For>(body);
  return loop && loop->axis == axis ? loop : nullptr;
}

void check_order(const Preconditions& check, const For& outer, const For& inner) {
  if (!find_site(inner.body, &outer)) return;
  check.refuse(
      &inner, fmt::format("{} stands inside {}", outer.axis->name, inner.axis->name),
      fmt::format("the outer axis comes first: fuse({}, {})", inner.axis->name, outer.axis->name));
}

/// The guards between the loops are evaluated again for every iteration.
void check_guards(const Preconditions& check, const For& outer, const For& inner) {
  const Accesses accesses = collect_accesses(inner.body);
  Stmt stmt = outer.body;
  while (const auto* branch = llvm::dyn_cast<If>(stmt)) {
    if (const MemoryAccess* change = find_change(branch->condition, accesses))
      check.refuse(
          change->statement.get(),
          fmt::format("the guard {} stands between {} and {}, and {} changes what it reads",
                      branch->condition, outer.axis->name, inner.axis->name, change->text()));
    stmt = branch->body;
  }
}

void check_size(const Preconditions& check, const For& outer, const For& inner) {
  const int64_t outer_extent = as_int(outer.extent).value_or(1);
  const int64_t inner_extent = as_int(inner.extent).value_or(1);
  int64_t product = 0;
  if (__builtin_mul_overflow(outer_extent, inner_extent, &product))
    check.refuse(&outer, fmt::format("the extents {} and {} multiply to more than 63 bits hold",
                                     outer_extent, inner_extent));
}

llvm::StringRef noun(AxisKind kind) {
  return kind == AxisKind::reduction ? "a reduction axis" : "a spatial axis";
}

}  // namespace

Rewrite fuse(const Function& function, const AxisPtr& outer, const AxisPtr& inner) {
  // Preconditions
  const Preconditions check("fuse", function);
  const Site outer_site = check.find_serial(outer), inner_site = check.find_serial(inner);
  const For& outer_loop = outer_site.loop();
  const For& inner_loop = inner_site.loop();
  check_order(check, outer_loop, inner_loop);
  if (only_loop(outer_loop.body, inner) != &inner_loop)
    check.refuse(&outer_loop,
                 fmt::format("{} is not the only statement of {}", inner->name, outer->name),
                 "fuse takes two loops of which one directly encloses the other; "
                 "reorder or fission brings them together");
  if (outer->kind != inner->kind)
    check.refuse(&outer_loop,
                 fmt::format("{} is {} and {} is {}", outer->name, noun(outer->kind).str(),
                             inner->name, noun(inner->kind).str()),
                 "only axes of one kind fuse");
  check_guards(check, outer_loop, inner_loop);
  check_size(check, outer_loop, inner_loop);

  // Rewrite
  const AxisPtr fused = make_fused_axis(Names(function).fresh(outer->name + "_" + inner->name),
                                        outer, inner, as_int(inner_loop.extent));
  const Expr index = AxisRef::make(fused);
  Stmt body = replace(outer_loop.body, &inner_loop, inner_loop.body);
  body = substitute(body, outer.get(), index / inner_loop.extent);
  body = substitute(body, inner.get(), index % inner_loop.extent);
  const Stmt nest = For::make(fused, outer_loop.extent * inner_loop.extent, {}, body);

  // Postcondition: both axes are gone, and what is bound or vectorised inside may still be.
  Function result = rebuild(function, &outer_loop, nest);
  check_promises(check, function, result, &outer_loop);
  return {std::move(result), {fused}, nullptr};
}

const Primitive fuse_primitive = {
    .name = "fuse",
    .arguments = {argument::two_axes, argument::fuse},
    .made = {.axes = 1},
    .apply = [](const Function& f, const Step& s) { return fuse(f, s.axes[0], s.axes[1]); },
};

}  // namespace hone
