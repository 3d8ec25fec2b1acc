// vectorize(axis): the iterations of a loop become one access of several elements.
//
//   for v in 0..4                          if (n*4 < N)            // N % 4 == 0 is assumed
//     if (n*4 + v < N)           =>          for v in 0..4 @vectorize
//       D[n*4 + v] = C[n*4 + v]                D[n*4 + v] = C[n*4 + v]
//
// A loop that is unrolled in full may become a vector too.
//
// Preserves: everything; it is proved that the elements lie side by side, that they are aligned,
// and that all iterations run or none does.

#include "fmt/format.h"
#include "ir/memory/vectors.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/preconditions.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/text/printer.h"
#include "ir/traverse/guards.h"

namespace hone {

Rewrite vectorize(const Function& function, const AxisPtr& axis) {
  // Preconditions
  const Preconditions check("vectorize", function);
  const Site site = check.find_unplaced(axis);
  const For& loop = site.loop();
  Facts facts = site.facts();

  // Rewrite
  Stmt body = loop.body;
  if (const auto count = as_int(loop.extent))
    body = with_uniform_conditions(body, {axis, *count}, facts);
  llvm::SmallVector<Expr, 2> guards;
  const auto* branch = llvm::dyn_cast<If>(body);
  for (; branch && !mentions(branch->condition, axis.get()); branch = llvm::dyn_cast<If>(body)) {
    guards.push_back(branch->condition);
    body = branch->body;
  }
  Stmt vector = For::make(axis, loop.extent, {Binding::Kind::vectorize, 0, 0}, body);
  for (const Expr& guard : guards) facts.assume(guard);

  // Postcondition
  const auto problem = vector_problem(*llvm::cast<For>(vector), facts, function.may_alias);
  if (problem) {
    const bool is_inside =
        !problem->statement.same_as(vector) &&
        find_stmt(loop.body, [&](const Stmt& stmt) { return stmt.same_as(problem->statement); });
    check.refuse(is_inside ? problem->statement.get() : &loop, problem->message, problem->note);
  }
  Function result = rebuild(function, &loop, guarded(guards, vector));
  check_promises(check, function, result, &loop);
  return {std::move(result), {axis}, nullptr};
}

const Primitive vectorize_primitive = {
    .name = "vectorize",
    .arguments = {argument::axis},
    .apply = [](const Function& f, const Step& s) { return vectorize(f, s.axes[0]); },
};

}  // namespace hone
