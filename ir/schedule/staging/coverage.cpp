#include "ir/schedule/staging/coverage.h"

#include "ir/algebra/simplify.h"
#include "llvm/Support/MathExtras.h"

namespace hone {
namespace {

/// True if the first statement of `stmt` that touches `tensor` is a plain store or a copy that
/// every iteration of the loops around it runs. `facts` say that its element exists.
bool sets_each_time(const Stmt& stmt, const TensorPtr& tensor, Facts facts) {
  if (const auto* seq = llvm::dyn_cast<Seq>(stmt)) {
    const auto* part =
        llvm::find_if(seq->stmts, [&](const Stmt& part) { return touches(part, tensor); });
    return part != seq->stmts.end() && sets_each_time(*part, tensor, facts);
  }
  if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt))
    return sets_each_time(alloc->body, tensor, facts);
  if (const auto* loop = llvm::dyn_cast<For>(stmt)) {
    facts.add_axis(loop->axis, loop->extent);
    return sets_each_time(loop->body, tensor, facts);
  }
  if (const auto* branch = llvm::dyn_cast<If>(stmt))
    return proves(branch->condition, facts) && sets_each_time(branch->body, tensor, facts);
  if (const auto* copy = llvm::dyn_cast<Copy>(stmt))
    return copy->destination.tensor == tensor && copy->source.tensor != tensor;
  const auto* store = llvm::dyn_cast<Store>(stmt);
  return store && store->tensor == tensor && store->update == Update::set;
}

/// The loops around an access, without bodies, and what keeps them alive.
struct OwnLoops {
  llvm::SmallVector<Stmt, 4> stmts;
  llvm::SmallVector<const For*, 4> loops;

  explicit OwnLoops(const MemoryAccess& access) {
    for (const auto& [axis, extent] : access.inner) {
      stmts.push_back(For::make(axis, extent, {}, Seq::make({})));
      loops.push_back(llvm::cast<For>(stmts.back().get()));
    }
  }
};

/// True if `access` touches only elements that the iteration of `first` around both has set:
/// different iterations of the loops that they have in common lead to different elements.
bool stays_beside(const MemoryAccess& first, const MemoryAccess& access, const Facts& facts) {
  OwnLoops common(first);
  llvm::erase_if(common.loops, [&](const For* loop) {
    return llvm::none_of(access.inner,
                         [&](const auto& range) { return range.first == loop->axis; });
  });
  return common.loops.empty() || unseparated(common.loops, first, access, facts).empty();
}

/// A copy that reaches beyond the end of the tensor reads its fill value there.
bool may_clip(const MemoryAccess& access, Facts facts) {
  if (!access.copy) return false;
  for (const auto& [axis, extent] : access.inner) facts.add_axis(axis, extent);
  for (const Expr& guard : access.guards) facts.assume(guard);
  for (auto [index, extent] : llvm::zip(access.indices, access.tensor->shape))
    if (!proves(index >= 0, facts) || !proves(index < extent, facts)) return true;
  return false;
}

std::optional<int64_t> iterations_of(const MemoryAccess& access) {
  int64_t product = 1;
  for (const auto& [axis, extent] : access.inner) {
    const auto count = as_int(extent);
    if (!count || llvm::MulOverflow(product, *count, product)) return std::nullopt;
  }
  return product;
}

std::optional<int64_t> elements_of(const Box& box) {
  int64_t product = 1;
  for (const int64_t extent : box.extents)
    if (llvm::MulOverflow(product, extent, product)) return std::nullopt;
  return product;
}

}  // namespace

/// True if every element of the box that lies inside the tensor is set before it is used.
bool sets_whole_box(const Stmt& stmt, const TensorPtr& tensor, const Box& box, Facts facts) {
  Accesses accesses = collect_accesses(stmt);
  llvm::erase_if(accesses, [&](const MemoryAccess& access) { return access.tensor != tensor; });
  const auto reads_fill = [&](const MemoryAccess& access) {
    return !access.writes && may_clip(access, facts);
  };
  if (llvm::any_of(accesses, reads_fill)) return false;
  const MemoryAccess& first = accesses.front();
  if (!first.writes || first.update != Update::set) return false;
  for (size_t dim = 0; dim < first.indices.size(); ++dim)
    facts.assume(first.indices[dim] < tensor->shape[dim]);
  if (!sets_each_time(stmt, tensor, facts)) return false;
  // As many iterations as elements, no two of which set the same one, set them all.
  const auto iterations = iterations_of(first);
  return iterations && iterations == elements_of(box) &&
         llvm::all_of(accesses, [&](const MemoryAccess& access) {
           return stays_beside(first, access, facts);
         });
}

}  // namespace hone
