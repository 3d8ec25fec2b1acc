#include "codegen/pass/thread_context.h"

#include "ir/analysis/site.h"
#include "ir/rewriter.h"
#include "ir/visit.h"

namespace hone {
namespace {

/// True if the condition depends on thread axes, or on elements that each thread has of its own.
bool differs_between_threads(const Expr& condition, llvm::ArrayRef<const For*> loops) {
  return any_of(condition, [&](const Expr& part) {
    const auto* load = llvm::dyn_cast<Load>(part);
    const auto* reference = llvm::dyn_cast<AxisRef>(part);
    const auto is_its_loop = [&](const For* loop) {
      return loop->axis == reference->axis && is_thread_loop(*loop);
    };
    return load ? load->tensor->scope == Scope::registers
                : reference && llvm::any_of(loops, is_its_loop);
  });
}

}  // namespace

void ThreadContext::enter(const For& loop) {
  loops.push_back(&loop);
  facts.add_axis(loop.axis, loop.extent);
  covered = covered.with(space->digits_of(loop));
}

void ThreadContext::enter(const If& branch) {
  const Expr condition = spelled_out(branch.condition);
  guards.push_back(condition);
  facts.assume(branch.condition);
  is_divergent |= differs_between_threads(condition, loops);
}

void ThreadContext::enter(const Let& let) {
  lets.push_back(&let);
  facts.define(let.axis, let.value);
}

Runner ThreadContext::runner(size_t digit) const {
  for (const For* loop : llvm::reverse(loops))
    if (space->digits_of(*loop).contains(digit)) return {Runner::Kind::loop, loop};
  return {is_on_thread_0 ? Runner::Kind::thread_0 : Runner::Kind::all, nullptr};
}

Expr ThreadContext::spelled_out(Expr expr) const {
  for (const Let* let : llvm::reverse(lets)) expr = substitute(expr, let->axis.get(), let->value);
  return expr;
}

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

bool is_dealt_out_anew(const For& loop, const ThreadSpace& space) {
  const ThreadDigits own = space.digits_of(loop);
  return llvm::any_of(loops_of(loop.body),
                      [&](const For* inner) { return space.digits_of(*inner).meets(own); });
}

}  // namespace hone
