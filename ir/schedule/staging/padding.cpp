#include "ir/schedule/staging/padding.h"

#include "ir/algebra/facts_rewriter.h"
#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/schedule/legality/independence.h"
#include "ir/schedule/legality/vectors.h"
#include "ir/schedule/staging/guard_judge.h"
#include "ir/schedule/staging/producer.h"
#include "ir/threads/launch_shape.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/guards.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

/// Drops the first guard, in the order of the text, that is not needed.
class Dropper : public FactsRewriter {
 public:
  Dropper(const Function& function, const Tiles& tiles)
      : FactsRewriter(facts_of(function.assumptions)), function_(function), tiles_(tiles) {}

  bool dropped() const { return dropped_; }
  using FactsRewriter::rewrite;

  Stmt rewrite(const Stmt& stmt) override {
    if (dropped_) return stmt;
    if (llvm::isa<Store>(stmt)) return without_select(stmt);
    const auto* branch = llvm::dyn_cast<If>(stmt);
    if (branch && is_needless(*branch)) {
      dropped_ = true;
      return branch->body;
    }
    const size_t bound = bound_.size();
    const auto* loop = llvm::dyn_cast<For>(stmt);
    if (loop && loop->binding.is_parallel()) bound_.push_back(loop);
    const Stmt result = rewrite_inside(stmt);
    bound_.truncate(bound);
    return result;
  }

 private:
  bool is_needless(const If& branch) const {
    return !reads_tensor(branch.condition) &&
           is_needless_guard(branch.condition, branch.body, tiles_, facts) && keeps_apart(branch) &&
           keeps_vectors(branch);
  }

  /// True if bound iterations have elements of their own without the guard too. Without it, two of
  /// them might write padding that nobody takes out of a tile, or one might read what another
  /// writes.
  bool keeps_apart(const If& branch) const {
    const auto shared = shared_tensors(branch.body);
    if (shared.empty()) return true;
    const Function without = function_without(branch);
    return llvm::all_of(bound_, [&](const For* loop) {
      const Site site = *find_site(without, loop->axis.get());
      return llvm::none_of(shared, [&](const TensorPtr& tensor) {
        return find_overlap(site, tensor, /*updates_commute=*/bool(loop->binding.combine));
      });
    });
  }

  /// The tensors that the statement touches and that bound iterations do not have one each of.
  llvm::SmallVector<TensorPtr, 4> shared_tensors(const Stmt& stmt) const {
    llvm::SmallVector<TensorPtr, 4> shared;
    if (bound_.empty()) return shared;
    for (const MemoryAccess& access : collect_accesses(stmt))
      if (!llvm::is_contained(shared, access.tensor) &&
          !find_alloc(bound_.back()->body, access.tensor))
        shared.push_back(access.tensor);
    return shared;
  }

  bool keeps_vectors(const If& branch) const {
    return !find_broken_vector(function_, function_without(branch));
  }

  Function function_without(const If& branch) const {
    Function result = function_;
    result.body = replace(function_.body, &branch, branch.body);
    return result;
  }

  /// select(c, T[e], 0) is T[e] where T is padded with zeros and e leaves its tensor without c, or
  /// without any part of it.
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
    if (!load || reads_tensor(choice.condition)) return false;
    for (unsigned dim = 0; dim < load->tensor->rank(); ++dim)
      if (!proves(load->indices[dim] < load->tensor->shape[dim], facts) ||
          !proves(load->indices[dim] >= 0, facts))
        return false;
    bool is_padding = true;
    for_each_conjunct(choice.condition, [&](const Expr& part) {
      is_padding = is_padding && is_filled_without(part, choice);
    });
    return is_padding;
  }

  /// True if the element is the other value of the choice wherever `condition` does not hold.
  bool is_filled_without(const Expr& condition, const Select& choice) const {
    const Expr excluded = negated(condition);
    if (!excluded.defined()) return false;
    Facts outside = facts;
    outside.assume(excluded);
    return equal(tiles_.in_padding(choice.if_true, outside), choice.if_false);
  }

  const Function& function_;
  const Tiles& tiles_;
  llvm::SmallVector<const For*, 4> bound_;  // around the current statement
  bool dropped_ = false;
};

/// Drops all needless guards; returns their number.
size_t drop_all(Function& function) {
  for (size_t drops = 0;; ++drops) {
    const Tiles tiles(function.body);
    Dropper dropper(function, tiles);
    function.body = dropper.rewrite(function.body);
    if (!dropper.dropped()) return drops;
  }
}

/// Guards around work in registers go to each part of it. Does so for one place where that may
/// help, that after `skip` others. What threads share of the work stays behind a guard of all of
/// them, which saves it.
class GuardSinker : public FactsRewriter {
 public:
  GuardSinker(const Function& function, size_t skip)
      : FactsRewriter(facts_of(function.assumptions)), function_(function), skip_(skip) {}

  /// The number of guards there were, and of statements under them; 0 if there is no such place.
  size_t guards() const { return guards_; }
  size_t parts() const { return parts_; }

  using FactsRewriter::rewrite;

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
    const bool is_place = seq && !conditions.empty() && alloc->tensor->scope == Scope::registers &&
                          (!has_thread_loops(body) || llvm::any_of(conditions, [&](const Expr& c) {
                            return is_of_threads(c);
                          }));
    if (!is_place || needed_guards(conditions, seq->stmts) > conditions.size() || skip_-- > 0)
      return rewrite_inside(stmt);
    guards_ = conditions.size();
    parts_ = seq->stmts.size();
    return Alloc::make(alloc->tensor, distributed(conditions, seq->stmts));
  }

 private:
  bool is_of_threads(const Expr& condition) const {
    return llvm::any_of(loops_of(function_.body), [&](const For* loop) {
      return is_thread_loop(*loop) && mentions(condition, loop->axis.get());
    });
  }

  static Stmt distributed(llvm::ArrayRef<Expr> conditions, llvm::ArrayRef<Stmt> parts) {
    llvm::SmallVector<Stmt, 4> under_conditions;
    for (const Stmt& part : parts) under_conditions.push_back(guarded(conditions, part));
    return Seq::make(under_conditions);
  }

  /// The least number of guards that the parts keep, up to one more than the conditions.
  size_t needed_guards(llvm::ArrayRef<Expr> conditions, llvm::ArrayRef<Stmt> parts) {
    size_t needed = 0;
    for (const Stmt& part : parts) {
      if (needed > conditions.size()) break;
      const Accesses accesses = collect_accesses(part);
      for (const Expr& condition : conditions) {
        const FactsScope inside(facts);
        for (const Expr& other : conditions)
          if (!other.same_as(condition)) facts.assume(other);
        needed += needs_guard(accesses, facts) ? 1 : 0;
      }
    }
    return needed;
  }

  const Function& function_;
  size_t skip_, guards_ = 0, parts_ = 0;
};

}  // namespace

bool keeps_any_value(const Store& update) {
  const bool is_limit = update.update == Update::min || update.update == Update::max;
  return update.update != Update::custom && !(is_limit && is_float(update.tensor->type));
}

Function drop_padding_guards(const Function& function) {
  Function result = function;
  drop_all(result);
  for (size_t tried = 0;;) {
    GuardSinker sinker(result, tried);
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
