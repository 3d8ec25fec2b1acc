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

#include "codegen/order/wait_groups.h"
#include "ir/analysis/accesses.h"
#include "ir/analysis/last_use.h"
#include "ir/opcodes/opcodes.h"
#include "ir/target/gpu_limits.h"
#include "ir/threads/roles.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

Stmt wait_until_full(const RingPhases& mbarriers, const Expr& iteration) {
  return Instr::make(op::wait_mbarrier, {{mbarriers.full, {mbarriers.slot(iteration)}}},
                     mbarriers.parity(iteration));
}

/// `stmt`, and then the other, inside of what the first one allocates.
Stmt followed_by(const Stmt& stmt, const Stmt& next) {
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt))
    return Alloc::make(alloc->tensor, followed_by(alloc->body, next));
  return Seq::make({stmt, next});
}

bool is_of_rings(const For& loop, const MemoryAccess& access) {
  return llvm::any_of(copies_of_producers(loop),
                      [&](const Copy* copy) { return copy->destination.tensor == access.tensor; });
}

/// True of work in groups that reads slots of the loop's rings.
bool reads_rings(const For& loop, const GroupKind& kind) {
  const auto is_of_ring = [&](const MemoryAccess& access) { return is_of_rings(loop, access); };
  return kind.is_for_reads && any_of(loop.body, [&](const Stmt& stmt) {
           return kind.starts(stmt) && llvm::any_of(collect_accesses(stmt), is_of_ring);
         });
}

/// True where every run of the statement commits a group.
bool commits_each_time(const Stmt& stmt, const GroupKind& kind) {
  if (as(stmt, *kind.commit)) return true;
  const auto part_does = [&](const Stmt& part) { return commits_each_time(part, kind); };
  if (const auto* seq = llvm::dyn_cast<Seq>(stmt)) return llvm::any_of(seq->stmts, part_does);
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) return part_does(alloc->body);
  const auto* loop = llvm::dyn_cast<For>(stmt);
  return loop && as_int(loop->extent).value_or(0) >= 1 && part_does(loop->body);
}

/// Waits for what goes on in groups and reads slots, but for that of the last `in_flight`
/// iterations, each of which has a group at least.
Stmt wait_for_reads(const For& loop, int64_t in_flight) {
  const Stmt body = body_of_consumers(loop);
  llvm::SmallVector<Stmt, 2> waits;
  for (const GroupKind& kind : groups_in(body))
    if (reads_rings(loop, kind))
      waits.push_back(
          Instr::make(*kind.wait, {}, {}, commits_each_time(body, kind) ? in_flight : 0));
  return Seq::make(waits);
}

/// Behind the last use of the iteration's slot.
Stmt release(const Expr& iteration, const RingPhases& mbarriers) {
  if (mbarriers.blocks > 1)
    return Instr::make(op::arrive_in_blocks, {{mbarriers.empty, {mbarriers.slot(iteration)}}}, {},
                       mbarriers.blocks);
  return Instr::make(op::arrive_mbarrier, {{mbarriers.empty, {mbarriers.slot(iteration)}}}, {}, 0);
}

/// By the first thread of those that it is for.
Stmt on_first(int64_t threads, const Stmt& stmt, Names& names) {
  if (threads == 1) return stmt;
  const AxisPtr lane = make_axis(names.fresh("first"), AxisKind::spatial);
  const Binding lanes = {.kind = Binding::Kind::thread,
                         .digit = {.unit = ThreadUnit::lane, .stride = 1, .count = threads}};
  return For::make(lane, 1, lanes, stmt);
}

/// Work that reads the slots of so many iterations may go on: the slot of an earlier one is free.
/// The last ones of a turn are released in the next; behind the last turn nobody waits for them.
Stmt release_behind(const For& loop, const RingPhases& mbarriers, Names& names) {
  const Expr current = AxisRef::make(loop.axis);
  const int64_t in_flight = loop.binding.roles.in_flight;
  const Stmt wait = wait_for_reads(loop, in_flight);
  const Stmt release_earlier =
      on_first(threads_of_release(loop), release(current - in_flight, mbarriers), names);
  if (in_flight == 0) return Seq::make({wait, release_earlier});
  return Seq::make({wait, If::make(mbarriers.number(current) >= in_flight, release_earlier)});
}

/// The loop without roles.
Binding binding_of_consumers(const For& loop) {
  const bool peels = loop.binding.has(attr::peel);
  const int64_t peeled = loop.binding.attributes.number(attr::peel);
  return peels ? Binding().with(attr::peel, peeled) : Binding();
}

Stmt consume_in_turn(const For& loop, const RingPhases& mbarriers, Names& names) {
  const Expr current = AxisRef::make(loop.axis);
  const Stmt body =
      Seq::make({wait_until_full(mbarriers, current),
                 followed_by(body_of_consumers(loop), release_behind(loop, mbarriers, names))});
  return For::make(loop.axis, loop.extent, binding_of_consumers(loop), body);
}

/// The fills of an iteration, behind the wait for its slot.
Stmt fill_for(const Expr& iteration, const For& loop, llvm::ArrayRef<TileFill> fills,
              const RingPhases& mbarriers) {
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
                   const RingPhases& mbarriers, const Stmt& body, Names& names) {
  Stmt wait = wait_until_full(mbarriers, next);
  const LastUse first = first_last_use(body, fills);
  const auto test = test_before(first, loop, body, wait, names);
  if (test) wait = test->unless_full(wait);
  const bool is_at_end = first.turns.empty();
  Stmt result = with_fills_for(next, loop, fills, is_at_end ? Seq::make({body, wait}) : body);
  if (!is_at_end) result = with_statement_at(result, first.start(), wait);
  return test ? test->in(result) : result;
}

Stmt consume_ahead(const For& loop, const RingPhases& mbarriers, Names& names) {
  Stmt rest = body_of_consumers(loop);
  const auto fills = take_fills_of_consumers(loop, rest);
  assert(!fills.empty() && "check_roles wants some");
  const Expr current = AxisRef::make(loop.axis);
  const AxisPtr next = make_axis(names.fresh(loop.axis->name + ".next"), AxisKind::spatial);
  rest = with_wait_for(AxisRef::make(next), loop, fills, mbarriers, rest, names);
  const Stmt body = Let::make(next, select(current + 1 < loop.extent, current + 1, current),
                              followed_by(rest, release_behind(loop, mbarriers, names)));
  const Stmt first = with_fresh_names(fill_for(0, loop, fills, mbarriers), ".first", names);
  Stmt result = Seq::make({If::make(Expr(0) < loop.extent, first),
                           For::make(loop.axis, loop.extent, binding_of_consumers(loop), body)});
  for (const TileFill& fill : llvm::reverse(fills)) result = Alloc::make(fill.tile, result);
  return result;
}

}  // namespace

int64_t threads_of_release(const For& loop) {
  const bool is_by_warps =
      llvm::all_of(collect_accesses(body_of_consumers(loop)), [&](const MemoryAccess& access) {
        return access.timeline == Timeline::tensor_core || !is_of_rings(loop, access);
      });
  return is_by_warps ? warp_size : 1;
}

Stmt consume(const For& loop, const RingPhases& mbarriers, Names& names) {
  return loop.binding.has(attr::prefetch) ? consume_ahead(loop, mbarriers, names)
                                          : consume_in_turn(loop, mbarriers, names);
}

}  // namespace hone
