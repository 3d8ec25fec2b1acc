// for A.shared.tx in 0..32 @thread.x { A.shared[A.shared.tx] = A[...] }
// for j in 0..32 @thread.x { C[j] = A.shared[31 - j] }
//
//   =>  for A.shared.tx in 0..32 @thread.x { A.shared[A.shared.tx] = A[...] }
//       barrier
//       for j in 0..32 @thread.x { C[j] = A.shared[31 - j] }
//
// A wait stands before a statement that an edge leads to from what threads have done since the last
// wait, and at the end of a serial loop whose iterations edges lead between; or at its start, where
// that saves the one before the loop, and nothing behind the loop needs the one at its end. Copies
// are leaves yet: their edges are those of the loops that they stand for. All threads come to a
// wait: a condition around it that differs between them moves to the statements beside it. The wait
// is that of the fewest threads that the edges lead between: a warp, a warpgroup, the block, or the
// blocks of a cluster, whose kernel begins with a wait. Threads wait for what goes on in their
// groups before they wait for each other (wait_groups.h), and for that alone where it is in their
// registers. If only such work leads edges to the next iteration of a loop, the wait stands in its
// body, before the statement that needs it: outside of loops around that, and inside of conditions
// that all threads share. Copies of producers are other warps': mbarriers order them (roles.h). The
// copy engine sees what threads have written behind a fence of theirs, which stands before the
// wait.

#include "codegen/pass/place_waits.h"

#include "codegen/order/access_collector.h"
#include "codegen/order/exchanged_tensors.h"
#include "codegen/order/opened_sequence.h"
#include "codegen/order/ordering.h"
#include "codegen/order/thread_context.h"
#include "codegen/order/wait_groups.h"
#include "codegen/pass/guard_threads.h"
#include "codegen/pass/passes.h"
#include "codegen/pass/roles.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/accesses.h"
#include "ir/opcodes/opcodes.h"
#include "ir/traverse/guards.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/DenseSet.h"

namespace hone {
namespace {

/// The threads that all of the edges lead between.
Reach reach_of(const Edges& edges) {
  Reach who = Reach::thread;
  for (const Edge& edge : edges) who = std::max(who, edge.reach);
  return who;
}

/// The accesses of a statement, as its neighbours see them.
struct Segment {
  Stmt stmt;
  ThreadAccesses head;  ///< what may happen before its first wait
  ThreadAccesses tail;  ///< and after its last one
  Ordering waits = {};  ///< for certain
  /// Of a loop with a wait at the end of its body: the loop with one at the start instead.
  Stmt waiting_first = {};
  ThreadAccesses tail_of_first = {};  ///< what may happen after its last wait
  Ordering first_ordering = {};       ///< at the start of each iteration
};

bool starts_in_group(const Edge& edge) { return ends_in_groups(edge.producer.timeline); }

bool has_collective(const Stmt& stmt) { return any_of(stmt, is_of_all_threads); }

class Placer {
 public:
  Placer(const KernelFunction& kernel, llvm::DenseSet<const TensorNode*> exchanged)
      : kernel_(kernel),
        space_(kernel.body),
        exchange_(space_),
        groups_(groups_in(kernel.body)),
        kernel_facts_(facts_of(kernel.assumptions)),
        accesses_(kernel, space_, std::move(exchanged)),
        stored_(tiles_of_stores(kernel.body)),
        names_(as_function(kernel)) {}

  Stmt run() {
    ThreadContext context;
    context.space = &space_;
    context.facts = kernel_facts_;
    const Segment whole = place(kernel_.body, context);
    const bool starts = has_exchange() && !exchange_.are_in_own_blocks(whole.head);
    return between_barriers(whole.stmt, starts, !exchange_.are_in_own_blocks(whole.tail));
  }

  std::vector<Wait> waits() && { return std::move(waits_); }

 private:
  /// Blocks of a cluster write to each other's memory.
  bool has_exchange() const {
    return llvm::any_of(waits_, [](const Wait& wait) { return wait.who == Reach::cluster; });
  }

