// reduce i.0 in 0..N / 256 @block.x combine(atomic)      for i.0 in 0..N / 256 @block.x
//   reduce i.1 in 0..256 @thread.x combine(shuffle)  =>     (each thread's part, and shuffles)
//     S[] += A[i.0*256 + i.1]                               if (i.1 == 0) atomic S[] += S.part[]
//
// Each loop that combines becomes code that does: combine_threads.cpp for threads of a block,
// last_block.cpp for blocks that leave it to the last of them; atomic updates are marked.

#include "codegen/pass/combine_reductions.h"

#include "codegen/pass/last_block.h"
#include "codegen/pass/passes.h"
#include "codegen/pass/sink_guards.h"
#include "ir/algebra/facts_rewriter.h"
#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/accesses.h"
#include "ir/analysis/shared_updates.h"
#include "ir/threads/warps.h"
#include "ir/traverse/equal.h"
#include "ir/traverse/rewriter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// True if the value is the same all through the loop.
bool is_fixed_in(const Expr& expr, const MemoryAccess& access, const For& loop) {
  if (reads_tensor(expr) || mentions(expr, loop.axis.get())) return false;
  return llvm::none_of(access.inner,
                       [&](const auto& range) { return mentions(expr, range.first.get()); });
}

/// The condition with the value that the axis of a loop of one iteration has.
Expr without_single_iterations(Expr condition, const MemoryAccess& access) {
  for (const auto& [axis, extent] : access.inner)
    if (is_int(extent, 1)) condition = substitute(condition, axis.get(), 0);
  return condition;
}

/// The condition that some iteration of the loop, and of those inside of it, meets `guard`: a
/// comparison holds where its smallest side is small enough. Undefined for other conditions.
Expr held_somewhere(const Expr& guard, const MemoryAccess& access, const For& loop) {
  const auto* binary = llvm::dyn_cast<Binary>(guard);
  if (!binary || binary->op != BinaryOp::lt || binary->lhs.type() != DType::index) return {};
  Facts iterations;
  iterations.add_axis(loop.axis, loop.extent);
  for (const auto& [axis, extent] : access.inner) iterations.add_axis(axis, extent);
  const auto lowest =
      lower_bound(Polynomial::of(binary->lhs) - Polynomial::of(binary->rhs), iterations);
  if (!lowest) return {};
  const Expr condition = (*lowest + Polynomial::of(binary->rhs)).to_expr() < binary->rhs;
  return is_fixed_in(condition, access, loop) ? condition : Expr();
}

/// The conditions that hold where the access happens, none of them a conjunction.
llvm::SmallVector<Expr, 4> single_guards(const MemoryAccess& access) {
  llvm::SmallVector<Expr, 4> guards;
  for (const Expr& guard : access.guards)
    for_each_conjunct(guard, [&](const Expr& part) { guards.push_back(part); });
  return guards;
}

/// The conditions under which the element exists that a loop updates: those that all updates stand
/// under. Where others may keep an iteration from leaving the tensor, its bounds; and where the
/// element is read from somewhere, that some iteration meets them.
llvm::SmallVector<Expr, 2> element_guards(const Accesses& updates, const For& loop, Facts facts) {
  llvm::SmallVector<Expr, 2> guards;
  const MemoryAccess& first = updates.front();
  const bool is_read = llvm::any_of(first.indices, reads_tensor);
  bool is_complete = true;
  const auto add = [&](const Expr& guard) {
    guards.push_back(simplify(guard, facts));
    facts.assume(guard);
  };
  for (const Expr& guard : single_guards(first)) {
    const bool is_everywhere = llvm::all_of(updates, [&](const MemoryAccess& update) {
      return llvm::any_of(single_guards(update),
                          [&](const Expr& other) { return equal(other, guard); });
    });
    Expr condition = without_single_iterations(guard, first);
    const bool is_fixed = is_fixed_in(condition, first, loop);
    if (!is_fixed) condition = is_read ? held_somewhere(guard, first, loop) : Expr();
    if (is_everywhere && condition.defined()) add(condition);
    is_complete &= is_everywhere && is_fixed;
  }
  if (is_complete) return guards;
  for (const auto& [index, extent] : llvm::zip(first.indices, first.tensor->shape))
    if (!proves(index < extent, facts)) add(index < extent);
  return guards;
}

