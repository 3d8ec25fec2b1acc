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
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/preconditions.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/threads/ordered.h"

namespace hone {

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