  /// The blocks wait until all have started, and have memory of their own; and before they end,
  /// until no other comes to that.
  static Stmt between_barriers(const Stmt& body, bool starts, bool ends) {
    if (const auto* alloc = llvm::dyn_cast<Alloc>(body))
      return Alloc::make(alloc->tensor, between_barriers(alloc->body, starts, ends));
    const Stmt barrier = make_barrier({BarrierScope::Kind::cluster}), nothing = Seq::make({});
    return Seq::make({starts ? barrier : nothing, body, ends ? barrier : nothing});
  }

  Segment place(const Stmt& stmt, const ThreadContext& context) {
    if (runs_on_one_thread(stmt, context)) return place_on_thread_0(stmt, context);
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) return place_loop(*loop, context);
    if (const auto* seq = llvm::dyn_cast<Seq>(stmt)) return place_segments(*seq, context);
    if (const auto* branch = llvm::dyn_cast<If>(stmt)) return place_branch(*branch, context);
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) return place_let(*let, context);
    if (const auto* copy = llvm::dyn_cast<Copy>(stmt))
      return copy->is_by_producers() ? Segment{stmt, {}, {}} : place_copy(stmt, *copy, context);
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) {
      Segment segment = place_within(alloc->body, context);
      segment.stmt = Alloc::make(alloc->tensor, segment.stmt);
      return segment;
    }
    assert((llvm::isa<Store>(stmt) || llvm::isa<Instr>(stmt)) && "no other statement is a leaf");
    const ThreadAccesses accesses = accesses_.of(stmt, context);
    return {stmt, accesses, accesses};
  }

  /// A part of another statement: a loop in it that waits first would stand without that.
  Segment place_within(const Stmt& stmt, const ThreadContext& context) {
    Segment segment = place(stmt, context);
    segment.waiting_first = {};
    return segment;
  }

  Segment place_on_thread_0(const Stmt& stmt, const ThreadContext& context) {
    ThreadContext inside = context;
    inside.is_on_thread_0 = true;
    return place_within(stmt, inside);
  }

  /// A copy moves each element once: no edges lead from one part of it to another.
  Segment place_copy(const Stmt& stmt, const Copy& copy, const ThreadContext& context) {
    const ThreadAccesses accesses = accesses_.of_copy(copy, context);
    return {stmt, accesses, accesses};
  }

  Segment place_loop(const For& loop, const ThreadContext& context) {
    ThreadContext inside = context;
    inside.enter(loop);
    if (is_thread_loop(loop)) return place_thread_loop(loop, inside);
    const size_t waits = waits_.size();
    Segment segment = place_within(loop.body, inside);
    if (loop.binding.kind == Binding::Kind::block) {
      segment.stmt = loop.with_body(segment.stmt);
      return segment;
    }
    Edges edges = carried_edges(segment.tail, segment.head, loop, context);
    if (!edges.empty() && llvm::all_of(edges, starts_in_group)) {
      waits_.resize(waits);
      segment = place_behind_last_turn(segment.tail, loop, context);
      edges = carried_edges(segment.tail, segment.head, loop, context);
    }
    if (!edges.empty()) {
      const auto [wait, waits] = wait_for(edges);
      segment.waiting_first = with_wait_first(loop, wait, segment.stmt);
      segment.tail_of_first = segment.tail;
      segment.first_ordering = waits;
      segment.stmt = Seq::make({segment.stmt, wait});
      segment.tail = across(waits, std::move(segment.tail));
      segment.waits = segment.waits.with(waits);
    }
    segment.stmt = loop.with_body(segment.stmt);
    if (!proves(loop.extent >= 1, context.facts)) segment.waits = {};
    return segment;
  }

  Edges carried_edges(const ThreadAccesses& tail, const ThreadAccesses& head, const For& loop,
                      const ThreadContext& context) const {
    if (is_int(loop.extent, 1)) return {};
    return exchange_.between(tail, head, {context.loops.size(), &loop, context.facts});
  }

  /// The wait for work of the last iteration stands in the body, before the statement that waits.
  Segment place_behind_last_turn(const ThreadAccesses& tail, const For& loop,
                                 const ThreadContext& context) {
    ThreadContext inside = context;
    inside.enter(loop);
    carried_.push_back({&loop, &context, tail});
    Segment segment = place_within(loop.body, inside);
    carried_.pop_back();
    return segment;
  }

  Segment place_thread_loop(const For& loop, const ThreadContext& inside) {
    Segment segment = place_within(loop.body, inside);
    if (has_inner_loop_over_same_threads(loop, space_) && !proves(loop.extent >= 1, kernel_facts_))
      segment.waits = {};
    segment.stmt = loop.with_body(segment.stmt);
    return segment;
  }

  Segment place_segments(const Seq& seq, const ThreadContext& context) {
    Segment whole;
    llvm::SmallVector<WaitingStmt, 8> placed;
    const OpenedSequence sequence = opened(seq);
    std::vector<Segment> segments = place_each(sequence.stmts, context);
    for (size_t n = 0; n < segments.size(); ++n) {
      Segment& next = segments[n];
      const auto behind = llvm::ArrayRef<Segment>(segments).drop_front(n + 1);
      if (next.waiting_first.defined() && !unmet(whole.tail, next, context).empty() &&
          !must_wait_behind_first(next, behind, context))
        wait_first(next);
      const Stmt wait = follow(whole, next, context);
      placed.push_back({wait, next.stmt});
    }
    whole.stmt = closed(sequence, placed);
    return whole;
  }

  /// Waits in a statement that all threads come to end work of the last turn for those behind it.
  std::vector<Segment> place_each(llvm::ArrayRef<Stmt> stmts, const ThreadContext& context) {
    const std::vector<CarriedWork> carried = carried_;
    std::vector<Segment> segments;
    Ordering waits;
    for (const Stmt& stmt : stmts) {
      segments.push_back(place(stmt, context));
      waits = waits.with(segments.back().waits);
      carried_ = carried;
      for (CarriedWork& work : carried_) work.tail = across(waits, work.tail);
    }
    carried_ = carried;
    return segments;
  }

  Edges unmet(const ThreadAccesses& done, const Segment& next, const ThreadContext& context) const {
    return exchange_.between(done, next.head, {context.loops.size(), nullptr, context.facts});
  }

  /// Edges from the last iterations of loops around, where the waits so far have not ended them. A
  /// wait stands outside of inner loops, and within a condition of all threads.
  Edges unmet_of_last_turns(const Ordering& waits, const Segment& next,
                            const ThreadContext& context) const {
    Edges edges;
    for (const auto& [loop, around, tail] : carried_)
      if (!context.loop_of_all || context.loop_of_all == loop)
        llvm::append_range(edges, carried_edges(across(waits, tail), next.head, *loop, *around));
    return edges;
  }

  /// True where a statement behind the loop needs the wait at its end.
  bool must_wait_behind_first(const Segment& loop, llvm::ArrayRef<Segment> behind,
                              const ThreadContext& context) const {
    for (const Segment& next : behind) {
      if (!unmet(loop.tail_of_first, next, context).empty()) return true;
      if (next.waits.who == exchange_.widest()) return false;
    }
    return false;
  }

  /// The wait of the loop goes to the start of its body.
  void wait_first(Segment& loop) const {
    loop.stmt = loop.waiting_first;
    loop.head = across(loop.first_ordering, std::move(loop.head));
    loop.tail = loop.tail_of_first;
  }

  /// The reads that decide on the branch come first.
  Segment place_branch(const If& branch, const ThreadContext& context) {
    ThreadContext inside = context;
    inside.enter(branch);
    const Stmt reads = If::make(branch.condition, Seq::make({}));
    Segment segment = place_behind(accesses_.of(reads, context), branch.body, inside);
    if (inside.is_divergent && has_collective(segment.stmt)) {
      segment.stmt = with_waits_outside(branch.condition, segment.stmt);
      return segment;
    }
    segment.stmt = If::make(branch.condition, segment.stmt);
    segment.waits = {};
    return segment;
  }

  /// All threads come to a wait: a condition that keeps some of them out is one on the statements
  /// between the waits. It is decided once, where the statements change what it reads.
  Stmt with_waits_outside(const Expr& condition, const Stmt& body) {
    const auto place = [](const Stmt& stmt) {
      if (!has_collective(stmt)) return GuardPlace::around;
      return is_of_all_threads(stmt) ? GuardPlace::none : GuardPlace::inside;
    };
    if (!find_change(condition, collect_accesses(body))) return with_guard(condition, body, place);
    const std::string name = names_.fresh("holds");
    const AxisPtr holds = make_axis(name, AxisKind::spatial, {name});
    return Let::make(holds, select(condition, 1, 0),
                     with_guard(AxisRef::make(holds) == 1, body, place));
  }

  Segment place_let(const Let& let, const ThreadContext& context) {
    ThreadContext inside = context;
    inside.enter(let);
    const Stmt reads = Let::make(let.axis, let.value, Seq::make({}));
    Segment segment = place_behind(accesses_.of(reads, context), let.body, inside);
    segment.stmt = Let::make(let.axis, let.value, segment.stmt);
    return segment;
  }

  Segment place_behind(const ThreadAccesses& reads, const Stmt& body, const ThreadContext& inside) {
    Segment whole{{}, reads, reads};
    const Segment next = place(body, inside);
    const Stmt wait = follow(whole, next, inside);
    whole.stmt = wait.defined() ? Seq::make({wait, next.stmt}) : next.stmt;
    return whole;
  }

  /// Adds the next segment to what has been done so far. Returns the wait that has to stand
  /// between; none where there is nothing to wait for.
  Stmt follow(Segment& whole, const Segment& next, const ThreadContext& context) {
    Edges edges = unmet(whole.tail, next, context);
    llvm::append_range(edges, unmet_of_last_turns(whole.waits, next, context));
    const auto [wait, waits] = edges.empty() ? InsertedWait() : wait_for(edges);
    whole.waits = whole.waits.with(waits);
    whole.head.add(across(whole.waits, next.head));
    whole.tail = across(waits.with(next.waits), std::move(whole.tail));
    whole.waits = whole.waits.with(next.waits);
    whole.tail.add(next.tail);
    return wait;
  }

  /// The accesses that an edge may still lead from after a wait: without a fence, to the engine.
  ThreadAccesses across(const Ordering& ordering, ThreadAccesses accesses) const {
    if (ordering.who == Reach::none) return accesses;
    if (ordering.who == Reach::thread) return accesses.in_memory();
    if (ordering.who < exchange_.widest()) return accesses.behind(ordering);
    return ordering.fenced == ordering.who ? ThreadAccesses()
                                           : accesses.to(stored_).behind(ordering);
  }

  struct InsertedWait {
    Stmt wait = {};
    Ordering waits = {};
  };

  InsertedWait wait_for(const Edges& edges) {
    const Reach who = reach_of(edges);
    waits_.push_back({who, edges});
    llvm::SmallVector<Stmt, 3> wait;
    const bool has_fence = llvm::any_of(edges, [](const Edge& edge) { return edge.needs_fence(); });
    for (const GroupKind& kind : groups_) wait.push_back(Instr::make(*kind.wait, {}, {}, 0));
    if (has_fence) wait.push_back(Instr::make(op::fence_engine));
    wait.push_back(barrier_of(who));
    return {Seq::make(wait), {who, has_fence ? who : Reach::none}};
  }

  /// The last iteration of a loop, which goes on while the next one begins.
  struct CarriedWork {
    const For* loop;
    const ThreadContext* around;
    ThreadAccesses tail;
  };

  const KernelFunction& kernel_;
  const ThreadSpace space_;
  const DataExchange exchange_;
  const llvm::SmallVector<GroupKind, 2> groups_;
  const Facts kernel_facts_;
  AccessCollector accesses_;
  const llvm::DenseSet<const TensorNode*> stored_;
  Names names_;
  std::vector<Wait> waits_;
  std::vector<CarriedWork> carried_;
};

}  // namespace

std::vector<Wait> waits_of(const KernelFunction& kernel) {
  Placer placer(kernel, exchanged_tensors(kernel.body));
  placer.run();
  return std::move(placer).waits();
}

void place_waits(KernelFunction& kernel) {
  auto exchanged = exchanged_tensors(kernel.body);
  if (exchanged.empty() && !has_collective(kernel.body)) return;
  kernel.body = Placer(kernel, std::move(exchanged)).run();
}

}  // namespace hone