Stmt with_atomic_updates(const Stmt& stmt, const TensorPtr& tensor) {
  return transform_stmts(stmt, [&](const Stmt& nested) -> Stmt {
    const auto* store = llvm::dyn_cast<Store>(nested);
    if (!store || store->tensor != tensor || store->update == Update::set) return {};
    return store->as_atomic();
  });
}

class Combiner : public FactsRewriter {
 public:
  explicit Combiner(KernelFunction& kernel)
      : FactsRewriter(facts_of(kernel.assumptions)),
        kernel_(kernel),
        names_(as_function(kernel)),
        threads_{block_of(kernel.body), cluster_of(kernel.body), {}} {
    for (const std::string& name : kernel.taken_names) names_.take(name);
  }

  using FactsRewriter::rewrite;
  Stmt rewrite(const Stmt& stmt) override {
    if (const auto* seq = llvm::dyn_cast<Seq>(stmt)) return rewrite_sequence(*seq, stmt);
    if (const auto* alloc = llvm::dyn_cast<Alloc>(stmt)) return rewrite_alloc(*alloc, stmt);
    const auto* loop = llvm::dyn_cast<For>(stmt);
    if (!loop) return rewrite_operands(stmt);
    return loop->binding.combine ? combined(stmt, *loop) : plain(stmt, *loop);
  }

 private:
  /// Leaves out a store of the identity to an element right before a loop combines into it.
  Stmt rewrite_sequence(const Seq& seq, const Stmt& stmt) {
    llvm::SmallVector<Stmt, 4> rest(seq.stmts.begin(), seq.stmts.end());
    if (rest.size() > 1 && sets_up_last_block(rest[0], rest[1])) {
      is_absorbed_ = true;
      rest.erase(rest.begin());
    }
    llvm::SmallVector<Stmt, 4> result;
    for (size_t n = 0; n < rest.size(); ++n) {
      const bool is_setup = n + 1 < rest.size() && sets_up(rest[n], rest[n + 1]);
      if (is_setup) is_first_ = true;
      result.push_back(rewrite(rest[is_setup ? ++n : n]));
      is_first_ = false;
    }
    return rest.size() == seq.stmts.size() && std::equal(result.begin(), result.end(),
                                                         seq.stmts.begin(), seq.stmts.end(), same)
               ? stmt
               : Seq::make(result);
  }

  static bool same(const Stmt& lhs, const Stmt& rhs) { return lhs.same_as(rhs); }

  /// True if `init` sets to the identity the one element that threads of the loop combine into.
  bool sets_up(const Stmt& init, const Stmt& stmt) const {
    const auto* store = llvm::dyn_cast<Store>(init);
    const auto* loop = llvm::dyn_cast<For>(stmt);
    if (!store || !loop || store->update != Update::set || !loop->binding.combine.is_exchange() ||
        loop->binding.combine.is_atomic())
      return false;
    const Accesses updates = updates_of(stmt);
    return !updates.empty() && updates.front().tensor == store->tensor &&
           all_equal(updates.front().indices, store->indices) &&
           equal(store->value, identity_of(*llvm::cast<Store>(updates.front().statement))) &&
           element_guards(updates, *loop, facts).empty();
  }

  /// Tiles stand outside of all thread loops.
  Stmt plain(const Stmt& stmt, const For& loop) {
    const bool is_outermost = is_thread_loop(loop) && thread_loops_.empty();
    const bool is_block = loop.binding.kind == Binding::Kind::block;
    if (is_thread_loop(loop)) thread_loops_.push_back(&loop);
    if (is_block) blocks_.push_back(&loop);
    Stmt rewritten = rewrite_inside(stmt);
    if (loop.binding.combine) rewritten = with_updates_marked(rewritten, stmt);
    if (is_thread_loop(loop)) thread_loops_.pop_back();
    if (is_block) blocks_.pop_back();
    return is_outermost ? with_tiles(rewritten, tiles_) : rewritten;
  }

  /// Tiles by which threads combine into one of their own lie beside that one.
  Stmt rewrite_alloc(const Alloc& alloc, const Stmt& stmt) {
    if (alloc.tensor->scope != Scope::shared || thread_loops_.empty())
      return rewrite_operands(stmt);
    own_tiles_[alloc.tensor.get()].loops = thread_loops_.size();
    const Stmt body = rewrite(alloc.body);
    return Alloc::make(alloc.tensor, with_tiles(body, own_tiles_[alloc.tensor.get()].tiles));
  }

