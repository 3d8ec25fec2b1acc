#include "ir/threads/register_owners.h"

#include "fmt/format.h"
#include "ir/algebra/polynomial.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/copy_sides.h"
#include "ir/threads/instruction_nest.h"
#include "ir/threads/launch_shape.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// An access with the thread loops around it.
struct Touch {
  MemoryAccess access;
  llvm::SmallVector<const For*, 3> threads;

  /// The innermost loop over the threads that a loop with `binding` goes over.
  const For* loop_of(const Binding& binding) const {
    for (const For* loop : llvm::reverse(threads))
      if (loop->binding.dim == binding.dim && loop->binding.digit == binding.digit) return loop;
    return nullptr;
  }
};

class Owners {
 public:
  Owners(const TensorPtr& tensor, const Facts& known) : tensor_(tensor), known_(known) {}

  RegisterOwners run(const Stmt& body) {
    body_ = with_lanes_of_instructions(body);
    collect(body_);
    RegisterOwners owners;
    for (const Binding& binding : bindings())
      if (owners.conflict.empty()) decide(binding, owners);
    llvm::stable_sort(owners.dealings,
                      [](const Dealing& a, const Dealing& b) { return a.run > b.run; });
    if (owners.conflict.empty()) lay_out(body, owners);
    if (owners.conflict.empty()) check_vectors(owners);
    return owners;
  }

 private:
  /// Values that instructions take together go behind all else.
  void lay_out(const Stmt& body, RegisterOwners& owners) const {
    bool is_taken = false;
    for (const FragmentSpread& spread : spreads_of(tensor_, body)) {
      const Layout layout = without_zeros(layout_of(spread, owners), owners);
      if (is_taken && layout.digits != owners.layout.digits)
        owners.conflict = fmt::format("two instructions take the values of {} in different orders",
                                      tensor_->name);
      owners.layout = layout;
      is_taken = true;
    }
  }

  Layout layout_of(const FragmentSpread& spread, const RegisterOwners& owners) const {
    const int more = static_cast<int>(tensor_->rank() - spread.rank());
    llvm::SmallVector<SpreadDigit, 6> values;
    for (const SpreadDigit& digit : spread.digits)
      if (digit.of == SpreadDigit::Of::value) values.push_back(digit);
    llvm::stable_sort(
        values, [](const SpreadDigit& a, const SpreadDigit& b) { return a.divisor > b.divisor; });
    Layout layout;
    for (int dim = 0; dim < static_cast<int>(tensor_->rank()); ++dim) {
      int64_t count = 1;
      for (const SpreadDigit& digit : values)
        if (digit.dim + more == dim) count *= digit.count;
      layout.digits.push_back(IndexDigit(dim) / count);
    }
    for (const SpreadDigit& digit : values) {
      Expr stride = digit.factor;
      for (const Dealing& dealing : owners.dealings)
        if (static_cast<int>(dealing.dim) == digit.dim + more)
          stride = simplify(dealing.place(stride));
      const IndexDigit next(digit.dim + more, *as_int(stride), digit.count);
      IndexDigit& last = layout.digits.back();
      if (last.dim == next.dim && last.stride == next.stride * next.count)
        last = {last.dim, next.stride, last.count * next.count};  // the two are one
      else
        layout.digits.push_back(next);
    }
    return layout;
  }

  /// The same layout without the digits that are 0 for all elements of a thread: the one below is
  /// then all that is left of its dimension.
  Layout without_zeros(Layout layout, const RegisterOwners& owners) const {
    const auto shape = part_of_thread(owners);
    llvm::erase_if(layout.digits, [&](const IndexDigit& digit) {
      return digit.stride > 1 && digit.stride >= shape[digit.dim];
    });
    for (IndexDigit& digit : layout.digits)
      if (digit.stride * digit.count >= shape[digit.dim]) digit.count = 0;
    return layout;
  }

  llvm::SmallVector<int64_t, 4> part_of_thread(const RegisterOwners& owners) const {
    llvm::SmallVector<int64_t, 4> shape;
    for (const Expr& extent : tensor_->shape) shape.push_back(*as_int(extent));
    for (const Dealing& dealing : owners.dealings)
      shape[dealing.dim] = dealing.per_thread(shape[dealing.dim]);
    return shape;
  }

  /// The digits that threads of accesses differ in.
  llvm::SmallVector<Binding, 4> bindings() const {
    llvm::SmallVector<Binding, 4> result;
    const auto is_same = [](const Binding& a, const Binding& b) {
      return a.dim == b.dim && a.digit == b.digit;
    };
    for (const Touch& touch : touches_)
      for (const For* loop : touch.threads)
        if (llvm::none_of(result, [&](const Binding& b) { return is_same(b, loop->binding); }))
          result.push_back(loop->binding);
    for (Binding& binding : result) binding = binding.without_combine();
    llvm::sort(result, [](const Binding& a, const Binding& b) {
      return std::tuple(a.dim, a.digit.stride, a.digit.count) <
             std::tuple(b.dim, b.digit.stride, b.digit.count);
    });
    return result;
  }

