#include "codegen/pass/block_shape.h"

#include "ir/equal.h"
#include "ir/visit.h"

namespace hone {
namespace {

using Kind = Binding::Kind;

/// The larger one; without a max where one of two constants or of two equal sizes says it.
Expr larger(const Expr& lhs, const Expr& rhs) {
  const auto known = as_int(lhs), other = as_int(rhs);
  if (known && other) return std::max(*known, *other);
  return equal(lhs, rhs) ? lhs : max(lhs, rhs);
}

/// A loop that runs once inside another one of its index needs no thread of its own.
void add_extents(const Stmt& stmt, Kind kind, ThreadDims around, std::array<Expr, 3>& extents) {
  if (const auto* loop = llvm::dyn_cast<For>(stmt); loop && loop->binding.kind == kind) {
    const unsigned dim = loop->binding.dim;
    Expr& extent = extents[dim];
    if (!around.contains(dim) || !is_int(loop->extent, 1))
      extent = extent.defined() ? larger(extent, loop->extent) : loop->extent;
    around = around.with(dim);
  }
  for_each_operand(
      stmt, [](const Expr&) {},
      [&](const Stmt& nested) { add_extents(nested, kind, around, extents); });
}

std::array<Expr, 3> extents_of(const Stmt& body, Kind kind) {
  std::array<Expr, 3> extents;
  add_extents(body, kind, {}, extents);
  for (Expr& extent : extents)
    if (!extent.defined()) extent = 1;
  return extents;
}

/// Whether a loop bound to `index` encloses every statement that writes.
bool encloses_all(const Stmt& stmt, const Binding& index) {
  const auto* loop = llvm::dyn_cast<For>(stmt);
  if (loop && loop->binding == index) return true;
  bool all = !llvm::isa<Store, Copy>(stmt);
  for_each_operand(
      stmt, [](const Expr&) {},
      [&](const Stmt& nested) { all = all && encloses_all(nested, index); });
  return all;
}

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
  return dims_of(llvm::makeArrayRef(loops_).take_front(allocs_.lookup(tensor)));
}

ThreadDims ThreadNest::inside_alloc(const TensorNode* tensor) const {
  return dims_of(llvm::makeArrayRef(loops_).drop_front(allocs_.lookup(tensor)));
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
    const auto* loop = llvm::dyn_cast<For>(nested);
    if (loop && is_thread_loop(*loop)) dims = dims.with(loop->binding.dim);
  });
  return dims;
}

std::array<Expr, 3> grid_of(const Stmt& body) { return extents_of(body, Kind::block); }

std::array<Expr, 3> block_of(const Stmt& body) {
  std::array<Expr, 3> threads = extents_of(body, Kind::thread);
  for (uint8_t dim = 0; dim < 3; ++dim)
    if (!as_int(threads[dim]) && !encloses_all(body, {Kind::thread, dim, 0}))
      threads[dim] = larger(threads[dim], 1);
  return threads;
}

ThreadDims used_dims(const std::array<Expr, 3>& block) {
  ThreadDims used;
  for (unsigned dim = 0; dim < 3; ++dim)
    if (!is_int(block[dim], 1)) used = used.with(dim);
  return used;
}

}  // namespace hone
