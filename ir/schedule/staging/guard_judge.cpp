#include "ir/schedule/staging/guard_judge.h"

#include <set>

#include "ir/algebra/facts_rewriter.h"
#include "ir/algebra/fold.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/index_value.h"
#include "ir/analysis/reach.h"
#include "ir/schedule/staging/clipped_away.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

using Place = std::vector<int64_t>;

/// True if the tensor has that many elements.
bool has_elements(const TensorNode& tensor, size_t count) {
  Expr elements = 1;
  for (const Expr& extent : tensor.shape) elements = elements * extent;
  return is_int(folded(elements), static_cast<int64_t>(count));
}

bool is_within(const TensorPtr& tensor, llvm::ArrayRef<Expr> indices, Facts& facts) {
  for (unsigned dim = 0; dim < tensor->rank(); ++dim)
    if (!proves(indices[dim] < tensor->shape[dim], facts) || !proves(indices[dim] >= 0, facts))
      return false;
  return true;
}

/// Judges a guard by what stands behind it.
class GuardJudge {
 public:
  GuardJudge(const Tiles& tiles, const Expr& guard, const Facts& facts)
      : tiles_(tiles), guard_(guard), facts_(facts) {}

  bool is_needless(const Stmt& stmt) {
    const FactsScope inside(facts_);
    return visit_stmt(stmt);
  }