  static Stmt with_tiles(Stmt stmt, llvm::SmallVectorImpl<TensorPtr>& tiles) {
    for (const TensorPtr& tile : llvm::reverse(tiles)) stmt = Alloc::make(tile, stmt);
    tiles.clear();
    return stmt;
  }

  Stmt combined(const Stmt& stmt, const For& loop) {
    const Accesses updates = updates_of(stmt);
    const CombineLevels& levels = loop.binding.combine;
    if (!updates.empty() && levels.is_left_to_last()) return last_block(loop, updates);
    return updates.empty() || !levels.is_exchange() ? plain(stmt, loop) : threads(loop, updates);
  }

  /// The loop `before` it was rewritten to `stmt`, with atomic updates of what its iterations
  /// share.
  Stmt with_updates_marked(const Stmt& stmt, const Stmt& before) const {
    Stmt result = stmt;
    for (const MemoryAccess& update : updates_of(before))
      result = with_atomic_updates(result, update.tensor);
    const auto& loop = *llvm::cast<For>(result);
    return For::make(loop.axis, loop.extent, loop.binding.without_combine(), loop.body);
  }

  Accesses updates_of(const Stmt& loop) const {
    Site site;
    site.statement = loop;
    site.assumptions = kernel_.assumptions;
    return shared_updates(site);
  }

  Stmt threads(const For& loop, const Accesses& updates) {
    assert(problem_of_warps(loop, threads_.extents, thread_loops_).empty());
    const MemoryAccess& first = updates.front();
    const ThreadReduction reduction = {loop, *llvm::cast<Store>(first.statement), first.indices,
                                       element_guards(updates, loop, facts),
                                       std::exchange(is_first_, false)};
    const auto own = own_tiles_.find(reduction.tensor().get());
    const bool is_own = own != own_tiles_.end();
    threads_.around.assign(thread_loops_.begin() + (is_own ? own->second.loops : 0),
                           thread_loops_.end());
    Stmt result = combine_threads(reduction, threads_, names_, is_own ? own->second.tiles : tiles_);
    if (combines_inside(loop)) result = combined_inside(result);
    return thread_loops_.empty() ? with_tiles(result, tiles_) : result;
  }

  static bool combines_inside(const For& loop) {
    return llvm::any_of(loops_of(loop.body),
                        [](const For* inner) { return bool(inner->binding.combine); });
  }

  /// The loop's own threads combine what the threads of loops inside of it have combined before,
  /// and so have its tiles outside of theirs.
  Stmt combined_inside(const Stmt& stmt) {
    llvm::SmallVector<TensorPtr, 2> tiles = std::exchange(tiles_, {});
    Stmt result = rewrite(stmt);
    tiles.append(tiles_.begin(), tiles_.end());
    tiles_ = std::move(tiles);
    return result;
  }

  // ---- The last block ----

  Stmt last_block(const For& loop, const Accesses& updates) {
    LastBlock blocks(kernel_, loop, blocks_, updates, names_, is_absorbed_);
    is_absorbed_ = false;
    const Stmt contribution = rewrite(blocks.contribution());
    return blocks.assemble(contribution, rewrite(sink_guards(blocks.finish())));
  }

  KernelFunction& kernel_;
  Names names_;
  BlockThreads threads_;
  llvm::SmallVector<const For*, 3> thread_loops_;  ///< around, outermost first
  llvm::SmallVector<const For*, 3> blocks_;        ///< loops over blocks around
  llvm::SmallVector<TensorPtr, 2> tiles_;          ///< for allocs outside of all thread loops
  struct OwnTiles {
    size_t loops = 0;  ///< over threads, around the alloc
    llvm::SmallVector<TensorPtr, 2> tiles;
  };
  llvm::DenseMap<const TensorNode*, OwnTiles> own_tiles_;  ///< by the tile that they lie beside
  bool is_absorbed_ = false;  ///< by the last block of the next loop, what sets its result up
  bool is_first_ = false;     ///< nothing is in the element of the next loop yet
};

}  // namespace

void combine_reductions(KernelFunction& kernel) {
  kernel.body = Combiner(kernel).rewrite(sink_guards(kernel.body));
}

}  // namespace hone
