// How threads combine what each of them has.
//
//   reduce k in 0..256 @thread.x combine(sequential)
//     S[] += A[k]
//
//   =>  alloc S.tree: f32[256] @shared
//       for k in 0..256 @thread.x
//         alloc S.part: f32[] @registers
//         S.part[] = 0.0
//         S.part[] += A[k]
//         S.tree[k] = S.part[]
//       for stride in 0..8
//         for t in 0..128 @thread.x
//           if (t < 128 >> stride)
//             S.tree[t] += S.tree[t + (128 >> stride)]
//       S[] += S.tree[0]
//
// The levels say how: lanes by shuffles, warps and whole blocks by trees, blocks of a cluster by
// telling all others, or by atomic updates of the element. A tensor in registers, of which each
// thread has its own, gets the result in all threads.

#include "codegen/pass/combine_reductions.h"
#include "ir/target/gpu_limits.h"
#include "ir/traverse/guards.h"
#include "ir/traverse/rewriter.h"
#include "llvm/Support/MathExtras.h"

namespace hone {
namespace {

int64_t power_of_two_from(int64_t count) { return llvm::PowerOf2Ceil(count); }

class Combination {
 public:
  Combination(const ThreadReduction& reduction, const BlockThreads& block, Names& names,
              llvm::SmallVectorImpl<TensorPtr>& tiles)
      : reduction_(reduction),
        block_(block),
        names_(names),
        tiles_(tiles),
        levels_(reduction.loop.binding.combine),
        own_threads_(reduction.loop.binding.without_combine()),
        threads_(reduction.threads()),
        part_(scalar(".part")) {}

  Stmt run() {
    if (levels_.is_of_cluster()) return exchange();
    if (levels_.at(CombineUnit::block)) return tree();
    if (threads_ <= warp_size) return one_warp();
    const CombineLevel* warps = levels_.at(CombineUnit::warps);
    if (!warps) return each_warp();
    return warps->is_tree() ? tree_of_warps() : several_warps();
  }

 private:
  // ---- Building blocks ----

  std::string fresh(const std::string& suffix) {
    return names_.fresh(reduction_.tensor()->name + suffix);
  }
  TensorPtr scalar(const std::string& suffix) {
    return make_tensor(fresh(suffix), reduction_.tensor()->type, {}, Scope::registers);
  }
  Expr value(const TensorPtr& tensor) const { return Load::make(tensor, {}); }
  Stmt set(const TensorPtr& scalar, const Expr& value) const {
    return Store::make(scalar, {}, Update::set, value);
  }
  Stmt update(const TensorPtr& scalar, const Expr& value) const {
    return reduction_.update.with(scalar, {}, value);
  }

  /// `own` for the threads of the loop, and what is `of` those around, in the order of dimensions:
  /// what neighbours in a warp have lies side by side.
  llvm::SmallVector<Expr, 4> by_dimension(const Expr& own,
                                          llvm::function_ref<Expr(const For&)> of) const {
    const auto order = [](const Binding& binding) {
      return std::pair(binding.dim, binding.digit.stride);
    };
    llvm::SmallVector<std::pair<std::pair<int, int64_t>, Expr>, 4> dims = {
        {order(reduction_.loop.binding), own}};
    for (const For* loop : block_.around) dims.push_back({order(loop->binding), of(*loop)});
    llvm::sort(dims, [](const auto& a, const auto& b) { return a.first > b.first; });
    return {llvm::make_second_range(dims).begin(), llvm::make_second_range(dims).end()};
  }

  /// A shared tensor of `count` elements for each thread around, or rows of `rest`. Each block of a
  /// cluster has its part, also where a loop goes over some of them.
  TensorPtr shared(const std::string& suffix, int64_t count, llvm::ArrayRef<Expr> rest = {}) {
    auto shape = by_dimension(count, [&](const For& loop) {
      return loop.binding.is_cluster() ? Expr(block_.cluster) : loop.extent;
    });
    llvm::append_range(shape, rest);
    TensorPtr tile = make_tensor(fresh(suffix), reduction_.tensor()->type, shape, Scope::shared);
    if (block_.cluster > 1) tile = in_parts(*tile);
    return tiles_.emplace_back(tile);
  }
  llvm::SmallVector<Expr, 4> place(const Expr& index, llvm::ArrayRef<Expr> rest = {}) const {
    auto indices = by_dimension(index, [](const For& loop) { return AxisRef::make(loop.axis); });
    llvm::append_range(indices, rest);
    return indices;
  }

  Expr own_thread() const { return AxisRef::make(reduction_.loop.axis); }

  /// `body` for threads 0..count of the dimension.
  Stmt on_threads(int64_t count, llvm::function_ref<Stmt(const Expr& thread)> body) {
    const AxisPtr axis = make_axis(names_.fresh("t"), AxisKind::spatial);
    return For::make(axis, count, own_threads_, body(AxisRef::make(axis)));
  }

