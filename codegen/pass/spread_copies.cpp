// copy A.shared[0 .. +32, 0 .. +32] <- A[i.0*32 .. +32, k.0*32 .. +32]        a block of 32 x 8
//
//   =>  for A.shared.s in 0..4 @unroll
//         for A.shared.y in 0..8 @thread.y
//           for A.shared.x in 0..32 @thread.x
//             A.shared[A.shared.s*8 + A.shared.y, A.shared.x] = A[...]
//
// A copy between shared and other memory is dealt out to the threads of the block, neighbours to
// neighbours. Threads that loops around it tell apart, in between it and the allocation, have
// copies of their own, which are dealt out to the other dimensions of the block.

#include "codegen/pass/block_shape.h"
#include "codegen/pass/copy_element.h"
#include "codegen/pass/passes.h"
#include "ir/polynomial.h"
#include "ir/rename.h"
#include "ir/rewriter.h"
#include "ir/simplify.h"
#include "ir/visit.h"

namespace hone {
namespace {

/// Steps of a copy that are unrolled; more stay a loop.
constexpr int64_t most_unrolled = 16;

/// Threads that neighbours in x are to make whole accesses of.
constexpr int64_t warp = 32;

bool is_shared(const Region& region) { return region.tensor->scope == Scope::shared; }

bool is_for_the_block(const Copy& copy) {
  const bool in_registers = copy.destination.tensor->scope == Scope::registers ||
                            copy.source.tensor->scope == Scope::registers;
  return !in_registers && (is_shared(copy.destination) || is_shared(copy.source));
}

/// The side along which neighbouring threads go: the one where it costs most.
const Region& coalesced_side(const Copy& copy) {
  return is_shared(copy.destination) && !is_shared(copy.source) ? copy.source : copy.destination;
}

/// One copy and the threads that it is dealt out to.
class Deal {
 public:
  Deal(const Copy& copy, const std::array<Expr, 3>& block, Names& names)
      : copy_(copy),
        block_(block),
        used_(used_dims(block)),
        names_(names),
        order_(storage_order(coalesced_side(copy))) {
    extents_ = copy.destination.extents();
    width_ = extents_.empty() ? 1 : vector_width(copy);
    if (width_ > 1) extents_[order_.back()] = simplify(extents_[order_.back()] / width_);
    for (const Expr& extent : extents_) groups_ = simplify(groups_ * extent);
    if (is_int(groups_, 1)) block_ = {1, 1, 1};  // thread 0
    for (Expr& threads : block_) threads_ = simplify(threads_ * threads);
  }

  Stmt run() {
    for (unsigned dim = 0; dim < 3; ++dim) {
      // A root of its own: sums of these axes are no index that would have a name.
      const std::string name = fresh(std::string(".") + "xyz"[dim]);
      const AxisPtr axis = make_axis(name, AxisKind::spatial, {name});
      thread_loops_.push_back({axis, block_[dim], {Binding::Kind::thread, uint8_t(dim), 0}});
    }
    place_.resize(extents_.size(), 0);
    if (!deal_dimensions()) deal_in_one_row();
    return nest(vector());
  }

 private:
  struct Loop {
    AxisPtr axis;
    Expr extent;
    Binding binding = {};
  };

  std::string fresh(const std::string& suffix) {
    const Region& tile = is_shared(copy_.destination) ? copy_.destination : copy_.source;
    return names_.fresh(tile.tensor->name + suffix);
  }

  Expr thread(unsigned dim) const { return AxisRef::make(thread_loops_[dim].axis); }

  /// The value of a new loop of `extent` steps; 0 where there is one.
  Expr step(const Expr& extent) {
    if (is_int(extent, 1)) return 0;
    steps_ = simplify(steps_ * extent);
    step_loops_.push_back({make_axis(fresh(".s"), AxisKind::spatial), extent});
    return AxisRef::make(step_loops_.back().axis);
  }

  /// Each dimension of the block goes along one of the region, where they divide it and a warp
  /// makes whole accesses.
  bool deal_dimensions() {
    llvm::SmallVector<std::optional<unsigned>, 4> dealt(order_.size());
    size_t next = 0;
    for (unsigned dim = 0; dim < 3; ++dim) {
      if (!used_.contains(dim)) continue;
      if (next == order_.size()) return false;
      const auto threads = as_int(block_[dim]), extent = as_int(extents_[nth_fastest(next)]);
      if (!threads || !extent || *extent % *threads != 0) return false;
      if (next == 0 && *threads % warp != 0 && threads != extent) return false;
      dealt[next++] = dim;
    }
    for (size_t n = order_.size(); n-- > 0;) {
      const unsigned at = nth_fastest(n);
      const Expr threads = dealt[n] ? block_[*dealt[n]] : Expr(1);
      place_[at] = step(simplify(extents_[at] / threads)) * threads;
      if (dealt[n]) place_[at] = place_[at] + thread(*dealt[n]);
    }
    return true;
  }

