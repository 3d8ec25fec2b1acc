// tile({i, j}, {4, 8}): splits each axis and brings the outer loops outside.
//
//   for i in 0..M              for i.0 in 0..ceil(M / 4)
//     for j in 0..N     =>       for j.0 in 0..ceil(N / 8)
//       body(i, j)                 for i.1 in 0..4
//                                    for j.1 in 0..8
//                                      if (i.0*4 + i.1 < M && j.0*8 + j.1 < N)
//                                        body(i.0*4 + i.1, j.0*8 + j.1)
//
// Preserves: which iterations of the body run.

#include "fmt/format.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/preconditions.h"

namespace hone {

Rewrite tile(const Function& function, llvm::ArrayRef<AxisPtr> axes, llvm::ArrayRef<Expr> factors,
             Tail tail) {
  const Preconditions check("tile", function);
  if (axes.size() != factors.size())
    check.refuse(nullptr, fmt::format("{} axes are given {} factors", axes.size(), factors.size()));
  if (axes.empty()) check.refuse(nullptr, "no axes are given");
  for (size_t n = 0; n < axes.size(); ++n) {
    const Site site = check.find_unplaced(axes[n]);
    if (llvm::is_contained(axes.take_front(n), axes[n]))
      check.refuse(site.statement.get(), fmt::format("{} is given twice", axes[n]->name));
  }
  if (tail == Tail::peel)
    check.refuse(check.find(axes.front()).statement.get(),
                 "a peeled loop stands beside its main loop, so that the tiles would not be nested",
                 "split with {.tail = Tail::peel}, and reorder the main loops");
  try {
    Function result = function;
    llvm::SmallVector<AxisPtr, 4> outer, inner;
    for (size_t n = 0; n < axes.size(); ++n) {
      Rewrite step = split(result, axes[n], factors[n], tail);
      outer.push_back(step.axes[0]);
      inner.push_back(step.axes[1]);
      result = std::move(step.function);
    }
    llvm::SmallVector<AxisPtr, 4> order(outer);
    order.append(inner);
    return reorder(result, order);
  } catch (ScheduleError& error) {
    error.during("tile");
    throw;
  }
}

const Primitive tile_primitive = {
    .name = "tile",
    .arguments = {argument::axes, argument::factors, argument::split},
    .made = {.axes = Made::all},
    .apply = [](const Function& f, const Step& s) { return tile(f, s.axes, s.factors, s.tail); },
};

}  // namespace hone
