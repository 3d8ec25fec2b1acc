// for i in 0..M @block.x { for j in 0..N @thread.x { body } }
//
//   =>  grid(M, 1, 1) block(N, 1, 1)
//       let i = block.x
//       let j = thread.x
//       body
//
// A block has as many threads as its largest thread loop of each dimension; the others are guarded.
// The innermost thread loop of a dimension says which thread runs a statement. A statement outside
// the thread loops of a dimension runs on its thread 0, unless it writes registers, which every
// thread has its own of.
//
// A barrier stands before a statement that exchanges data with what threads have done since the
// last barrier, and at the end of a serial loop whose iterations exchange data; or at its start,
// where that saves the one before the loop, and nothing behind the loop needs the one at its end.

#include "codegen/pass/guard_threads.h"
#include "codegen/pass/passes.h"
#include "codegen/pass/phases.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/site.h"
#include "ir/equal.h"
#include "ir/error.h"
#include "ir/rewriter.h"
#include "ir/visit.h"

namespace hone {
namespace {

/// The place of a statement.
struct Context {
  llvm::SmallVector<const For*, 8> loops;  ///< around it, outermost first
  llvm::SmallVector<Expr, 2> guards;       ///< lets spelled out
  llvm::SmallVector<const Let*, 2> lets;
  ThreadDims covered;           ///< dimensions that a thread loop around has dealt with
  bool is_on_thread_0 = false;  ///< of the dimensions that none has
  bool is_divergent = false;    ///< under a condition that differs between threads
  Facts facts;
};

/// A mapped statement, as its neighbours see it.
struct Phase {
  Stmt stmt;
  ThreadAccesses head;  ///< what may happen before its first barrier
  ThreadAccesses tail;  ///< and after its last one
  bool waits = false;   ///< it has a barrier for certain
  /// Of a loop with a barrier at the end of its body: the loop with one at the start instead.
  Stmt waiting_first = {};
  ThreadAccesses tail_of_first = {};  ///< what may happen after its last barrier
};

class Mapper {
 public:
  explicit Mapper(const KernelFunction& kernel)
      : kernel_(kernel),
        threads_(kernel.block),
        used_(used_dims(kernel.block)),
        exchange_(kernel.block),
        kernel_facts_(facts_of(kernel.assumptions)) {}

  Stmt run() {
    Context context;
    context.facts = kernel_facts_;
    return map(kernel_.body, context).stmt;
  }

