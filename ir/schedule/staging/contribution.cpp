#include "ir/schedule/staging/contribution.h"

#include "fmt/format.h"
#include "ir/schedule/staging/coverage.h"
#include "ir/schedule/staging/padding.h"
#include "ir/schedule/staging/transfer.h"
#include "ir/traverse/guards.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// The reason that the identity may change a value that nothing has been combined into.
std::string reason_of(const Store& update) {
  if (update.update == Update::custom)
    return fmt::format("{} keeps what it has combined, and promises nothing of other values",
                       update.op->name);
  return fmt::format("{} makes a number of a NaN", update.update == Update::min ? "min" : "max");
}

/// Elements that nothing is combined into are combined with the identity.
void check_contribution(const Preconditions& check, const Staged& staged, const TensorPtr& tensor) {
  const auto* access = llvm::find_if(
      staged.accesses, [&](const MemoryAccess& a) { return a.tensor == tensor && a.writes; });
  const auto& update = *llvm::cast<Store>(access->statement);
  if (keeps_any_value(update)) return;
  const Stmt sets = transform_stmts(staged.body, [&](const Stmt& stmt) -> Stmt {
    const auto* store = llvm::dyn_cast<Store>(stmt);
    if (!store || store->tensor != tensor) return {};
    return Store::make(tensor, store->indices, Update::set, store->value);
  });
  if (sets_whole_box(sets, tensor, staged.box, staged.moving)) return;
  const bool is_scatter = llvm::any_of(access->indices, [](const Expr& index) {
    return any_of(index, [](const Expr& part) { return llvm::isa<Load>(part); });
  });
  check.refuse(access->statement.get(),
               fmt::format("the tile of {} may have elements that nothing is combined into, and "
                           "would be combined with the identity: {}",
                           tensor->name, reason_of(update)),
               is_scatter ? fmt::format("combine into {} itself, by atomic updates, without a tile",
                                        tensor->name)
                          : "choose factors that divide, or cache before combining");
}

}  // namespace

bool is_combined(const Preconditions& check, const Staged& staged, const TensorPtr& tensor) {
  const auto combines = [](const For* loop) {
    const CombineLevels& levels = loop->binding.combine;
    return levels && !levels.is_exchange();
  };
  auto loops = staged.site.enclosing_loops();
  loops.push_back(&staged.site.loop());
  if (llvm::none_of(loops, combines)) return false;
  const MemoryAccess* first = nullptr;
  bool is_set = false;
  for (const MemoryAccess& access : staged.accesses) {
    if (access.tensor != tensor) continue;
    if (!first) first = &access;
    is_set |= !access.writes || access.update == Update::set || !commute(access, *first);
  }
  if (!is_set) return true;
  if (first->writes && first->update != Update::set)
    check.refuse(
        first->statement.get(),
        fmt::format("{} is updated here, and used in another way as well, and loops around "
                    "combine their updates of it",
                    first->text()));
  return false;
}

Stmt with_contribution(const Preconditions& check, const Staged& staged, const TensorPtr& tensor,
                       const TensorPtr& tile, const Stmt& body, Names names) {
  check_contribution(check, staged, tensor);
  const auto* access = llvm::find_if(
      staged.accesses, [&](const MemoryAccess& a) { return a.tensor == tensor && a.writes; });
  const auto& update = *llvm::cast<Store>(access->statement);
  const Binding::Kind kind =
      tile->scope == Scope::registers ? Binding::Kind::unroll : Binding::Kind::serial;
  const auto for_each_element = [&](const char* suffix,
                                    llvm::function_ref<Stmt(llvm::ArrayRef<Expr>)> make) {
    llvm::SmallVector<AxisPtr, 4> axes;
    llvm::SmallVector<Expr, 4> place;
    for (size_t dim = 0; dim < tile->shape.size(); ++dim) {
      axes.push_back(make_axis(names.fresh(tile->name + suffix), AxisKind::spatial));
      place.push_back(AxisRef::make(axes.back()));
    }
    Stmt stmt = make(place);
    for (size_t dim = axes.size(); dim-- > 0;)
      stmt = For::make(axes[dim], tile->shape[dim], {kind}, stmt);
    return stmt;
  };
  const Stmt init = for_each_element(".init", [&](llvm::ArrayRef<Expr> place) {
    return Store::make(tile, place, Update::set, identity_of(update));
  });
  const Stmt add = for_each_element(".add", [&](llvm::ArrayRef<Expr> place) {
    Region element{tensor, {}};
    llvm::SmallVector<Expr, 4> indices;
    size_t next = 0;
    for (size_t dim = 0; dim < staged.box.extents.size(); ++dim) {
      const bool is_point = staged.box.extents[dim] == 1;
      indices.push_back(is_point ? staged.box.base[dim]
                                 : staged.box.base[dim] + place[next++] * staged.box.strides[dim]);
      element.ranges.push_back({indices.back()});
    }
    const Stmt result = update.with(tensor, indices, Load::make(tile, place));
    const auto guards = element_guards(staged.accesses, tensor, staged.box, place, staged.facts);
    return where_inside(element, guarded(guards, result));
  });
  return Alloc::make(tile, Seq::make({init, body, add}));
}

}  // namespace hone