  void collect(const Stmt& stmt) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    if (loop && is_thread_loop(*loop)) threads_.push_back(loop);
    if (llvm::isa<For, Seq, If, Let, Alloc>(stmt))
      for_each_operand(
          stmt, [](const Expr&) {}, [&](const Stmt& nested) { collect_under(stmt, nested); });
    else
      collect_from(stmt);
    if (loop && is_thread_loop(*loop)) threads_.pop_back();
  }

  void collect_under(const Stmt& around, const Stmt& stmt) {
    around_.push_back(around);
    collect(stmt);
    around_.pop_back();
  }

  /// The accesses of one statement, as they are seen with all loops and lets around them.
  void collect_from(const Stmt& stmt) {
    if (llvm::isa<Copy>(stmt) && threads_.empty()) return;
    Stmt whole = stmt;
    for (const Stmt& around : llvm::reverse(around_)) whole = with_body(around, whole);
    for (MemoryAccess& access : collect_accesses(whole))
      if (access.tensor == tensor_) touches_.push_back({std::move(access), threads_});
  }

  static Stmt with_body(const Stmt& around, const Stmt& body) {
    if (const auto* loop = llvm::dyn_cast<For>(around)) return loop->with_body(body);
    if (const auto* branch = llvm::dyn_cast<If>(around)) return If::make(branch->condition, body);
    if (const auto* let = llvm::dyn_cast<Let>(around))
      return Let::make(let->axis, let->value, body);
    return body;
  }

  void decide(const Binding& binding, RegisterOwners& owners) const {
    const Touch* dealt = nullptr;
    for (const Touch& touch : touches_)
      if (!dealt && mentions_thread(touch, binding)) dealt = &touch;
    if (!dealt) return;
    const auto dealing = dealing_of(*dealt, binding);
    if (!dealing) {
      owners.conflict =
          fmt::format("no thread in {} has {} to itself", to_string(binding), dealt->access.text());
      return;
    }
    for (const Touch& touch : touches_)
      if (dealing_of(touch, binding) != dealing) {
        owners.conflict =
            fmt::format("{} and {} are not elements of the same thread in {}", dealt->access.text(),
                        touch.access.text(), to_string(binding));
        return;
      }
    owners.dealings.push_back(*dealing);
  }

  /// A single thread has all elements, whatever its number does to an index.
  static bool mentions_thread(const Touch& touch, const Binding& binding) {
    const For* loop = touch.loop_of(binding);
    return loop && !is_int(loop->extent, 1) &&
           llvm::any_of(touch.access.indices,
                        [&](const Expr& index) { return mentions(index, loop->axis.get()); });
  }

  /// A vector of a copy lies within a run of a thread's elements.
  void check_vectors(RegisterOwners& owners) const {
    walk(body_, [&](const Stmt& stmt) {
      const auto* copy = llvm::dyn_cast<Copy>(stmt);
      if (!copy || copy->vector <= 1) return;
      for (const Region* side : {&copy->destination, &copy->source})
        if (side->tensor == tensor_) check_vector(*side, *copy, owners);
    });
  }

  void check_vector(const Region& side, const Copy& copy, RegisterOwners& owners) const {
    const auto along = vector_dim(copy);
    const auto dims = side.dims();
    for (const Dealing& dealing : owners.dealings) {
      if (!along || *along >= dims.size() || static_cast<int>(dealing.dim) != dims[*along])
        continue;
      const int64_t all = *as_int(tensor_->shape[dealing.dim]);
      if (dealing.run % copy.vector == 0 && all % dealing.run == 0) continue;
      owners.conflict = fmt::format(
          "each thread has {} neighbouring elements of {} at a time, of {}, and {} cannot move at "
          "once",
          dealing.run, tensor_->name, all, copy.vector);
      owners.note = "split the axis of the threads by the length of the vector first";
    }
  }

  /// Nothing where the elements are not those of one thread of the loop.
  std::optional<Dealing> dealing_of(const Touch& touch, const Binding& binding) const {
    const For* loop = touch.loop_of(binding);
    const auto threads = loop ? as_int(loop->extent) : std::nullopt;
    if (!threads) return std::nullopt;
    Facts facts = known_;
    for (const auto& [axis, extent] : touch.access.inner) facts.add_axis(axis, extent);
    std::optional<Dealing> found;
    for (unsigned dim = 0; dim < touch.access.indices.size(); ++dim) {
      const Expr& index = touch.access.indices[dim];
      if (!mentions(index, loop->axis.get())) continue;
      const auto linear = Polynomial::of(index).linear_in(loop->axis.get());
      const auto run = linear ? linear->coefficient.constant() : std::nullopt;
      if (found || !run || *run < 1) return std::nullopt;
      found = Dealing{dim, *run, *threads, binding};
      if (!is_same(found->owner(index), AxisRef::make(loop->axis), facts)) return std::nullopt;
    }
    return found;
  }

  static bool is_same(const Expr& lhs, const Expr& rhs, const Facts& facts) {
    const Polynomial difference =
        Polynomial::of(simplify(lhs, facts)) - Polynomial::of(simplify(rhs, facts));
    return proves_non_negative(difference, facts) &&
           proves_non_negative(Polynomial() - difference, facts);
  }

  const TensorPtr& tensor_;
  const Facts& known_;
  Stmt body_;  ///< which the loops of touches live in
  llvm::SmallVector<Stmt, 8> around_;
  llvm::SmallVector<const For*, 3> threads_;
  llvm::SmallVector<Touch, 8> touches_;
};

}  // namespace

RegisterOwners register_owners(const TensorPtr& tensor, const Stmt& body, const Facts& known) {
  return Owners(tensor, known).run(body);
}

}  // namespace hone
