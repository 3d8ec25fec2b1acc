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

#include "codegen/pass/guard_threads.h"
#include "codegen/pass/passes.h"
#include "codegen/pass/thread_context.h"
#include "ir/algebra/simplify.h"
#include "ir/equal.h"
#include "ir/error.h"
#include "ir/rewriter.h"
#include "ir/visit.h"

namespace hone {
namespace {

class Mapper {
 public:
  explicit Mapper(const KernelFunction& kernel)
      : kernel_(kernel),
        threads_(kernel.block),
        used_(used_dims(kernel.block)),
        kernel_facts_(facts_of(kernel.assumptions)) {}

  Stmt run() { return map(kernel_.body, ThreadContext()); }

 private:
  Stmt map(const Stmt& stmt, const ThreadContext& context) const {
    if (runs_on_one_thread(stmt, used_, context)) return map_on_thread_0(stmt, context);
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) return map_loop(*loop, context);
    if (const auto* seq = llvm::dyn_cast<Seq>(stmt)) {
      llvm::SmallVector<Stmt, 4> mapped;
      for (const Stmt& part : seq->stmts) mapped.push_back(map(part, context));
      return Seq::make(mapped);
    }
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt))
      return Alloc::make(alloc->tensor, map(alloc->body, context));
    ThreadContext inside = context;
    if (const auto* branch = llvm::dyn_cast<If>(stmt)) {
      inside.enter(*branch);
      return If::make(branch->condition, map(branch->body, inside));
    }
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) {
      inside.enter(*let);
      return Let::make(let->axis, let->value, map(let->body, inside));
    }
    assert((llvm::isa<Store, Arrive, Barrier>(stmt)) && "copies are loops by now");
    if (llvm::isa<Store>(stmt)) check_is_for_one_thread(stmt, context);
    return stmt;
  }

  Stmt map_on_thread_0(const Stmt& stmt, const ThreadContext& context) const {
    ThreadContext inside = context;
    inside.is_on_thread_0 = true;
    Stmt mapped = map(stmt, inside);
    for (unsigned dim = 0; dim < 3; ++dim)
      if (used_.without(context.covered).contains(dim))
        mapped = If::make(ThreadIndex::make(IndexSpace::thread, dim) == 0, mapped);
    return mapped;
  }

  Stmt map_loop(const For& loop, const ThreadContext& context) const {
    ThreadContext inside = context;
    inside.enter(loop);
    const Stmt body = map(loop.body, inside);
    if (is_thread_loop(loop)) return map_thread_loop(loop, body);
    if (loop.binding.kind != Binding::Kind::block) return loop.with_body(body);
    return Let::make(loop.axis, ThreadIndex::make(IndexSpace::block, loop.binding.dim), body);
  }

  Stmt map_thread_loop(const For& loop, Stmt body) const {
    const unsigned dim = loop.binding.dim;
    const Expr axis = AxisRef::make(loop.axis);
    const Expr is_in_loop = is_int(loop.extent, 1) ? axis == 0 : axis < loop.extent;
    if (!equal(loop.extent, threads_[dim])) body = guard_threads(body, is_in_loop, dim);
    if (is_dealt_out_anew(loop) && !proves(loop.extent >= 1, kernel_facts_))
      body = If::make(loop.extent >= 1, body);
    return Let::make(loop.axis, ThreadIndex::make(IndexSpace::thread, dim), body);
  }

  /// A loop inside another one that is bound to the same threads runs in its place, once for the
  /// whole block: nothing in it may depend on the other one.
  void check_is_for_one_thread(const Stmt& stmt, const ThreadContext& context) const {
    const auto check = [&](const Expr& expr) {
      walk(context.spelled_out(expr), [&](const Expr& part) {
        if (const auto* reference = llvm::dyn_cast<AxisRef>(part))
          check_is_runner(stmt, reference->axis, context);
      });
    };
    const Store& store = *llvm::cast<Store>(stmt);
    for (const Expr& index : store.indices) check(index);
    check(store.value);
    for (const Expr& guard : context.guards) check(guard);
  }

  void check_is_runner(const Stmt& stmt, const AxisPtr& axis, const ThreadContext& context) const {
    for (const For* loop : context.loops) {
      if (loop->axis != axis || !is_thread_loop(*loop)) continue;
      const For* innermost = context.runner(loop->binding.dim).loop;
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

  const KernelFunction& kernel_;
  const std::array<Expr, 3> threads_;
  const ThreadDims used_;
  const Facts kernel_facts_;
};

}  // namespace

void map_threads(KernelFunction& kernel) {
  kernel.grid = grid_of(kernel.body);
  kernel.block = block_of(kernel.body);
  kernel.body = Mapper(kernel).run();
}

}  // namespace hone