  /// The loop, each thread with a part of its own, and `then` behind it.
  Stmt accumulate(const Stmt& then) const {
    const Stmt body = redirect_accesses(reduction_.loop.body, reduction_.tensor().get(),
                                        [&](llvm::ArrayRef<Expr>) {
                                          return TensorElement{part_, {}};
                                        });
    return For::make(
        reduction_.loop.axis, reduction_.loop.extent, own_threads_,
        Alloc::make(part_, Seq::make({set(part_, identity_of(reduction_.update)), body, then})));
  }

  Stmt add(const Expr& result) const {
    return reduction_.update.with(reduction_.tensor(), reduction_.indices, result);
  }

  /// The element gets the result, where it exists.
  Stmt finish(const Expr& result) const {
    const Stmt stmt = reduction_.is_first ? Store::make(reduction_.tensor(), reduction_.indices,
                                                        Update::set, result)
                                          : add(result);
    return guarded(reduction_.guards, levels_.is_atomic() ? as_atomic(stmt) : stmt);
  }
  static Stmt as_atomic(const Stmt& stmt) { return llvm::cast<Store>(stmt)->as_atomic(); }

  // ---- Blocks of a cluster ----

  /// Each block of the loop tells its result to those that combine them in one order, in their
  /// memory: to all of the cluster where each has registers for it, and else to the first.
  Stmt exchange() {
    const bool is_for_all = reduction_.is_in_registers();
    const TensorPtr told = shared(".cluster", block_.cluster, {Expr(threads_)});
    const auto tell_it = [&](const Expr& other) {
      return Store::make(told, place(other, {own_thread()}), Update::set, value(part_));
    };
    const Stmt tell = is_for_all ? for_each_block(block_.cluster, tell_it) : tell_it(0);
    const auto sum_in = [&](const Expr& block) {
      const Stmt sum = for_each_block(
          threads_, [&](const Expr& from) { return add(Load::make(told, place(block, {from}))); });
      return guarded(reduction_.guards, sum);
    };
    const Stmt sum = is_for_all ? on_threads(block_.cluster, sum_in) : sum_in(0);
    const Stmt start = reduction_.is_first ? finish(identity_of(reduction_.update)) : Seq::make({});
    return Seq::make({accumulate(tell), start, sum});
  }

  Stmt for_each_block(int64_t count, llvm::function_ref<Stmt(const Expr& block)> body) {
    const AxisPtr axis = make_axis(names_.fresh("block"), AxisKind::spatial);
    return For::make(axis, count, {Binding::Kind::unroll}, body(AxisRef::make(axis)));
  }

  // ---- Trees ----

  Stmt tree() {
    leaves_ = threads_;
    tree_ = shared(".tree", leaves_);
    return add_up(accumulate(Store::make(tree_, place(own_thread()), Update::set, value(part_))));
  }

  /// The results of warps are the leaves.
  Stmt tree_of_warps() {
    leaves_ = warps();
    tree_ = shared(".warps", leaves_);
    return add_up(accumulate(results_of_warps(tree_)));
  }

  /// The tree above the leaves, which `first` sets.
  Stmt add_up(const Stmt& first) {
    const bool unrolled = levels_.tree()->unrolled;
    llvm::SmallVector<Stmt, 12> stmts = {first};
    const int levels = llvm::Log2_64_Ceil(leaves_);
    const int by_shuffles = levels_.ends_in_warp() ? std::min(levels, 6) : 0;
    const bool finishes = by_shuffles == 0 && !reduction_.is_in_registers();
    const bool has_last_level = unrolled && finishes && levels > 0;
    const int plain_levels = levels - by_shuffles - (has_last_level ? 1 : 0);
    if (unrolled)
      for (int level = 0; level < plain_levels; ++level)
        stmts.push_back(tree_level(distance<int64_t>(level)));
    else if (plain_levels > 0)
      stmts.push_back(tree_levels(plain_levels));
    if (by_shuffles > 0) stmts.push_back(last_warp(by_shuffles));
    if (has_last_level)
      stmts.push_back(last_level(distance<int64_t>(levels - 1)));
    else if (finishes || reduction_.is_in_registers())
      stmts.push_back(finish(Load::make(tree_, place(0))));
    return Seq::make(stmts);
  }

  /// One thread adds up the last two elements, and waits for nobody to use the result.
  Stmt last_level(int64_t stride) {
    return on_threads(1, [&](const Expr&) {
      return Seq::make({reduction_.update.with(tree_, place(0), Load::make(tree_, place(stride))),
                        finish(Load::make(tree_, place(0)))});
    });
  }

