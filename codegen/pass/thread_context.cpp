#include "codegen/pass/thread_context.h"

#include "ir/analysis/site.h"
#include "ir/rewriter.h"
#include "ir/visit.h"

namespace hone {
namespace {

/// Conditions on thread axes, and on what threads have of their own.
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
  if (is_thread_loop(loop)) covered = covered.with(loop.binding.dim);
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

Runner ThreadContext::runner(unsigned dim) const {
  for (const For* loop : llvm::reverse(loops))
    if (is_thread_loop(*loop) && loop->binding.dim == dim) return {Runner::Kind::loop, loop};
  return {is_on_thread_0 ? Runner::Kind::thread_0 : Runner::Kind::all, nullptr};
}

Expr ThreadContext::spelled_out(Expr expr) const {
  for (const Let* let : llvm::reverse(lets)) expr = substitute(expr, let->axis.get(), let->value);
  return expr;
}

bool runs_on_one_thread(const Stmt& stmt, ThreadDims used, const ThreadContext& context) {
  if (context.is_on_thread_0 || used.without(context.covered).empty() || !thread_dims(stmt).empty())
    return false;
  bool writes_memory = false;
  for (const MemoryAccess& access : collect_accesses(stmt)) {
    if (access.writes && access.tensor->scope == Scope::registers) return false;
    writes_memory |= access.writes;
  }
  return writes_memory;
}

bool is_dealt_out_anew(const For& loop) {
  return llvm::any_of(loops_of(loop.body), [&](const For* inner) {
    return is_thread_loop(*inner) && inner->binding.dim == loop.binding.dim;
  });
}

}  // namespace hone
