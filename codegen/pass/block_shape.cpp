#include "codegen/pass/block_shape.h"

namespace hone {

ThreadDigits ThreadNest::all_of(llvm::ArrayRef<ThreadDigits> loops) {
  ThreadDigits all;
  for (const ThreadDigits& digits : loops) all = all.with(digits);
  return all;
}

void ThreadNest::enter(const Stmt& stmt) {
  const auto* loop = llvm::dyn_cast<For>(stmt);
  if (loop && is_thread_loop(*loop)) loops_.push_back(space_.digits_of(*loop));
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt))
    if (alloc->tensor->scope == Scope::shared) allocs_[alloc->tensor.get()] = loops_.size();
}

void ThreadNest::leave(const Stmt& stmt) {
  const auto* loop = llvm::dyn_cast<For>(stmt);
  if (loop && is_thread_loop(*loop)) loops_.pop_back();
}

ThreadDigits ThreadNest::around_alloc(const TensorNode* tensor) const {
  return all_of(llvm::ArrayRef<ThreadDigits>(loops_).take_front(allocs_.lookup(tensor)));
}

ThreadDigits ThreadNest::inside_alloc(const TensorNode* tensor) const {
  return all_of(llvm::ArrayRef<ThreadDigits>(loops_).drop_front(allocs_.lookup(tensor)));
}

ThreadDigits ThreadNest::free_threads(const Copy& copy) const {
  ThreadDigits free = space_.used();
  for (const Region* side : {&copy.destination, &copy.source})
    if (side->tensor->scope == Scope::shared) free = free.without(inside_alloc(side->tensor.get()));
  return free;
}

}  // namespace hone
