// unroll(axis), unroll(axis, count): the generated loop is unrolled, in full or `count` times.
//
//   for k in 0..8         =>     for k in 0..8 @unroll
//     body                         body
//
// A loop that indexes registers is unrolled in full already; that may be asked for once more.
//
// Preserves: everything; generated code carries `#pragma unroll`.
//
// keep_order(k): the products and loads of an unrolled loop reach the machine code in the order of
// the text.
//
//   reduce k in 0..16 @unroll          reduce k in 0..16 @unroll @ordered
//     T.reg[0 .. +4] = T[k, ..]    =>    T.reg[0 .. +4] = T[k, ..]
//     for i in 0..4 @unroll              for i in 0..4 @unroll
//       C.reg[i] += a * T.reg[i]           C.reg[i] += a * T.reg[i]
//
// Compilers order independent instructions as they see fit, and choose banks of registers for that
// order. Ordered are sums of products of floats in registers, and loads from shared memory to
// registers: each is one instruction, which the compiler leaves in its place. The kernel's machine
// code is made with ptxas -O1, which leaves the order alone.
//
// Preserves: everything.

#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/analysis/accesses.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/budget.h"
#include "ir/schedule/legality/preconditions.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/text/printer.h"
#include "ir/threads/ordered.h"

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
    .arguments = {argument::axis, argument::any_count},
    .apply = [](const Function& f, const Step& s) { return unroll(f, s.axes[0], s.count); },
};

Rewrite keep_order(const Function& function, const AxisPtr& axis) {
  // Preconditions
  const Preconditions check("keep_order", function);
  const For& loop = check.find(axis).loop();
  if (loop.binding.has(attr::ordered))
    check.refuse(&loop, fmt::format("the statements of {} keep their order already", axis->name));
  if (!loop.binding.is_unrolled_in_full())
    check.refuse(&loop,
                 fmt::format("{} is not unrolled in full, and its statements stand in the machine "
                             "code once for several iterations",
                             axis->name),
                 fmt::format("unroll({}) first", axis->name));
  if (!has_ordered_statements(loop.body))
    check.refuse(&loop,
                 fmt::format("{} sums no products of f32 or f64 in registers, and loads none of "
                             "these from shared memory to registers",
                             axis->name),
                 "cache_registers of the result and of the operands first");

  // Rewrite
  return {rebind(function, loop, loop.binding.with(attr::ordered)), {axis}, nullptr};
}

const Primitive keep_order_primitive = {
    .name = "keep_order",
    .arguments = {argument::axis},
    .apply = [](const Function& f, const Step& s) { return keep_order(f, s.axes[0]); },
};

}  // namespace hone
