#include "ir/schedule/padding.h"

#include "ir/analysis/index_value.h"
#include "ir/analysis/tiles.h"
#include "ir/equal.h"
#include "ir/rewriter.h"
#include "ir/scalar.h"
#include "ir/schedule/independence.h"
#include "ir/simplify.h"
#include "ir/visit.h"

namespace hone {
namespace {

/// One operation on constants.
Expr fold(const Expr& expr) {
  llvm::SmallVector<Scalar, 3> operands;
  bool known = true;
  for_each_operand(expr, [&](const Expr& operand) {
    const auto value = as_scalar(operand);
    known &= value.has_value();
    if (value) operands.push_back(*value);
  });
  if (!known) return {};
  if (const auto* unary = llvm::dyn_cast<Unary>(expr))
    return constant_of(apply(unary->op, operands[0]));
  if (const auto* binary = llvm::dyn_cast<Binary>(expr))
    return constant_of(apply(binary->op, operands[0], operands[1]));
  if (llvm::isa<Cast>(expr)) return constant_of(convert(expr.type(), operands[0]));
  if (const auto* call = llvm::dyn_cast<Call>(expr))
    return constant_of(apply(call->intrinsic, operands));
  if (const auto* component = llvm::dyn_cast<Component>(expr))
    return constant_of(operands[0].component(component->position));
  if (llvm::isa<Select>(expr)) return constant_of(operands[operands[0].integer != 0 ? 1 : 2]);
  return {};
}

/// Whether a guard can go, judged from what stands behind it.
class Judge {
 public:
  Judge(const Tiles& tiles, const Expr& guard, const Facts& facts)
      : tiles_(tiles), guard_(guard), facts_(facts) {}

  bool is_needless(const Stmt& stmt) {
    const Facts::Mark mark = facts_.mark();
    const bool result = visit_stmt(stmt);
    facts_.rewind(mark);
    return result;
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
    if (!is_within(store.tensor, store.indices) || !is_safe(store.value) ||
        llvm::any_of(store.indices, fails))
      return false;
    if (llvm::is_contained(local_, store.tensor.get())) return true;
    if (store.update != Update::set && !is_filled(store.tensor)) return false;
    return (is_neutral(store) && is_touched_anyway(store)) || is_clipped_away(store);
  }

  /// Whether the guard chooses iterations, not elements: an argument may be larger than what the
  /// program computes, another thread may own what lies beyond, and nobody may have set it.
  bool is_touched_anyway(const Store& store) {
    return llvm::none_of(store.indices, [&](const Expr& index) { return is_chosen(index); });
  }

  /// Whether what is read without the guard may be what another thread writes.
  bool may_be_written(const TensorPtr& tensor, const Expr& index) {
    return tensor->scope == Scope::global && tiles_.is_written(tensor.get()) && is_chosen(index);
  }

  /// Whether the guard is about the axes that the index depends on.
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
    return is_within(load.tensor, load.indices) && is_filled(load.tensor) &&
           llvm::none_of(load.indices,
                         [&](const Expr& index) { return may_be_written(load.tensor, index); });
  }

  /// Whether a tile holds something without the guard too: what fills it does not stand behind it,
  /// and is no copy of a tile that is not filled but by way of this one.
  bool is_filled(const TensorPtr& tensor) {
    const Tile* tile = tiles_.find(tensor.get());
    if (!tile || tensor->scope == Scope::global) return true;
    if (llvm::is_contained(asked_, tensor.get())) return false;
    asked_.push_back(tensor.get());
    const bool filled = llvm::any_of(tile->writers, [&](const TileUse& writer) {
      return fills(writer.stmt, tensor) &&
             llvm::all_of(writer.guards, [&](const Expr& guard) { return proves(guard, facts_); });
    });
    asked_.pop_back();
    return filled;
  }

  bool fills(const Stmt& writer, const TensorPtr& tensor) {
    if (const auto* copy = llvm::dyn_cast<Copy>(writer)) return is_filled(copy->source.tensor);
    const auto* set = llvm::dyn_cast<Store>(writer);
    if (!set) return true;
    bool filled = set->update == Update::set && !reads(set->value, tensor);
    walk(set->value, [&](const Expr& part) {
      const auto* load = llvm::dyn_cast<Load>(part);
      filled = filled && (!load || is_filled(load->tensor));
    });
    return filled;
  }

  bool is_safe(const Region& region) {
    return llvm::all_of(region.ranges, [&](const Range& range) {
      return is_safe(range.offset) && !may_be_written(region.tensor, range.offset);
    });
  }

  bool is_within(const TensorPtr& tensor, llvm::ArrayRef<Expr> indices) {
    for (unsigned dim = 0; dim < tensor->rank(); ++dim)
      if (!proves(indices[dim] < tensor->shape[dim], facts_) || !proves(indices[dim] >= 0, facts_))
        return false;
    return true;
  }