 private:
  bool visit_stmt(const Stmt& stmt) {
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) {
      facts_.add_axis(loop->axis, loop->extent);
      return is_needless(loop->body);
    }
    if (const auto* seq = llvm::dyn_cast<Seq>(stmt))
      return llvm::all_of(seq->stmts, [&](const Stmt& part) { return is_needless(part); });
    if (const auto* branch = llvm::dyn_cast<If>(stmt)) {
      if (!is_safe(branch->condition)) return false;
      facts_.assume(branch->condition);
      return is_needless(branch->body);
    }
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) {
      local_.push_back(alloc->tensor.get());
      return is_needless(alloc->body);
    }
    if (const auto* copy = llvm::dyn_cast<Copy>(stmt))  // it clips
      return llvm::is_contained(local_, copy->destination.tensor.get()) && is_safe(copy->source) &&
             is_safe(copy->destination);
    const auto* store = llvm::dyn_cast<Store>(stmt);
    return store && is_harmless(*store);
  }

  bool is_harmless(const Store& store) {
    const auto fails = [&](const Expr& index) { return !is_safe(index); };
    if (!is_within(store.tensor, store.indices, facts_) || !is_safe(store.value) ||
        llvm::any_of(store.indices, fails))
      return false;
    if (llvm::is_contained(local_, store.tensor.get())) return true;
    if (store.update != Update::set && !is_filled(store.tensor, store.indices)) return false;
    return (is_neutral(store) && is_touched_anyway(store)) ||
           is_clipped_away(store.tensor, store.indices, guard_, tiles_, facts_);
  }

  /// True if the same elements are touched without the guard: it chooses iterations. Other elements
  /// may be no part of the program, may be another thread's, and may not be set.
  bool is_touched_anyway(const Store& store) { return !is_chosen(store.indices); }

  /// True if another thread may write the element that is read without the guard.
  bool may_be_written(const TensorPtr& tensor, const Expr& index) {
    return tensor->scope == Scope::global && tiles_.is_written(tensor.get()) && is_chosen(index);
  }

  bool is_chosen(llvm::ArrayRef<Expr> indices) const {
    return llvm::any_of(indices, [&](const Expr& index) { return is_chosen(index); });
  }

  /// True if the guard mentions axes that the index depends on.
  bool is_chosen(const Expr& index) const {
    const auto chosen = axes_of(guard_);
    return llvm::any_of(axes_of(index),
                        [&](const AxisNode* axis) { return llvm::is_contained(chosen, axis); });
  }

  /// The axes that a value depends on, also by way of lets.
  llvm::SmallVector<const AxisNode*, 4> axes_of(const Expr& value) const {
    llvm::SmallVector<const AxisNode*, 4> axes;
    walk(value, [&](const Expr& part) {
      const auto* reference = llvm::dyn_cast<AxisRef>(part);
      if (!reference) return;
      axes.push_back(reference->axis.get());
      if (const Expr defined = facts_.value(axes.back()); defined.defined())
        llvm::append_range(axes, axes_of(defined));
    });
    return axes;
  }

  /// Without the guard every index stays within its tensor, nobody writes there, and nothing else
  /// can fail.
  bool is_safe(const Expr& value) {
    bool safe = !may_divide_by_zero(value);
    walk(value, [&](const Expr& part) {
      const auto* load = llvm::dyn_cast<Load>(part);
      safe = safe && (!load || is_safe(*load));
    });
    return safe && has_value(value, facts_);
  }

  bool is_safe(const Load& load) {
    return is_within(load.tensor, load.indices, facts_) && is_filled(load.tensor, load.indices) &&
           llvm::none_of(load.indices,
                         [&](const Expr& index) { return may_be_written(load.tensor, index); });
  }

  /// True if the element of a tile, or without indices every element, holds a value without the
  /// guard too: the statement that fills it is not under the guard, and is no copy of a tile that
  /// is filled only from this one.
  bool is_filled(const TensorPtr& tensor, llvm::ArrayRef<Expr> indices = {}) {
    const Tile* tile = tiles_.find(tensor.get());
    if (!tile || tensor->scope == Scope::global) return true;
    if (llvm::is_contained(asked_, tensor.get())) return false;
    asked_.push_back(tensor.get());
    const bool filled = is_filled(*tile, tensor, indices);
    asked_.pop_back();
    return filled;
  }

  bool is_filled(const Tile& tile, const TensorPtr& tensor, llvm::ArrayRef<Expr> indices) {
    std::set<Place> places;  // filled one by one
    for (const TileUse& writer : tile.writers) {
      if (!happens_anyway(writer) || !sets_values(writer.stmt, tensor, indices)) continue;
      if (covers(writer, tensor, indices)) return true;
      if (const auto place = constant_place(writer.stmt)) places.insert(*place);
    }
    return has_elements(*tensor, places.size());
  }

  bool happens_anyway(const TileUse& writer) {
    return llvm::all_of(writer.guards, [&](const Expr& guard) { return proves(guard, facts_); });
  }

  bool sets_values(const Stmt& writer, const TensorPtr& tensor, llvm::ArrayRef<Expr> indices) {
    if (const auto* copy = llvm::dyn_cast<Copy>(writer)) return brings_value(*copy, indices);
    const auto* set = llvm::dyn_cast<Store>(writer);
    if (!set) return true;
    bool filled = set->update == Update::set && !reads(set->value, tensor);
    walk(set->value, [&](const Expr& part) {
      const auto* load = llvm::dyn_cast<Load>(part);
      filled = filled && (!load || has_value_for(load->tensor, load->indices, indices));
    });
    return filled;
  }

  /// True where the copy takes an element with a value to `indices`, one that exists or its fill.
  bool brings_value(const Copy& copy, llvm::ArrayRef<Expr> indices) {
    const auto source = source_of(copy, indices);
    return has_value_for(copy.source.tensor, source, indices) ||
           (!source.empty() && is_outside(copy.source.tensor, source));
  }

  /// The element that the copy takes to `indices`; empty where that is not known.
  static llvm::SmallVector<Expr, 4> source_of(const Copy& copy, llvm::ArrayRef<Expr> indices) {
    const auto& ranges = copy.destination.ranges;
    if (indices.size() != ranges.size()) return {};
    llvm::SmallVector<Expr, 4> position;
    for (auto [index, range] : llvm::zip(indices, ranges)) {
      if (range.stride != 1) return {};
      if (!range.is_point()) position.push_back(index - range.offset);
    }
    return indices_at(copy.source, position);
  }

  /// True where the element that moves to `to` holds something without the guard too. In a tensor
  /// that the program writes, those that the guard excludes may be written later.
  bool has_value_for(const TensorPtr& tensor, llvm::ArrayRef<Expr> from, llvm::ArrayRef<Expr> to) {
    if (tensor->scope != Scope::global) return is_filled(tensor, from);
    return !tiles_.is_written(tensor.get()) || (!is_chosen(from) && !is_chosen(to));
  }

  /// True where elements that the guard excludes lie outside of the tensor.
  bool is_outside(const TensorPtr& tensor, llvm::ArrayRef<Expr> indices) {
    const Expr excluded = negated(guard_);
    if (!excluded.defined()) return false;
    const FactsScope inside(facts_);
    facts_.assume(excluded);
    for (unsigned dim = 0; dim < tensor->rank(); ++dim)
      if (proves(indices[dim] >= tensor->shape[dim], facts_) || proves(indices[dim] < 0, facts_))
        return true;
    return false;
  }

  /// True if the statement writes all elements of the tile, or the one at `indices`.
  bool covers(const TileUse& writer, const TensorPtr& tensor, llvm::ArrayRef<Expr> indices) const {
    const auto* store = llvm::dyn_cast<Store>(writer.stmt);
    if (store && !indices.empty() && all_equal(store->indices, indices)) return true;
    return llvm::any_of(collect_accesses(writer.stmt), [&](MemoryAccess access) {
      access.inner.insert(access.inner.begin(), writer.loops.begin(), writer.loops.end());
      access.guards.clear();
      return access.writes && access.tensor == tensor && reaches_all(access, facts_);
    });
  }

  static std::optional<Place> constant_place(const Stmt& writer) {
    const auto* store = llvm::dyn_cast<Store>(writer);
    if (!store) return std::nullopt;
    Place place;
    for (const Expr& index : store->indices)
      if (const auto constant = as_int(index)) place.push_back(*constant);
    return place.size() == store->indices.size() ? std::optional(place) : std::nullopt;
  }

  bool is_safe(const Region& region) {
    return llvm::all_of(region.ranges, [&](const Range& range) {
      return is_safe(range.offset) && !may_be_written(region.tensor, range.offset);
    });
  }

  /// True if the update leaves the element as it is wherever the guard does not hold.
  bool is_neutral(const Store& store) {
    const Expr identity = identity_of(store);
    const Expr excluded = negated(guard_);
    if (!identity.defined() || !excluded.defined()) return false;
    const FactsScope inside(facts_);
    facts_.assume(excluded);
    const Expr value = folded(tiles_.in_padding(store.value, facts_));
    return value.defined() && equal(value, identity);
  }

  const Tiles& tiles_;
  const Expr guard_;
  Facts facts_;
  llvm::SmallVector<const TensorNode*, 4> local_;
  llvm::SmallVector<const TensorNode*, 2> asked_;  // by is_filled, further up
};

}  // namespace

bool is_needless_guard(const Expr& guard, const Stmt& stmt, const Tiles& tiles,
                       const Facts& facts) {
  return GuardJudge(tiles, guard, facts).is_needless(stmt);
}

bool needs_guard(llvm::ArrayRef<MemoryAccess> accesses, Facts& facts) {
  return llvm::any_of(accesses, [&](const MemoryAccess& access) {
    if (access.copy) return access.writes;  // it clips
    const FactsScope inside(facts);
    for (const auto& [axis, extent] : access.inner) facts.add_axis(axis, extent);
    for (const Expr& guard : access.guards) facts.assume(guard);
    return !is_within(access.tensor, access.indices, facts);
  });
}

}  // namespace hone