  /// The distance of the elements that a level adds up.
  template <class Number>
  Number distance(const Number& level) const {
    return grows() ? Number(1) << level : Number(power_of_two_from(leaves_) / 2) >> level;
  }
  CombineMeans order() const { return levels_.tree()->means; }
  bool grows() const { return order() != CombineMeans::sequential; }
  bool is_modulo() const { return order() == CombineMeans::interleaved_modulo; }

  Stmt tree_levels(int count) {
    const AxisPtr axis = make_axis(names_.fresh("stride"), AxisKind::spatial);
    return For::make(axis, count, {}, tree_level(distance(AxisRef::make(axis))));
  }

  Stmt tree_level(const Expr& stride) {
    const auto known = as_int(stride);
    const int64_t count = is_modulo() || !known ? leaves_
                          : grows()             ? (leaves_ - *known + 2 * *known - 1) / (2 * *known)
                                                : std::min(*known, leaves_ - *known);
    return on_threads(count, [&](const Expr& thread) { return tree_step(thread, stride, count); });
  }

  Stmt tree_step(const Expr& thread, const Expr& stride, int64_t count) const {
    const Expr left = grows() && !is_modulo() ? thread * (stride * 2) : thread;
    const Expr right = left + stride;
    Stmt step = reduction_.update.with(tree_, place(left), Load::make(tree_, place(right)));
    const bool is_whole = as_int(stride) && !is_modulo() && count < leaves_;
    const bool may_overhang = !llvm::isPowerOf2_64(leaves_) || (grows() && !is_modulo());
    if (!is_whole && may_overhang) step = If::make(right < leaves_, step);
    if (is_modulo()) return If::make(thread % (stride * 2) == 0, step);
    return grows() || is_whole ? step : If::make(thread < stride, step);
  }

  /// The last elements of a tree, twice a warp at most, in the registers of one warp.
  Stmt last_warp(int levels) {
    const int64_t lanes = int64_t{1} << (levels - 1), count = std::min(leaves_, 2 * lanes);
    return on_threads(lanes, [&](const Expr& thread) {
      const TensorPtr sum = scalar(".last");
      llvm::SmallVector<Stmt, 4> stmts = {set(sum, Load::make(tree_, place(thread)))};
      Stmt second = update(sum, Load::make(tree_, place(thread + lanes)));
      if (count < 2 * lanes) second = If::make(thread + lanes < count, second);
      stmts.push_back(second);
      stmts.push_back(shuffles(sum, ShuffleMode::down, lanes, lanes, {}));
      const Stmt result = reduction_.is_in_registers()
                              ? Store::make(tree_, place(0), Update::set, value(sum))
                              : finish(value(sum));
      stmts.push_back(If::make(thread == 0, result));
      return Alloc::make(sum, Seq::make(stmts));
    });
  }

  // ---- Shuffles ----

  /// Combines groups of `group` lanes, a power of two. Where a lane's partner may be missing,
  /// `lane` is its number among the `lanes` that take part.
  Stmt shuffles(const TensorPtr& sum, ShuffleMode mode, int64_t group, const Expr& lanes,
                const Expr& lane) {
    if (group == 1) return Seq::make({});
    const AxisPtr axis = make_axis(names_.fresh("offset"), AxisKind::spatial);
    const int64_t stride = reduction_.loop.binding.digit.stride;
    const Expr offset = Expr(group / 2 * stride) >> AxisRef::make(axis);
    const Expr other = Shuffle::make(mode, value(sum), offset, lanes);
    Stmt step = update(sum, other);
    if (lane.defined()) {
      const TensorPtr received = scalar(".other");
      step = Alloc::make(
          received, Seq::make({set(received, other),
                               If::make(lane + offset < lanes, update(sum, value(received)))}));
    }
    return For::make(axis, int64_t{llvm::Log2_64(group)}, {Binding::Kind::unroll}, step);
  }

  /// The lanes of this thread's warp that run the loop.
  Expr lanes_of_warp() const {
    const bool fills_warps = threads_ % warp_size == 0;
    if (fills_warps) return warp_size;
    if (is_digit()) return std::min(*block_.row(), warp_size);
    if (!shares_warps()) return threads_ < warp_size ? Expr(threads_) : last_lanes(own_thread());
    const int64_t all = threads_ * *as_int(block_.extents[1]) * *as_int(block_.extents[2]);
    return all < warp_size ? Expr(all) : Expr(warp_size);
  }
  Expr last_lanes(const Expr& thread) const {
    return min(warp_size, threads_ - thread / warp_size * warp_size);
  }
  /// Rows of fewer lanes than a warp lie side by side in one.
  bool shares_warps() const {
    return threads_ < warp_size && is_whole_row() && !block_.has_one_row();
  }

