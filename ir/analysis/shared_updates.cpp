#include "ir/analysis/shared_updates.h"

#include "ir/algebra/polynomial.h"
#include "ir/analysis/dependence.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rename.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace hone {
namespace {

using Kind = Binding::Kind;

/// `update` as one block makes it, with the loops that it runs itself.
MemoryAccess in_a_block(MemoryAccess update, const For& loop) {
  for (const For* inner : loops_of(loop.body))
    if (inner->binding.kind == Kind::block)
      llvm::erase_if(update.inner, [&](const auto& range) { return range.first == inner->axis; });
  return update;
}

/// The loops over elements within a loop over blocks that come to one element more than once.
llvm::SmallVector<const For*, 4> mixed_loops(const MemoryAccess& update, const For& loop) {
  llvm::SmallVector<const For*, 4> over_elements;
  for (const For* inner : find_site(loop.body, update.statement.get())->enclosing_loops())
    if (!inner->is_reduction() && inner->binding.kind != Kind::block)
      over_elements.push_back(inner);
  if (over_elements.empty()) return over_elements;
  return unseparated(over_elements, update, update, Facts());
}

}  // namespace

std::optional<Varying> what_varies(const Expr& index, const MemoryAccess& update, const For& loop,
                                   bool over_spatial) {
  if (mentions(index, loop.axis.get())) return Varying{loop.axis->name};
  for (const TensorPtr& tensor : update.changing)
    if (reads(index, tensor)) return Varying{tensor->name};
  for (const auto& [axis, extent] : update.inner)
    if ((over_spatial || axis->kind == AxisKind::reduction) && mentions(index, axis.get()))
      return Varying{axis->name, true};
  return std::nullopt;
}

llvm::SmallVector<bool, 4> scattered_dims(const Accesses& updates, const For& loop) {
  const MemoryAccess& first = updates.front();
  const bool is_one = updates.size() == 1;
  const auto mixed = is_one ? mixed_loops(first, loop) : llvm::SmallVector<const For*, 4>();
  llvm::SmallVector<bool, 4> scattered(first.indices.size());
  for (size_t dim = 0; dim < scattered.size(); ++dim)
    scattered[dim] = llvm::any_of(updates, [&](const MemoryAccess& update) {
      const Expr& index = update.indices[dim];
      const auto is_in_index = [&](const For* inner) { return mentions(index, inner->axis.get()); };
      return !equal(index, first.indices[dim]) || llvm::any_of(mixed, is_in_index) ||
             what_varies(index, in_a_block(update, loop), loop, !is_one);
    });
  return scattered;
}

MemoryAccess with_any_element(MemoryAccess update, llvm::ArrayRef<bool> scattered) {
  for (size_t dim = 0; dim < scattered.size(); ++dim) {
    if (!scattered[dim]) continue;
    const AxisPtr axis = make_variable();
    update.inner.push_back({axis, update.tensor->shape[dim]});
    update.indices[dim] = AxisRef::make(axis);
  }
  return update;
}

Accesses shared_updates(const Site& site) {
  const For* loops[] = {&site.loop()};
  const Facts facts = site.facts();
  Accesses updates = collect_accesses(site.loop().body);
  llvm::erase_if(updates, [](const MemoryAccess& access) {
    return !access.writes || access.update == Update::set;
  });
  const auto are_shared = [&](const MemoryAccess& lhs, const MemoryAccess& rhs) {
    return lhs.tensor == rhs.tensor && !unseparated(loops, lhs, rhs, facts).empty();
  };
  llvm::SmallPtrSet<const TensorNode*, 4> shared;
  for (const MemoryAccess& update : updates)
    if (!shared.contains(update.tensor.get()) &&
        llvm::any_of(updates, [&](const auto& other) { return are_shared(update, other); }))
      shared.insert(update.tensor.get());
  llvm::erase_if(updates,
                 [&](const auto& update) { return !shared.contains(update.tensor.get()); });
  return updates;
}

}  // namespace hone