  /// Where the guard does not hold, the update leaves the element as it is.
  bool is_neutral(const Store& store) {
    const Expr identity = identity_of(store);
    const Expr excluded = negated(guard_);
    if (!identity.defined() || !excluded.defined()) return false;
    const Facts::Mark mark = facts_.mark();
    facts_.assume(excluded);
    const Expr value = folded(tiles_.in_padding(store.value, facts_));
    facts_.rewind(mark);
    return value.defined() && equal(value, identity);
  }

  /// Whoever takes the element out of its tile does so only where the guard holds.
  bool is_clipped_away(const Store& store) {
    const Tile* tile = tiles_.find(store.tensor.get());
    return tile && llvm::all_of(tile->readers, [&](const TileUse& reader) {
             return is_own_update(reader, store) || implies_guard(reader, store);
           });
  }

  static bool reads(const Expr& value, const TensorPtr& tensor) {
    bool found = false;
    walk(value, [&](const Expr& part) {
      const auto* load = llvm::dyn_cast<Load>(part);
      found |= load && load->tensor == tensor;
    });
    return found;
  }

  /// A statement that reads an element only to write it again.
  static bool is_own_update(const TileUse& reader, const Store& store) {
    const auto* update = llvm::dyn_cast<Store>(reader.stmt);
    if (!update || update->tensor != store.tensor) return false;
    bool own = true;
    walk(update->value, [&](const Expr& part) {
      const auto* load = llvm::dyn_cast<Load>(part);
      own &= !load || load->tensor != store.tensor || all_equal(load->indices, update->indices);
    });
    return own;
  }

  bool implies_guard(const TileUse& reader, const Store& store) {
    const Facts::Mark mark = facts_.mark();
    for (const Expr& guard : reader.guards) facts_.assume(guard);
    const auto* copy = llvm::dyn_cast<Copy>(reader.stmt);
    const bool is_known = copy ? assume_copied(*copy, store) : store.tensor->rank() == 0;
    const bool implied = is_known && proves(guard_, facts_);
    facts_.rewind(mark);
    return implied;
  }

  /// Assumes that the copy takes the stored element along: its place in the destination exists.
  bool assume_copied(const Copy& copy, const Store& store) {
    llvm::SmallVector<Expr, 4> position;
    for (size_t dim = 0; dim < copy.source.ranges.size(); ++dim) {
      const Range& range = copy.source.ranges[dim];
      if (range.stride != 1) return false;
      if (!range.is_point()) position.push_back(store.indices[dim] - range.offset);
    }
    const Region& to = copy.destination;
    const auto indices = indices_at(to, position);
    for (size_t dim = 0; dim < indices.size(); ++dim)
      facts_.assume(simplify(indices[dim], facts_) < to.tensor->shape[dim]);
    return true;
  }

  const Tiles& tiles_;
  const Expr guard_;
  Facts facts_;
  llvm::SmallVector<const TensorNode*, 4> local_;
  llvm::SmallVector<const TensorNode*, 2> asked_;  // by is_filled, further up
};

/// The tensors that `stmt` writes.
llvm::SmallVector<TensorPtr, 4> written_in(const Stmt& stmt) {
  llvm::SmallVector<TensorPtr, 4> written;
  for (const MemoryAccess& access : collect_accesses(stmt))
    if (access.writes && !llvm::is_contained(written, access.tensor))
      written.push_back(access.tensor);
  return written;
}

/// Drops the first guard, in the order of the text, that is not needed.
class Dropper : public Rewriter {
 public:
  Dropper(const Function& function, const Tiles& tiles)
      : function_(function), tiles_(tiles), facts_(facts_of(function.assumptions)) {}

  bool dropped() const { return dropped_; }
  Expr rewrite(const Expr& expr) override { return expr; }

  Stmt rewrite(const Stmt& stmt) override {
    if (dropped_) return stmt;
    if (llvm::isa<Store>(stmt)) return without_select(stmt);
    const Facts::Mark mark = facts_.mark();
    const size_t bound = bound_.size();
    if (const auto* loop = llvm::dyn_cast<For>(stmt)) {
      facts_.add_axis(loop->axis, loop->extent);
      if (loop->binding.is_parallel()) bound_.push_back(loop);
    }
    if (const auto* let = llvm::dyn_cast<Let>(stmt)) facts_.define(let->axis, let->value);
    if (const auto* branch = llvm::dyn_cast<If>(stmt)) {
      if (is_needless(*branch)) {
        dropped_ = true;
        return branch->body;
      }
      facts_.assume(branch->condition);
    }
    const Stmt result = rewrite_operands(stmt);
    facts_.rewind(mark);
    bound_.truncate(bound);
    return result;
  }

 private:
  bool is_needless(const If& branch) const {
    return !reads_tensor(branch.condition) &&
           Judge(tiles_, branch.condition, facts_).is_needless(branch.body) && keeps_apart(branch);
  }

