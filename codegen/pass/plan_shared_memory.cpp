// alloc A.shared: f32[32, 32] @shared      =>   alloc A.shared: f32[32, 32] @shared(0)
//                                               for i in 0..M @block.x { ... }
//
// There is one of each shared tensor in a block, wherever its alloc stands: the allocs go to the
// top. Tensors that are not in use at the same time have bytes in common. In use is a tensor from
// its first access to its last one in the order of the text, and all through a loop between the
// alloc and an access, whose other iterations may want what is in it. A tensor that one access of a
// warp holds has bytes of its own: what it would save is not worth a barrier.

#include "codegen/pass/passes.h"
#include "codegen/shared_memory.h"
#include "ir/analysis/lifetimes.h"
#include "ir/layout.h"
#include "ir/rewriter.h"
#include "ir/tensors.h"
#include "ir/visit.h"
#include "llvm/Support/MathExtras.h"

namespace hone {
namespace {

/// Every access that hardware has starts at a multiple of this.
constexpr int64_t alignment = 16;

/// Bytes that the lanes of a warp access at once, a word each.
constexpr int64_t warp_bytes = 128;

Stmt without_shared_allocs(const Stmt& stmt) {
  return transform_stmts(stmt, [](const Stmt& nested) {
    const auto* alloc = llvm::dyn_cast<Alloc>(nested);
    const bool goes = alloc && alloc->tensor->scope == Scope::shared;
    return goes ? without_shared_allocs(alloc->body) : Stmt();
  });
}

/// The lowest address where `tensor` meets none of the tensors in use at the same time.
TensorPtr place(const TensorNode& tensor, llvm::ArrayRef<TensorPtr> beside) {
  for (int64_t address = 0;;) {
    TensorPtr placed = make_form(tensor, tensor.shape, tensor.scope, tensor.layout, address);
    const auto* met =
        llvm::find_if(beside, [&](const TensorPtr& other) { return share_bytes(*placed, *other); });
    if (met == beside.end()) return placed;
    address = llvm::alignTo((*met)->address + storage_bytes(**met), alignment);
  }
}

bool is_small(const TensorNode& tensor) { return storage_bytes(tensor) <= warp_bytes; }

}  // namespace

void plan_shared_memory(KernelFunction& kernel) {
  llvm::SmallVector<std::pair<Lifetime, TensorPtr>, 4> plan;
  llvm::DenseMap<const TensorNode*, TensorPtr> placed;
  for (const auto& [tensor, lifetime] : shared_lifetimes(kernel.body)) {
    if (!lifetime.is_used()) continue;
    llvm::SmallVector<TensorPtr, 4> beside;
    for (const auto& [other, neighbour] : plan)
      if (lifetime.overlaps(other) || is_small(*tensor) || is_small(*neighbour))
        beside.push_back(neighbour);
    plan.push_back({lifetime, place(*tensor, beside)});
    placed[tensor] = plan.back().second;
  }
  kernel.body = replace_tensors(without_shared_allocs(kernel.body), [&](const TensorPtr& tensor) {
    return placed.lookup(tensor.get());
  });
  for (const auto& [lifetime, tensor] : llvm::reverse(plan))
    kernel.body = Alloc::make(tensor, kernel.body);
}

}  // namespace hone
