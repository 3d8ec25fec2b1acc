#include "codegen/pass/block_shape.h"

#include "ir/visit.h"

namespace hone {
namespace {

ThreadDims dims_of(llvm::ArrayRef<unsigned> loops) {
  ThreadDims dims;
  for (const unsigned dim : loops) dims = dims.with(dim);
  return dims;
}

}  // namespace

void ThreadNest::enter(const Stmt& stmt) {
  const auto* loop = llvm::dyn_cast<For>(stmt);
  if (loop && is_thread_loop(*loop)) loops_.push_back(loop->binding.dim);
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt))
    if (alloc->tensor->scope == Scope::shared) allocs_[alloc->tensor.get()] = loops_.size();
}

void ThreadNest::leave(const Stmt& stmt) {
  const auto* loop = llvm::dyn_cast<For>(stmt);
  if (loop && is_thread_loop(*loop)) loops_.pop_back();
}

ThreadDims ThreadNest::around_alloc(const TensorNode* tensor) const {
  return dims_of(llvm::ArrayRef<unsigned>(loops_).take_front(allocs_.lookup(tensor)));
}

ThreadDims ThreadNest::inside_alloc(const TensorNode* tensor) const {
  return dims_of(llvm::ArrayRef<unsigned>(loops_).drop_front(allocs_.lookup(tensor)));
}

std::array<Expr, 3> ThreadNest::free_threads(const Copy& copy, std::array<Expr, 3> block) const {
  for (const Region* side : {&copy.destination, &copy.source}) {
    if (side->tensor->scope != Scope::shared) continue;
    const ThreadDims taken = inside_alloc(side->tensor.get());
    for (unsigned dim = 0; dim < 3; ++dim)
      if (taken.contains(dim)) block[dim] = 1;
  }
  return block;
}

ThreadDims thread_dims(const Stmt& stmt) {
  ThreadDims dims;
  walk(stmt, [&](const Stmt& nested) {
    if (const auto* loop = llvm::dyn_cast<For>(nested); loop && is_thread_loop(*loop))
      dims = dims.with(loop->binding.dim);
    if (const auto* copy = llvm::dyn_cast<Copy>(nested))
      for (unsigned dim = 0; dim < 3; ++dim)
        if (copy->maker.has_dim(dim)) dims = dims.with(dim);
  });
  return dims;
}

ThreadDims used_dims(const std::array<Expr, 3>& block) {
  ThreadDims used;
  for (unsigned dim = 0; dim < 3; ++dim)
    if (!is_int(block[dim], 1)) used = used.with(dim);
  return used;
}

}  // namespace hone
