// copy A.shared[0 .. +32, 0 .. +32] <- A[...] @by(thread.x, thread.y)        a block of 32 x 8
//
//   =>  for A.shared.s in 0..4 @unroll
//         for A.shared.ty in 0..8 @thread.y
//           for A.shared.tx in 0..32 @thread.x
//             A.shared[A.shared.s*8 + A.shared.ty, A.shared.tx] = A[...]
//
// Cooperative fetch: threads make the copy together, neighbours have neighbours.

#include <numeric>

#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/copies/copy_element.h"
#include "ir/copies/copy_nest.h"
#include "ir/target/gpu_limits.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/roots.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// Steps of a copy that are unrolled; more stay a loop. Asynchronous copies take no registers for
/// the elements that they move.
int64_t most_unrolled(const Copy& copy) { return copy.is_async() ? 64 : 16; }

/// The bytes side by side that an access to global memory takes where it wastes none.
constexpr int64_t bytes_of_access = 128;

bool is_shared(const Region& region) { return region.tensor->scope == Scope::shared; }

/// The side along which neighbouring threads go: the one where it costs most.
const Region& coalesced_side(const Copy& copy) {
  return is_shared(copy.destination) && !is_shared(copy.source) ? copy.source : copy.destination;
}

/// One copy and the threads that it is dealt out to.
class CopyDistribution {
 public:
  CopyDistribution(const Copy& copy, llvm::ArrayRef<ThreadGroup> threads, Names& names)
      : copy_(copy), names_(names), order_(storage_order(coalesced_side(copy))) {
    extents_ = copy.destination.extents();
    width_ = extents_.empty() ? 1 : vector_width(copy);
    if (width_ > 1) extents_[order_.back()] = simplify(extents_[order_.back()] / width_);
    for (const Expr& extent : extents_) groups_ = simplify(groups_ * extent);
    for (const ThreadGroup& group : threads) add_loop(group);
  }

  Stmt run() {
    place_.resize(extents_.size(), 0);
    if (!deal_dimensions() && !deal_by_digits()) deal_in_one_row();
    return nest(vector());
  }

 private:
  struct Loop {
    AxisPtr axis;
    Expr extent;
    Binding binding = {};
  };

  /// One element is copied by thread 0.
  void add_loop(const ThreadGroup& group) {
    // A root of its own: sums of these axes are no index that would have a name.
    const std::string name = fresh(suffix_of(group.binding));
    const AxisPtr axis = make_axis(name, AxisKind::spatial, {name});
    const Expr count = is_int(groups_, 1) ? Expr(1) : group.count;
    thread_loops_.push_back({axis, count, group.binding});
    threads_ = simplify(threads_ * count);
  }

  std::string fresh(const std::string& suffix) {
    const Region& tile = is_shared(copy_.destination) ? copy_.destination : copy_.source;
    return names_.fresh(tile.tensor->name + suffix);
  }

  static std::string suffix_of(const Binding& binding) {
    if (binding.digit.unit == ThreadUnit::lane) return ".lane";
    if (binding.digit.unit == ThreadUnit::warp) return ".warp";
    return std::string(".t") + "xyzc"[binding.dim];
  }