  /// Combines within each warp, or with one row of lanes in it; `lane` is defined where partners
  /// may be missing.
  Stmt within_warps(const TensorPtr& sum, ShuffleMode mode) {
    const int64_t group = std::min(warp_size, power_of_two_from(threads_));
    const bool is_complete = threads_ % group == 0;
    return shuffles(sum, mode, group, lanes_of_warp(),
                    is_complete            ? Expr()
                    : threads_ < warp_size ? own_thread()
                                           : own_thread() % warp_size);
  }

  bool is_digit() const { return !reduction_.loop.binding.digit.is_whole(); }
  bool is_whole_row() const { return is_digit() || block_.row() == threads_; }

  Stmt one_warp() {
    if (!reduction_.is_in_registers())
      return accumulate(Seq::make({within_warps(part_, ShuffleMode::down),
                                   If::make(own_thread() == 0, finish(value(part_)))}));
    if (is_whole_row() && llvm::isPowerOf2_64(threads_))
      return accumulate(
          Seq::make({within_warps(part_, ShuffleMode::exchange), finish(value(part_))}));
    const TensorPtr cell = shared(".warps", 1);
    return Seq::make({accumulate(results_of_warps(cell)), finish(Load::make(cell, place(0)))});
  }

  /// Each warp's result goes to shared memory.
  Stmt results_of_warps(const TensorPtr& results) {
    const bool is_one = threads_ <= warp_size;
    const Expr thread = own_thread();
    const Stmt store = Store::make(results, place(is_one ? Expr(0) : thread / warp_size),
                                   Update::set, value(part_));
    return Seq::make({within_warps(part_, ShuffleMode::down),
                      If::make((is_one ? thread : thread % warp_size) == 0, store)});
  }

  int64_t warps() const { return (threads_ + warp_size - 1) / warp_size; }

  /// Each warp has its own way to the element.
  Stmt each_warp() {
    return accumulate(Seq::make({within_warps(part_, ShuffleMode::down),
                                 If::make(own_thread() % warp_size == 0, finish(value(part_)))}));
  }

  Stmt several_warps() {
    const int64_t warps = this->warps();
    const TensorPtr results = shared(".warps", warps);
    const Stmt first = accumulate(results_of_warps(results));
    if (!reduction_.is_in_registers()) return Seq::make({first, by_first_warp(results, warps)});
    if (is_whole_row() && threads_ % warp_size == 0 && llvm::isPowerOf2_64(warps))
      return Seq::make({first, by_all_warps(results, warps)});
    return Seq::make({first, by_each_thread(results, warps)});
  }

  Stmt by_each_thread(const TensorPtr& results, int64_t warps) {
    const AxisPtr axis = make_axis(names_.fresh("w"), AxisKind::spatial);
    const Stmt sum =
        guarded(reduction_.guards,
                For::make(axis, warps, {}, add(Load::make(results, place(AxisRef::make(axis))))));
    return reduction_.is_first ? Seq::make({finish(identity_of(reduction_.update)), sum}) : sum;
  }

  Stmt by_first_warp(const TensorPtr& results, int64_t warps) {
    const int64_t lanes = power_of_two_from(warps);
    return on_threads(lanes, [&](const Expr& thread) {
      const TensorPtr sum = scalar(".last");
      llvm::SmallVector<Stmt, 4> stmts;
      Stmt load = set(sum, Load::make(results, place(thread)));
      if (lanes != warps) {
        stmts.push_back(set(sum, identity_of(reduction_.update)));
        load = If::make(thread < warps, load);
      }
      stmts.push_back(load);
      stmts.push_back(shuffles(sum, ShuffleMode::down, lanes, lanes, {}));
      stmts.push_back(If::make(thread == 0, finish(value(sum))));
      return Alloc::make(sum, Seq::make(stmts));
    });
  }

  Stmt by_all_warps(const TensorPtr& results, int64_t warps) {
    return on_threads(threads_, [&](const Expr& thread) {
      const TensorPtr sum = scalar(".last");
      return Alloc::make(sum, Seq::make({set(sum, Load::make(results, place(thread % warps))),
                                         shuffles(sum, ShuffleMode::exchange, warps, warp_size, {}),
                                         finish(value(sum))}));
    });
  }

  const ThreadReduction& reduction_;
  const BlockThreads& block_;
  Names& names_;
  llvm::SmallVectorImpl<TensorPtr>& tiles_;
  const CombineLevels levels_;
  const Binding own_threads_;
  const int64_t threads_;
  TensorPtr part_, tree_;
  int64_t leaves_ = 0;  ///< elements of the tree
};

}  // namespace

Stmt combine_threads(const ThreadReduction& reduction, const BlockThreads& block, Names& names,
                     llvm::SmallVectorImpl<TensorPtr>& tiles) {
  return Combination(reduction, block, names, tiles).run();
}

}  // namespace hone
