#include "codegen/order/thread_context.h"

#include "ir/analysis/site.h"
#include "ir/threads/launch_shape.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
void ThreadContext::enter(const For& loop) {
  around.push_back(Stmt(&loop));
  loops.push_back(&loop);
  if (!is_thread_loop(loop)) loop_of_all = &loop;
  facts.add_axis(loop.axis, loop.extent);
  covered = covered.with(space->digits_of(loop));
}

void ThreadContext::enter(const If& branch) {
  guards.push_back(spelled_out(branch.condition));
  facts.assume(branch.condition);
  const bool differs = differs_between_threads(branch.condition, around);
  is_divergent |= differs;
  if (!differs) loop_of_all = nullptr;
}

void ThreadContext::enter(const Let& let) {
  around.push_back(Stmt(&let));
  facts.define(let.axis, let.value);
}

ExecutingThread ThreadContext::thread_of(size_t digit) const {
  for (const For* loop : llvm::reverse(loops))
    if (space->digits_of(*loop).contains(digit)) return {ExecutingThread::Kind::loop, loop};
  return {is_on_thread_0 ? ExecutingThread::Kind::thread_0 : ExecutingThread::Kind::all, nullptr};
}

Expr ThreadContext::spelled_out(Expr expr) const { return without_lets(std::move(expr), around); }

bool runs_on_one_thread(const Stmt& stmt, const ThreadContext& context) {
  if (context.is_on_thread_0 || context.space->used().without(context.covered).empty() ||
      !context.space->digits_in(stmt).empty())
    return false;
  bool writes_memory = false;
  for (const MemoryAccess& access : collect_accesses(stmt)) {
    if (access.writes && access.tensor->scope == Scope::registers) return false;
    writes_memory |= access.writes;
  }
  return writes_memory;
}

bool has_inner_loop_over_same_threads(const For& loop, const ThreadSpace& space) {
  const ThreadDigits own = space.digits_of(loop);
  return llvm::any_of(loops_of(loop.body),
                      [&](const For* inner) { return space.digits_of(*inner).meets(own); });
}

}  // namespace hone