  /// The region, in the order of memory, goes round all threads, in the order of their numbers.
  void deal_in_one_row() {
    // Sizes that are known at launch may be 0; then nothing runs, and nothing divides by it.
    const Expr threads = as_int(threads_) ? threads_ : max(threads_, 1);
    Expr number = step(simplify((groups_ + threads - 1) / threads));
    for (unsigned dim = 3; dim-- > 0;)
      number = used_.contains(dim) ? number * block_[dim] + thread(dim) : number;
    take_apart(number);
    if (llvm::any_of(place_, [&](const Expr& index) { return divides_steps(index); })) {
      // The steps do not add to each index by themselves: the number says more.
      let_ = make_axis(fresh(".at"), AxisKind::spatial);
      let_value_ = number;
      take_apart(AxisRef::make(let_));
    }
  }

  /// The digits of an element's number are its place.
  void take_apart(Expr number) {
    Facts facts;
    for (const auto* loops : {&thread_loops_, &step_loops_})
      for (const Loop& loop : *loops) facts.add_axis(loop.axis, loop.extent);
    guard_ = number < groups_;
    for (size_t n = 0; n < order_.size(); ++n) {
      const unsigned at = nth_fastest(n);
      if (is_int(extents_[at], 1)) continue;
      const bool is_last = n + 1 == order_.size();
      place_[at] = simplify(is_last ? number : number % extents_[at], facts);
      number = number / extents_[at];
    }
  }

  bool divides_steps(const Expr& index) const {
    bool found = false;
    walk(index, [&](const Expr& part) {
      const auto* binary = llvm::dyn_cast<Binary>(part);
      if (binary && (binary->op == BinaryOp::div || binary->op == BinaryOp::mod))
        found |= llvm::any_of(step_loops_,
                              [&](const Loop& loop) { return mentions(part, loop.axis.get()); });
    });
    return found;
  }

  unsigned nth_fastest(size_t n) const { return order_[order_.size() - 1 - n]; }

  Stmt vector() {
    if (width_ == 1) return copy_element(copy_, place_, place_);
    Expr& fastest = place_[order_.back()];
    fastest = fastest * width_;
    const Coordinates first = place_;
    const AxisPtr axis = make_axis(fresh(".v"), AxisKind::spatial);
    fastest = fastest + AxisRef::make(axis);
    return For::make(axis, width_, {Binding::Kind::vectorize}, copy_element(copy_, place_, first));
  }

  Stmt nest(Stmt body) const {
    if (guard_.defined()) body = If::make(guard_, body);
    if (let_) body = Let::make(let_, let_value_, body);
    for (unsigned dim = 0; dim < 3; ++dim) {
      const Loop& loop = thread_loops_[dim];
      if (used_.contains(dim)) body = For::make(loop.axis, loop.extent, loop.binding, body);
    }
    const auto count = as_int(steps_);
    const bool is_unrolled = count && *count <= most_unrolled;
    for (const Loop& loop : step_loops_)
      body = For::make(loop.axis, loop.extent,
                       {is_unrolled ? Binding::Kind::unroll : Binding::Kind::serial}, body);
    return body;
  }

  const Copy& copy_;
  std::array<Expr, 3> block_;
  ThreadDims used_;
  Names& names_;
  llvm::SmallVector<unsigned, 4> order_;
  llvm::SmallVector<Expr, 4> extents_;  ///< of the region, in vectors
  int64_t width_ = 1;
  Expr groups_ = 1, threads_ = 1, steps_ = 1;
  llvm::SmallVector<Loop, 3> thread_loops_;
  llvm::SmallVector<Loop, 3> step_loops_;  ///< the fastest dimension first
  Coordinates place_;                      ///< in vectors
  Expr guard_;
  AxisPtr let_;  ///< the number of the element; null where nothing is called so
  Expr let_value_;
};

class Spreader : public Rewriter {
 public:
  Spreader(const KernelFunction& kernel)
      : block_(block_of(kernel.body)), names_(as_function(kernel)) {}

  Expr rewrite(const Expr& expr) override { return expr; }

  Stmt rewrite(const Stmt& stmt) override {
    const auto* copy = llvm::dyn_cast<Copy>(stmt);
    if (copy && is_for_the_block(*copy)) return Deal(*copy, free_threads(*copy), names_).run();
    const auto* loop = llvm::dyn_cast<For>(stmt);
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    if (alloc) allocs_[alloc->tensor.get()] = thread_loops_.size();
    if (loop && is_thread_loop(*loop)) thread_loops_.push_back(loop->binding.dim);
    const Stmt rebuilt = rewrite_operands(stmt);
    if (loop && is_thread_loop(*loop)) thread_loops_.pop_back();
    return rebuilt;
  }

 private:
  /// The block without the dimensions whose threads have copies of their own.
  std::array<Expr, 3> free_threads(const Copy& copy) const {
    std::array<Expr, 3> threads = block_;
    for (const Region* side : {&copy.destination, &copy.source}) {
      if (!is_shared(*side)) continue;
      const size_t first = allocs_.lookup(side->tensor.get());
      for (const unsigned dim : llvm::makeArrayRef(thread_loops_).drop_front(first))
        threads[dim] = 1;
    }
    return threads;
  }

  std::array<Expr, 3> block_;
  Names names_;
  llvm::SmallVector<unsigned, 4> thread_loops_;
  llvm::DenseMap<const TensorNode*, size_t> allocs_;  ///< how many thread loops stand around
};

}  // namespace

void spread_copies(KernelFunction& kernel) { kernel.body = Spreader(kernel).rewrite(kernel.body); }

}  // namespace hone