  /// Whether threads have elements of their own without the guard too: what nobody takes out of a
  /// tile, two of them might write.
  bool keeps_apart(const If& branch) const {
    if (bound_.empty()) return true;
    Function without = function_;
    without.body = replace(function_.body, &branch, branch.body);
    const auto written = written_in(branch.body);
    return llvm::all_of(bound_, [&](const For* loop) {
      const Site site = *find_site(without, loop->axis.get());
      return llvm::none_of(written, [&](const TensorPtr& tensor) {
        return find_overlap(site, tensor, /*updates_commute=*/bool(loop->binding.combine));
      });
    });
  }

  /// select(c, T[e], 0) is T[e] where T is padded with zeros and e leaves its tensor without c.
  Stmt without_select(const Stmt& stmt) {
    return transform_exprs(stmt, [&](const Expr& part) -> Expr {
      const auto* choice = llvm::dyn_cast<Select>(part);
      if (!choice || dropped_ || !is_padding(*choice)) return {};
      dropped_ = true;
      return choice->if_true;
    });
  }

  bool is_padding(const Select& choice) const {
    const auto* load = llvm::dyn_cast<Load>(choice.if_true);
    const Expr excluded = negated(choice.condition);
    if (!load || !excluded.defined() || reads_tensor(choice.condition)) return false;
    for (unsigned dim = 0; dim < load->tensor->rank(); ++dim)
      if (!proves(load->indices[dim] < load->tensor->shape[dim], facts_) ||
          !proves(load->indices[dim] >= 0, facts_))
        return false;
    Facts outside = facts_;
    outside.assume(excluded);
    return equal(tiles_.in_padding(choice.if_true, outside), choice.if_false);
  }

  const Function& function_;
  const Tiles& tiles_;
  Facts facts_;
  llvm::SmallVector<const For*, 4> bound_;  // around the current statement
  bool dropped_ = false;
};

/// Drops what can be dropped; returns how many guards that was.
size_t drop_all(Function& function) {
  for (size_t drops = 0;; ++drops) {
    const Tiles tiles(function.body);
    Dropper dropper(function, tiles);
    function.body = dropper.rewrite(function.body);
    if (!dropper.dropped()) return drops;
  }
}

/// Guards around work in registers go to each part of it. Does so for one place, that after `skip`
/// others.
class GuardSinker : public Rewriter {
 public:
  explicit GuardSinker(size_t skip) : skip_(skip) {}

  /// How many guards there were, of how many statements; 0 where there is no such place.
  size_t guards() const { return guards_; }
  size_t parts() const { return parts_; }

  Expr rewrite(const Expr& expr) override { return expr; }

  Stmt rewrite(const Stmt& stmt) override {
    if (guards_ != 0) return stmt;
    llvm::SmallVector<Expr, 2> conditions;
    Stmt body = stmt;
    while (const auto* branch = llvm::dyn_cast<If>(body)) {
      if (reads_tensor(branch->condition)) break;
      conditions.push_back(branch->condition);
      body = branch->body;
    }
    const auto* alloc = llvm::dyn_cast<Alloc>(body);
    const auto* seq = alloc ? llvm::dyn_cast<Seq>(alloc->body) : nullptr;
    const bool is_place = seq && !conditions.empty() && alloc->tensor->scope == Scope::registers;
    if (!is_place || skip_-- > 0) return rewrite_operands(stmt);
    guards_ = conditions.size();
    parts_ = seq->stmts.size();
    return Alloc::make(alloc->tensor, distributed(conditions, seq->stmts));
  }

 private:
  static Stmt distributed(llvm::ArrayRef<Expr> conditions, llvm::ArrayRef<Stmt> parts) {
    llvm::SmallVector<Stmt, 4> guarded;
    for (Stmt part : parts) {
      for (const Expr& condition : llvm::reverse(conditions)) part = If::make(condition, part);
      guarded.push_back(part);
    }
    return Seq::make(guarded);
  }

  size_t skip_, guards_ = 0, parts_ = 0;
};

}  // namespace

Expr folded(const Expr& expr) {
  return transform(expr, [](const Expr& part) -> Expr {
    try {
      return fold(part);
    } catch (const ArithmeticError&) {
      return {};  // it fails when the program runs, if it does
    }
  });
}

bool keeps_any_value(const Store& update) {
  const bool is_limit = update.update == Update::min || update.update == Update::max;
  return update.update != Update::custom && !(is_limit && is_float(update.tensor->type));
}

bool may_divide_by_zero(const Expr& expr) {
  bool may = false;
  walk(expr, [&](const Expr& part) {
    const auto* binary = llvm::dyn_cast<Binary>(part);
    const bool divides = binary && (binary->op == BinaryOp::div || binary->op == BinaryOp::mod);
    may |= divides && !is_float(part.type()) && as_int(binary->rhs).value_or(0) <= 0;
  });
  return may;
}

Function drop_padding_guards(const Function& function) {
  Function result = function;
  drop_all(result);
  for (size_t tried = 0;;) {
    GuardSinker sinker(tried);
    Function candidate = result;
    candidate.body = sinker.rewrite(result.body);
    if (sinker.guards() == 0) return result;
    if (drop_all(candidate) < sinker.guards() * (sinker.parts() - 1))
      ++tried;
    else
      result = candidate;
  }
}

}  // namespace hone
