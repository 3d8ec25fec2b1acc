// serpentine(i, {j}): a loop inside of i runs backwards in every second iteration of it.
//
//   for i in 0..8                     for i in 0..8
//     for j in 0..16          =>        for j in 0..16
//       C[i, j] += a[i] * b[j]            let j.turn = select(i % 2 == 0, j, 15 - j)
//                                         C[i, j.turn] += a[i] * b[j.turn]
//
// An iteration of i begins where the one before has ended: elements that both use are at hand.
//
// Preserves: which iterations run. Iterations of j touch different elements, or combine into one by
// the same operator (for floats, the rounding changes).

#include "fmt/format.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/independence.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

void check_turns(const Preconditions& check, const For& outer, const Site& site) {
  const For& loop = site.loop();
  const std::string &name = loop.axis->name, &around = outer.axis->name;
  if (!find_stmt(outer.body, [&](const Stmt& stmt) { return stmt.get() == &loop; }))
    check.refuse(&loop, fmt::format("{} does not stand inside of {}", name, around),
                 "name the outer loop first");
  const bool is_in_turn = loop.binding.is_serial() || loop.binding.kind == Binding::Kind::unroll;
  if (!is_in_turn)
    check.refuse(&loop,
                 fmt::format("{} is bound to {}, and has no iterations that follow each other",
                             name, to_string(loop.binding)),
                 "turn a loop whose iterations one thread runs");
  if (const auto overlap = find_overlap(site, nullptr, true))
    check.refuse(overlap->writer.statement.get(), overlap->text(loop),
                 "iterations that depend on each other keep their order");
}

/// The loop, of whose body each second run goes from the last iteration to the first one.
class LoopReverser : public Rewriter {
 public:
  LoopReverser(const AxisPtr& outer, llvm::ArrayRef<AxisPtr> inner, Names& names)
      : outer_(outer), inner_(inner), names_(names) {}

  Stmt rewrite(const Stmt& stmt) override {
    const Stmt inside = rewrite_operands(stmt);
    const auto* loop = llvm::dyn_cast<For>(inside);
    return loop && llvm::is_contained(inner_, loop->axis) ? turned(*loop) : inside;
  }
  using Rewriter::rewrite;

 private:
  Stmt turned(const For& loop) const {
    const Expr along = AxisRef::make(loop.axis);
    const AxisPtr turn = make_axis(names_.fresh(loop.axis->name + ".turn"), AxisKind::spatial);
    const Expr value = Select::make(AxisRef::make(outer_) % 2 == 0, along, loop.extent - 1 - along);
    return loop.with_body(
        Let::make(turn, value, substitute(loop.body, loop.axis.get(), AxisRef::make(turn))));
  }

  const AxisPtr& outer_;
  const llvm::ArrayRef<AxisPtr> inner_;
  Names& names_;
};

}  // namespace

Rewrite serpentine(const Function& function, const AxisPtr& outer, llvm::ArrayRef<AxisPtr> inner) {
  // Preconditions
  const Preconditions check("serpentine", function);
  const For& loop = check.find(outer).loop();
  if (inner.empty())
    check.refuse(&loop, fmt::format("no loop is to turn in {}", outer->name),
                 "name loops inside of it: s.serpentine(i, {j})");
  for (const AxisPtr& axis : inner) check_turns(check, loop, check.find(axis));

  // Rewrite
  Names names(function);
  Function result =
      rebuild(function, &loop, LoopReverser(outer, inner, names).rewrite(Stmt(&loop)));

  // Postcondition
  check_promises(check, function, result, &loop);
  return {std::move(result), {}, nullptr};
}

const Primitive serpentine_primitive = {
    .name = "serpentine",
    .arguments = {argument::outer_axis, argument::inner_axes},
    .apply =
        [](const Function& f, const Step& s) {
          return serpentine(f, s.axes[0], llvm::ArrayRef<AxisPtr>(s.axes).drop_front());
        },
};

}  // namespace hone