  Expr thread(size_t group) const { return AxisRef::make(thread_loops_[group].axis); }

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
    const size_t dealt = thread_loops_.size();
    if (dealt > order_.size()) return false;
    for (size_t n = 0; n < dealt; ++n) {
      const auto threads = as_int(thread_loops_[n].extent);
      const auto extent = as_int(extents_[nth_fastest(n)]);
      if (!threads || !extent || *extent % *threads != 0) return false;
      if (n == 0 && *threads % warp_size != 0 && threads != extent) return false;
    }
    llvm::SmallVector<ThreadsOfDim, 3> dims;
    for (size_t n = 0; n < dealt; ++n) dims.push_back({thread_loops_[n].extent, thread(n)});
    place_along(dims);
    return true;
  }

  /// Threads along one dimension of the region: how many, and the number of one of them.
  struct ThreadsOfDim {
    Expr count, number;
  };

  /// The fastest dimensions have threads along them; all are gone through in steps.
  void place_along(llvm::ArrayRef<ThreadsOfDim> dims) {
    for (size_t n = 0; n < order_.size(); ++n) {
      const unsigned at = nth_fastest(n);
      const ThreadsOfDim threads = n < dims.size() ? dims[n] : ThreadsOfDim{1, 0};
      place_[at] = step(simplify(extents_[at] / threads.count)) * threads.count;
      if (n < dims.size()) place_[at] = place_[at] + threads.number;
    }
  }

  /// The threads go round a part of a row each, and those that are left take the next rows: 128
  /// threads are two rows of 64 in a row of 192 elements. Only where a row and the threads have
  /// whole accesses as a common factor, and neither divides the other.
  bool deal_by_digits() {
    if (thread_loops_.size() != 1 || order_.size() < 2) return false;
    const auto threads = as_int(threads_), columns = as_int(extents_[nth_fastest(0)]),
               rows = as_int(extents_[nth_fastest(1)]);
    if (!threads || !columns || !rows || *columns % *threads == 0 || *threads % *columns == 0)
      return false;
    const int64_t together = std::gcd(*threads, *columns), apart = *threads / together;
    const int64_t bytes = together * width_ * size_of(copy_.destination.tensor->type);
    if (bytes % bytes_of_access != 0 || *rows % apart != 0) return false;
    place_along({{together, thread(0) % together}, {apart, thread(0) / together}});
    name_digits();
    return true;
  }

  /// The region, in the order of memory, goes round all threads, in the order of their numbers.
  void deal_in_one_row() {
    // Sizes that are known at launch may be 0; then nothing runs, and nothing divides by it.
    const Expr threads = as_int(threads_) ? threads_ : max(threads_, 1);
    Expr number = step(simplify((groups_ + threads - 1) / threads));
    for (size_t n = thread_loops_.size(); n-- > 0;)
      number = number * thread_loops_[n].extent + thread(n);
    take_apart(number);
    if (llvm::any_of(place_, [&](const Expr& index) { return divides_steps(index); })) {
      // The steps do not add to each index by themselves: the number says more.
      const AxisPtr at = make_axis(fresh(".at"), AxisKind::spatial);
      lets_.push_back({at, number});
      take_apart(AxisRef::make(at));
    }
    name_digits();
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

  /// Each part of a place that costs a division gets a name: A.shared.k = A.shared.tx % 8. The
  /// compiler makes no branches of conditions whose operands are there already.
  void name_digits() {
    for (size_t at = 0; at < place_.size(); ++at) {
      const auto name = [&](const Expr& digit) {
        const std::string fresh_name = fresh("." + root_of(at));
        const AxisPtr axis = make_axis(fresh_name, AxisKind::spatial, {fresh_name});
        lets_.push_back({axis, digit});
        return AxisRef::make(axis);
      };
      place_[at] = with_digits_named(place_[at], name);
    }
  }

  Expr with_digits_named(const Expr& index, llvm::function_ref<Expr(const Expr&)> name) const {
    const auto* binary = llvm::dyn_cast<Binary>(index);
    if (!binary) return index;
    const bool divides = binary->op == BinaryOp::div || binary->op == BinaryOp::mod;
    if (divides && is_fixed(index)) return name(index);
    return Binary::make(binary->op, with_digits_named(binary->lhs, name),
                        with_digits_named(binary->rhs, name));
  }

  /// Made of the threads, or of the element's number.
  bool is_fixed(const Expr& expr) const {
    return !any_of(expr, [&](const Expr& part) {
      const auto* reference = llvm::dyn_cast<AxisRef>(part);
      if (!reference) return llvm::isa<ParamRef>(part);
      const AxisPtr& axis = reference->axis;
      return llvm::none_of(thread_loops_, [&](const Loop& l) { return l.axis == axis; }) &&
             llvm::none_of(lets_, [&](const auto& let) { return let.first == axis; });
    });
  }

  /// The declared axis that the dimension's index descends from, or the dimension's number.
  std::string root_of(size_t at) const {
    size_t n = 0;
    for (const Range& range : coalesced_side(copy_).ranges)
      if (!range.is_point() && n++ == at) {
        const llvm::StringRef root = common_root(range.offset);
        if (!root.empty()) return root.str();
      }
    return std::to_string(at);
  }

  bool divides_steps(const Expr& index) const {
    return any_of(index, [&](const Expr& part) {
      const auto* binary = llvm::dyn_cast<Binary>(part);
      const bool divides = binary && (binary->op == BinaryOp::div || binary->op == BinaryOp::mod);
      const auto is_in_part = [&](const Loop& loop) { return mentions(part, loop.axis.get()); };
      return divides && llvm::any_of(step_loops_, is_in_part);
    });
  }

  unsigned nth_fastest(size_t n) const { return order_[order_.size() - 1 - n]; }

  Stmt vector() {
    if (width_ == 1) return copy_access(copy_, place_, 0, nullptr);
    Expr& fastest = place_[order_.back()];
    fastest = fastest * width_;
    const AxisPtr lane = make_axis(fresh(".v"), AxisKind::spatial);
    return copy_access(copy_, place_, order_.back(), lane);
  }

  Stmt nest(Stmt body) const {
    if (guard_.defined()) body = If::make(guard_, body);
    for (const auto& [axis, value] : llvm::reverse(lets_)) body = Let::make(axis, value, body);
    for (const Loop& loop : thread_loops_)
      body = For::make(loop.axis, loop.extent, loop.binding, body);
    const auto count = as_int(steps_);
    const bool is_unrolled = count && *count <= most_unrolled(copy_);
    for (const Loop& loop : step_loops_)
      body = For::make(loop.axis, loop.extent,
                       {is_unrolled ? Binding::Kind::unroll : Binding::Kind::serial}, body);
    return body;
  }

  const Copy& copy_;
  Names& names_;
  llvm::SmallVector<unsigned, 4> order_;
  llvm::SmallVector<Expr, 4> extents_;  ///< of the region, in vectors
  int64_t width_ = 1;
  Expr groups_ = 1, threads_ = 1, steps_ = 1;
  llvm::SmallVector<Loop, 3> thread_loops_;
  llvm::SmallVector<Loop, 3> step_loops_;  ///< the fastest dimension first
  Coordinates place_;                      ///< in vectors
  Expr guard_;
  llvm::SmallVector<std::pair<AxisPtr, Expr>, 2> lets_;  ///< numbers of elements, and their digits
};

}  // namespace

Stmt cooperative_nest(const Copy& copy, llvm::ArrayRef<ThreadGroup> threads, Names& names) {
  return CopyDistribution(copy, threads, names).run();
}

}  // namespace hone
