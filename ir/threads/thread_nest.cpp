#include "ir/threads/thread_nest.h"

#include "ir/traverse/visit.h"

namespace hone {

ThreadDigits ThreadNest::all_of(llvm::ArrayRef<const For*> loops) const {
  ThreadDigits all;
  for (const For* loop : loops) all = all.with(space_.digits_of(*loop));
  return all;
}

void ThreadNest::enter(const Stmt& stmt) {
  const auto* loop = llvm::dyn_cast<For>(stmt);
  if (loop && is_thread_loop(*loop)) loops_.push_back(loop);
  if (const auto* branch = llvm::dyn_cast<If>(stmt)) conditions_.push_back(branch);
  if (const auto* let = llvm::dyn_cast<Let>(stmt)) lets_.push_back(let);
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt))
    if (alloc->tensor->scope == Scope::shared) allocs_[alloc->tensor.get()] = loops_.size();
}

void ThreadNest::leave(const Stmt& stmt) {
  const auto* loop = llvm::dyn_cast<For>(stmt);
  if (loop && is_thread_loop(*loop)) loops_.pop_back();
  if (llvm::isa<If>(stmt)) conditions_.pop_back();
  if (llvm::isa<Let>(stmt)) lets_.pop_back();
}

ThreadDigits ThreadNest::around_alloc(const TensorNode* tensor) const {
  return all_of(llvm::ArrayRef<const For*>(loops_).take_front(allocs_.lookup(tensor)));
}

ThreadDigits ThreadNest::inside_alloc(const TensorNode* tensor) const {
  return all_of(llvm::ArrayRef<const For*>(loops_).drop_front(allocs_.lookup(tensor)));
}

ThreadDigits ThreadNest::threads_in(const Expr& value) const {
  ThreadDigits digits;
  walk(value, [&](const Expr& part) {
    const auto* load = llvm::dyn_cast<Load>(part);
    if (load && load->tensor->scope == Scope::registers) digits = digits.with(all_of(loops_));
    const auto* reference = llvm::dyn_cast<AxisRef>(part);
    if (!reference) return;
    for (const For* loop : loops_)
      if (loop->axis == reference->axis) digits = digits.with(space_.digits_of(*loop));
    for (const Let* let : lets_)
      if (let->axis == reference->axis) digits = digits.with(threads_in(let->value));
  });
  return digits;
}

ThreadDigits ThreadNest::free_threads(const Copy& copy) const {
  ThreadDigits own;
  for (const Region* side : {&copy.destination, &copy.source})
    if (side->tensor->scope == Scope::shared) own = own.with(inside_alloc(side->tensor.get()));
  for_each_operand(
      Stmt(&copy), [&](const Expr& part) { own = own.with(threads_in(part)); }, [](const Stmt&) {});
  for (const If* branch : conditions_) own = own.with(threads_in(branch->condition));
  return space_.used().without(own.with(space_.of_cluster()));
}

}  // namespace hone