 private:
  Phase map(const Stmt& stmt, const Context& context) {
    if (runs_on_one_thread(stmt, context)) return map_on_thread_0(stmt, context);
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) return map_loop(stmt, *loop, context);
    if (const auto* seq = llvm::dyn_cast<Seq>(stmt)) return map_phases(*seq, context);
    if (const auto* branch = llvm::dyn_cast<If>(stmt)) return map_branch(*branch, context);
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) return map_let(*let, context);
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) {
      Phase phase = map_within(alloc->body, context);
      phase.stmt = Alloc::make(alloc->tensor, phase.stmt);
      return phase;
    }
    assert((llvm::isa<Store, Arrive>(stmt)) &&
           "copies are loops by now, and barriers are made here");
    if (llvm::isa<Store>(stmt)) check_is_for_one_thread(stmt, context);
    const ThreadAccesses accesses = accesses_of(stmt, context);
    return {stmt, accesses, accesses};
  }

  /// A part of another statement: a loop in it that waits first would stand without that.
  Phase map_within(const Stmt& stmt, const Context& context) {
    Phase phase = map(stmt, context);
    phase.waiting_first = {};
    return phase;
  }

  ThreadDims open(const Context& context) const { return used_.without(context.covered); }

  /// Whole statements without thread loops that write memory which threads share.
  bool runs_on_one_thread(const Stmt& stmt, const Context& context) const {
    if (context.is_on_thread_0 || open(context).empty() || !thread_dims(stmt).empty()) return false;
    bool writes_memory = false;
    for (const MemoryAccess& access : collect_accesses(stmt)) {
      if (access.writes && access.tensor->scope == Scope::registers) return false;
      writes_memory |= access.writes;
    }
    return writes_memory;
  }

  Phase map_on_thread_0(const Stmt& stmt, const Context& context) {
    Context inside = context;
    inside.is_on_thread_0 = true;
    Phase phase = map_within(stmt, inside);
    for (unsigned dim = 0; dim < 3; ++dim)
      if (open(context).contains(dim))
        phase.stmt = If::make(ThreadIndex::make(IndexSpace::thread, dim) == 0, phase.stmt);
    return phase;
  }

  Phase map_loop(const Stmt& stmt, const For& loop, const Context& context) {
    Context inside = context;
    inside.loops.push_back(&loop);
    inside.facts.add_axis(loop.axis, loop.extent);
    if (is_thread_loop(loop)) return map_thread_loop(loop, inside);
    Phase phase = map_within(loop.body, inside);
    if (loop.binding.kind == Binding::Kind::block) {
      const Expr index = ThreadIndex::make(IndexSpace::block, loop.binding.dim);
      phase.stmt = Let::make(loop.axis, index, phase.stmt);
      return phase;
    }
    const MeetingPoint point{context.loops.size(), &loop, context.facts};
    if (!is_int(loop.extent, 1) && exchange_.between(phase.tail, phase.head, point)) {
      const Stmt wait = barrier(stmt, context);
      phase.waiting_first = loop.with_body(Seq::make({wait, phase.stmt}));
      phase.tail_of_first = phase.tail;
      phase.stmt = Seq::make({phase.stmt, wait});
      phase.tail.clear();
      phase.waits = true;
    }
    phase.stmt = loop.with_body(phase.stmt);
    phase.waits = phase.waits && proves(loop.extent >= 1, context.facts);
    return phase;
  }

  Phase map_thread_loop(const For& loop, Context& inside) {
    const unsigned dim = loop.binding.dim;
    inside.covered = inside.covered.with(dim);
    Phase phase = map_within(loop.body, inside);
    const Expr axis = AxisRef::make(loop.axis);
    const Expr is_in_loop = is_int(loop.extent, 1) ? axis == 0 : axis < loop.extent;
    if (!equal(loop.extent, threads_[dim])) phase.stmt = guard_threads(phase.stmt, is_in_loop, dim);
    if (is_dealt_out_anew(loop) && !proves(loop.extent >= 1, kernel_facts_)) {
      phase.stmt = If::make(loop.extent >= 1, phase.stmt);
      phase.waits = false;
    }
    phase.stmt = Let::make(loop.axis, ThreadIndex::make(IndexSpace::thread, dim), phase.stmt);
    return phase;
  }

  /// Loops inside take the place of this one where all threads run them, those that it has no
  /// iterations for too.
  static bool is_dealt_out_anew(const For& loop) {
    return llvm::any_of(loops_of(loop.body), [&](const For* inner) {
      return is_thread_loop(*inner) && inner->binding.dim == loop.binding.dim;
    });
  }

  Phase map_phases(const Seq& seq, const Context& context) {
    Phase whole;
    llvm::SmallVector<Stmt, 4> mapped;
    std::vector<Phase> phases;
    for (const Stmt& stmt : seq.stmts) phases.push_back(map(stmt, context));
    for (size_t n = 0; n < phases.size(); ++n) {
      Phase& next = phases[n];
      const auto behind = llvm::ArrayRef<Phase>(phases).drop_front(n + 1);
      if (next.waiting_first.defined() && must_wait(whole, next, context) &&
          !must_wait_behind_first(next, behind, context))
        wait_first(next);
      if (follow(whole, next, context)) mapped.push_back(barrier(seq.stmts[n], context));
      mapped.push_back(next.stmt);
    }
    whole.stmt = Seq::make(mapped);
    return whole;
  }

  bool must_wait(const Phase& whole, const Phase& next, const Context& context) const {
    return exchange_.between(whole.tail, next.head, {context.loops.size(), nullptr, context.facts});
  }

  /// True where a statement behind the loop needs the barrier at its end.
  bool must_wait_behind_first(const Phase& loop, llvm::ArrayRef<Phase> behind,
                              const Context& context) const {
    for (const Phase& next : behind) {
      if (exchange_.between(loop.tail_of_first, next.head,
                            {context.loops.size(), nullptr, context.facts}))
        return true;
      if (next.waits) return false;
    }
    return false;
  }

  /// The barrier of the loop goes to the start of its body.
  static void wait_first(Phase& loop) {
    loop.stmt = loop.waiting_first;
    loop.head.clear();
    loop.tail = loop.tail_of_first;
  }

  /// The reads that decide on the branch come first.
  Phase map_branch(const If& branch, const Context& context) {
    Context inside = context;
    const Expr condition = spelled_out(branch.condition, context);
    inside.guards.push_back(condition);
    inside.facts.assume(branch.condition);
    inside.is_divergent |= differs_between_threads(condition, context);
    const Stmt reads = If::make(branch.condition, Seq::make({}));
    Phase phase = map_behind(accesses_of(reads, context), branch.body, inside);
    phase.stmt = If::make(branch.condition, phase.stmt);
    phase.waits = false;
    return phase;
  }

  Phase map_let(const Let& let, const Context& context) {
    Context inside = context;
    inside.lets.push_back(&let);
    inside.facts.define(let.axis, let.value);
    const Stmt reads = Let::make(let.axis, let.value, Seq::make({}));
    Phase phase = map_behind(accesses_of(reads, context), let.body, inside);
    phase.stmt = Let::make(let.axis, let.value, phase.stmt);
    return phase;
  }

  Phase map_behind(const ThreadAccesses& reads, const Stmt& body, const Context& inside) {
    Phase whole{{}, reads, reads};
    const Phase next = map(body, inside);
    whole.stmt = next.stmt;
    if (follow(whole, next, inside)) whole.stmt = Seq::make({barrier(body, inside), next.stmt});
    return whole;
  }

  /// Adds the next phase to what has been done so far; true where a barrier has to stand between.
  bool follow(Phase& whole, const Phase& next, const Context& context) {
    const bool waits_here = must_wait(whole, next, context);
    if (waits_here) whole.tail.clear();
    whole.waits |= waits_here;
    if (!whole.waits) whole.head.add(next.head);
    if (next.waits) whole.tail.clear();
    whole.waits |= next.waits;
    whole.tail.add(next.tail);
    return waits_here;
  }

  ThreadAccesses accesses_of(const Stmt& stmt, const Context& context) const {
    ThreadAccesses result;
    for (MemoryAccess& access : collect_accesses(stmt)) {
      if (access.tensor->scope == Scope::registers) continue;
      for (Expr& index : access.indices) index = spelled_out(index, context);
      for (Expr& guard : access.guards) guard = spelled_out(guard, context);
      llvm::append_range(access.guards, context.guards);
      result.add({std::move(access),
                  context.loops,
                  {runner(0, context), runner(1, context), runner(2, context)}});
    }
    return result;
  }

  static Runner runner(unsigned dim, const Context& context) {
    for (const For* loop : llvm::reverse(context.loops))
      if (is_thread_loop(*loop) && loop->binding.dim == dim) return {Runner::Kind::loop, loop};
    return {context.is_on_thread_0 ? Runner::Kind::thread_0 : Runner::Kind::all, nullptr};
  }

  static Expr spelled_out(Expr expr, const Context& context) {
    for (const Let* let : llvm::reverse(context.lets))
      expr = substitute(expr, let->axis.get(), let->value);
    return expr;
  }

  /// Conditions on thread axes, and on what threads have of their own.
  static bool differs_between_threads(const Expr& condition, const Context& context) {
    bool differs = false;
    walk(condition, [&](const Expr& part) {
      if (const auto* load = llvm::dyn_cast<Load>(part))
        differs |= load->tensor->scope == Scope::registers;
      if (const auto* reference = llvm::dyn_cast<AxisRef>(part))
        differs |= llvm::any_of(context.loops, [&](const For* loop) {
          return loop->axis == reference->axis && is_thread_loop(*loop);
        });
    });
    return differs;
  }

  /// A loop inside another one that is bound to the same threads runs in its place, once for the
  /// whole block: nothing in it may depend on the other one.
  void check_is_for_one_thread(const Stmt& stmt, const Context& context) const {
    const auto check = [&](const Expr& expr) {
      walk(spelled_out(expr, context), [&](const Expr& part) {
        if (const auto* reference = llvm::dyn_cast<AxisRef>(part))
          check_is_runner(stmt, reference->axis, context);
      });
    };
    const Store& store = *llvm::cast<Store>(stmt);
    for (const Expr& index : store.indices) check(index);
    check(store.value);
    for (const Expr& guard : context.guards) check(guard);
  }

  void check_is_runner(const Stmt& stmt, const AxisPtr& axis, const Context& context) const {
    for (const For* loop : context.loops) {
      if (loop->axis != axis || !is_thread_loop(*loop)) continue;
      const For* innermost = runner(loop->binding.dim, context).loop;
      if (innermost == loop) continue;
      throw ScheduleError(
          "compile",
          fmt::format("all threads of the block write {} together, and it depends on {}, which "
                      "differs between them",
                      llvm::cast<Store>(stmt)->tensor->name, axis->name),
          fmt::format("{} is bound to {} inside {}, which is bound to it too",
                      innermost->axis->name, to_string(loop->binding), axis->name))
          .mark(as_function(kernel_), stmt.get());
    }
  }

  Stmt barrier(const Stmt& before, const Context& context) const {
    if (!context.is_divergent) return Barrier::make();
    throw ScheduleError("compile",
                        "threads of a block would wait for each other under a condition that "
                        "differs between them",
                        "the statements around it exchange data between threads; bind their loops "
                        "in the same way, or choose factors that divide")
        .mark(as_function(kernel_), before.get());
  }

  const KernelFunction& kernel_;
  const std::array<Expr, 3> threads_;
  const ThreadDims used_;
  const DataExchange exchange_;
  const Facts kernel_facts_;
};

}  // namespace

void map_threads(KernelFunction& kernel) {
  kernel.grid = grid_of(kernel.body);
  kernel.block = block_of(kernel.body);
  kernel.body = Mapper(kernel).run();
}

}  // namespace hone
