// reduce k in 0..n @roles(4) @prefetch     if (0 < n)
//   ...                                      wait_mbarrier k.full[0] parity 0
//   alloc r: f32[8] @registers               copy r[0 .. +8] <- T[0, 0 .. +8]
//   copy r[0 .. +8] <- T[k % 4, ...]      for k in 0..n
//   for l in 0..8                     =>     let k.next = select(k + 1 < n, k + 1, k)
//     body(r[l])                             for l in 0..8
//                                              body(r[l])
//                                            wait_mbarrier k.full[k.next % 4] parity ...
//                                            copy r[0 .. +8] <- T[k.next % 4, ...]
//                                            arrive_mbarrier k.empty[k % 4]
//
// The last iteration fills once more from its own slot, so that no branch parts the products. Where
// a loop uses the registers for the last time before its end, the wait and the copy stand in it,
// under a condition. With @prefetch(3), iteration 5 of l begins with a test:
//
//   test_mbarrier k.is_full[] <- k.full[k.next % 4] parity ...
//
// and if (!k.is_full[]) guards the wait.

#include "codegen/pass/consumers.h"

#include "ir/analysis/last_use.h"
#include "ir/opcodes/opcodes.h"
#include "ir/threads/roles.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

Stmt wait_until_full(const RingMbarriers& mbarriers, const Expr& iteration) {
  return Instr::make(op::wait_mbarrier, {{mbarriers.full, {mbarriers.slot(iteration)}}},
                     mbarriers.parity(iteration));
}

/// `stmt`, and then the other, inside of what the first one allocates.
Stmt followed_by(const Stmt& stmt, const Stmt& next) {
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt))
    return Alloc::make(alloc->tensor, followed_by(alloc->body, next));
  return Seq::make({stmt, next});
}

/// Behind the last use of the iteration's slot.
Stmt release(const Expr& iteration, const RingMbarriers& mbarriers) {
  return Instr::make(op::arrive_mbarrier, {{mbarriers.empty, {mbarriers.slot(iteration)}}}, {}, 0);
}

Stmt consume_in_turn(const For& loop, const RingMbarriers& mbarriers) {
  const Expr current = AxisRef::make(loop.axis);
  const Stmt body = Seq::make({wait_until_full(mbarriers, current),
                               followed_by(body_of_consumers(loop), release(current, mbarriers))});
  return For::make(loop.axis, loop.extent, {}, body);
}

/// The fills of an iteration, behind the wait for its slot.
Stmt fill_for(const Expr& iteration, const For& loop, llvm::ArrayRef<TileFill> fills,
              const RingMbarriers& mbarriers) {
  llvm::SmallVector<Stmt, 4> stmts = {wait_until_full(mbarriers, iteration)};
  for (const TileFill& fill : fills)
    stmts.push_back(substitute(fill.fill, loop.axis.get(), iteration));
  return Seq::make(stmts);
}

/// The body with the fills of iteration `next` where the registers are free.
Stmt with_fills_for(const Expr& next, const For& loop, llvm::ArrayRef<TileFill> fills,
                    const Stmt& body) {
  llvm::SmallVector<LastUse, 2> uses;
  for (const TileFill& fill : fills) uses.push_back(last_use(body, fill));
  Stmt result = body;
  for (const auto& [fill, use] : llvm::zip(fills, uses))
    result = with_fill_at(result, use, {fill.tile, substitute(fill.fill, loop.axis.get(), next)});
  return result;
}

/// With a test of its mbarrier some turns before, a wait is for a slot that was not full then.
struct Test {
  TensorPtr is_full;
  LastUse time;
  Stmt stmt;

  Stmt unless_full(const Stmt& wait) const { return If::make(!Load::make(is_full, {}), wait); }
  Stmt in(const Stmt& body) const {
    return Alloc::make(is_full, with_statement_at(body, time, stmt));
  }
};

/// None where the schedule asks for none, or simplification has left no loop with so many turns.
std::optional<Test> test_before(const LastUse& use, const For& loop, const Stmt& body,
                                const Stmt& wait, Names& names) {
  const int64_t ahead = loop.binding.attributes.number(attr::prefetch);
  std::optional<Turn> turn = outermost_turn(body, use);
  if (ahead == 0 || !turn || turn->iteration < ahead) return std::nullopt;
  turn->iteration -= ahead;
  const auto& waiting = *llvm::cast<Instr>(wait);
  const TensorPtr is_full =
      make_tensor(names.fresh(loop.axis->name + ".is_full"), boolean, {}, Scope::registers);
  return Test{is_full,
              {{*turn}, true},
              Instr::make(op::test_mbarrier, {{is_full}, waiting.places[0]}, waiting.values)};
}

/// The body with these fills, and with the wait for their slot before the first of them.
Stmt with_wait_for(const Expr& next, const For& loop, llvm::ArrayRef<TileFill> fills,
                   const RingMbarriers& mbarriers, const Stmt& body, Names& names) {
  Stmt wait = wait_until_full(mbarriers, next);
  const LastUse first = first_last_use(body, fills);
  const auto test = test_before(first, loop, body, wait, names);
  if (test) wait = test->unless_full(wait);
  const bool is_at_end = first.turns.empty();
  Stmt result = with_fills_for(next, loop, fills, is_at_end ? Seq::make({body, wait}) : body);
  if (!is_at_end) result = with_statement_at(result, first.start(), wait);
  return test ? test->in(result) : result;
}

Stmt consume_ahead(const For& loop, const RingMbarriers& mbarriers, Names& names) {
  Stmt rest = body_of_consumers(loop);
  const auto fills = take_fills_of_consumers(loop, rest);
  assert(!fills.empty() && "check_roles wants some");
  const Expr current = AxisRef::make(loop.axis);
  const AxisPtr next = make_axis(names.fresh(loop.axis->name + ".next"), AxisKind::spatial);
  rest = with_wait_for(AxisRef::make(next), loop, fills, mbarriers, rest, names);
  const Stmt body = Let::make(next, select(current + 1 < loop.extent, current + 1, current),
                              followed_by(rest, release(current, mbarriers)));
  const Stmt first = with_fresh_names(fill_for(0, loop, fills, mbarriers), ".first", names);
  Stmt result = Seq::make(
      {If::make(Expr(0) < loop.extent, first), For::make(loop.axis, loop.extent, {}, body)});
  for (const TileFill& fill : llvm::reverse(fills)) result = Alloc::make(fill.tile, result);
  return result;
}

}  // namespace

Stmt consume(const For& loop, const RingMbarriers& mbarriers, Names& names) {
  return loop.binding.has(attr::prefetch) ? consume_ahead(loop, mbarriers, names)
                                          : consume_in_turn(loop, mbarriers);
}

}  // namespace hone
