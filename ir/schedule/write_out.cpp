// write_out(axis): the iterations of a loop as statements of their own.
//
//   for k in 0..3                C[i] += A[i, 0]
//     C[i] += A[i, k]     =>     C[i] += A[i, 1]
//                                C[i] += A[i, 2]
//
// Preserves: everything.

#include "fmt/format.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/budget.h"
#include "ir/schedule/legality/preconditions.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/text/printer.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"

namespace hone {

Rewrite write_out(const Function& function, const AxisPtr& axis) {
  // Preconditions
  const Preconditions check("write_out", function);
  const Site site = check.find_serial(axis);
  const For& loop = site.loop();
  const auto extent = as_int(loop.extent);
  if (!extent)
    check.refuse(
        &loop,
        fmt::format("{} has the extent {}, which is known at launch only", axis->name, loop.extent),
        "split off a constant number of iterations");
  check_budget(check, site, *extent);

  // Rewrite
  Names names(function);
  llvm::SmallVector<Stmt, 8> stmts;
  for (int64_t n = 0; n < *extent; ++n) {
    const Stmt iteration = substitute(loop.body, axis.get(), Expr(n));
    stmts.push_back(n == 0 ? iteration : with_fresh_names(iteration, fmt::format(".{}", n), names));
  }

  // Postcondition: `axis` is gone, and what is bound or vectorised around it may still be.
  Function result = rebuild(function, &loop, Seq::make(stmts));
  check_promises(check, function, result, &loop);
  return {std::move(result), {}, nullptr};
}

const Primitive write_out_primitive = {
    .name = "write_out",
    .arguments = {argument::axis},
    .apply = [](const Function& f, const Step& s) { return write_out(f, s.axes[0]); },
};

}  // namespace hone
