// copy_loops(A.shared, Direction::fill): the copy that fills a tile as loops, to be scheduled.
//
//   copy A.shared[0 .. +8, 0 .. +8]          for A.shared.0 in 0..8
//        <- A[i.0*8 .. +8, k.0*8 .. +8]        for A.shared.1 in 0..8
//                                       =>       A.shared[A.shared.0, A.shared.1] =
//                                                  select(i.0*8 + A.shared.0 < M && ...,
//                                                    A[i.0*8 + A.shared.0, ...], 0.0)
//
// Loops that move registers are unrolled: registers have no addresses. Those that move registers of
// several threads go over them as the other accesses do; a dimension has a loop for each of its
// digits:
//
//   alloc R: f32[64] @registers              alloc R: f32[64] @registers
//   for t in 0..8 @thread.x                  for t in 0..8 @thread.x
//     for v in 0..8                            for v in 0..8
//       R[v*8 + t] = f(v*8 + t)        =>        R[v*8 + t] = f(v*8 + t)
//   copy C[0 .. +64] <- R[0 .. +64]          for R.0 in 0..8 @unroll
//                                              for R.1 in 0..8 @thread.x
//                                                C[R.0*8 + R.1] = R[R.0*8 + R.1]
//
// Preserves: everything.

#include "fmt/format.h"
#include "ir/analysis/tiles.h"
#include "ir/schedule/arguments.h"
#include "ir/schedule/legality/preconditions.h"
#include "ir/schedule/legality/promises.h"
#include "ir/schedule/rewrite/rebuild.h"
#include "ir/schedule/staging/transfer.h"
#include "ir/text/printer.h"
#include "ir/threads/launch_shape.h"
#include "ir/threads/register_owners.h"
#include "ir/traverse/rename.h"
#include "ir/traverse/rewriter.h"

namespace hone {
namespace {

bool lies_in_registers(const Region& region) { return region.tensor->scope == Scope::registers; }

Expr exists(const TensorNode& tensor, llvm::ArrayRef<Expr> indices) {
  Expr condition = true;
  for (unsigned dim = 0; dim < tensor.rank(); ++dim) {
    const Expr within = indices[dim] >= 0 && indices[dim] < tensor.shape[dim];
    condition = dim == 0 ? within : condition && within;
  }
  return condition;
}

/// A loop over a digit of a position in the copy.
struct Digit {
  Expr extent;
  Binding binding = {};
};
using Digits = llvm::SmallVector<Digit, 4>;  ///< of one dimension, the slowest first

/// Of a dimension of so many elements, as `dealings` deal it out; nothing where they leave some
/// over.
std::optional<Digits> dealt(int64_t elements, llvm::ArrayRef<Dealing> dealings) {
  Digits digits;
  for (const Dealing& dealing : dealings) {
    const int64_t round = dealing.run * dealing.threads;
    if (elements % round != 0) return std::nullopt;
    digits.push_back({elements / round, {Binding::Kind::unroll}});
    digits.push_back({dealing.threads, dealing.binding.without_combine()});
    elements = dealing.run;
  }
  digits.push_back({elements, {Binding::Kind::unroll}});
  llvm::erase_if(digits, [](const Digit& digit) { return is_int(digit.extent, 1); });
  return digits;
}

/// The threads that have the registers which the copy moves, by dimension of these; none where it
/// moves no registers of several threads.
llvm::SmallVector<llvm::SmallVector<Dealing, 2>, 4> dealings_of(const Function& function,
                                                                const Copy& copy) {
  const Region& side = lies_in_registers(copy.source) ? copy.source : copy.destination;
  const Alloc* alloc = find_alloc(function.body, side.tensor);
  if (!alloc || !lies_in_registers(side)) return {};
  if (!thread_loops(find_site(alloc->body, &copy)->around).empty()) return {};
  const Facts facts = find_site(function.body, alloc)->facts();
  llvm::SmallVector<llvm::SmallVector<Dealing, 2>, 4> dealings(side.ranges.size());
  for (const Dealing& dealing : register_owners(side.tensor, alloc->body, facts).dealings)
    dealings[dealing.dim].push_back(dealing);
  return dealings;
}

/// The digits of each dimension that the copy moves.
llvm::SmallVector<Digits, 4> digits_of(const Function& function, const Copy& copy) {
  const Region& side = lies_in_registers(copy.source) ? copy.source : copy.destination;
  const auto dealings = dealings_of(function, copy);
  llvm::SmallVector<Digits, 4> result;
  for (size_t dim = 0; dim < side.ranges.size(); ++dim) {
    const Range& range = side.ranges[dim];
    if (range.is_point()) continue;
    const auto elements = as_int(range.extent);
    std::optional<Digits> digits;
    if (elements && dim < dealings.size() && !dealings[dim].empty())
      digits = dealt(*elements, dealings[dim]);
    const Digit whole = {range.extent,
                         {lies_in_registers(side) ? Binding::Kind::unroll : Binding::Kind::serial}};
    result.push_back(digits.value_or(Digits{whole}));
  }
  return result;
}

/// The loops of a copy, and the position of the element that they are at.
class CopyLoops {
 public:
  CopyLoops(const TensorPtr& tile, Names& names) : tile_(tile), names_(names) {}

  llvm::ArrayRef<AxisPtr> axes() const { return axes_; }
  llvm::ArrayRef<Expr> position() const { return position_; }

  void add_dimension(const Digits& digits) {
    Expr index = 0;
    for (const Digit& digit : digits) {
      const std::string name = names_.fresh(fmt::format("{}.{}", tile_->name, axes_.size()));
      axes_.push_back(make_axis(name, AxisKind::spatial, {name}));
      digits_.push_back(digit);
      index = index * digit.extent + AxisRef::make(axes_.back());
    }
    position_.push_back(index);
  }

  Stmt around(Stmt nest) const {
    for (size_t n = axes_.size(); n-- > 0;)
      nest = For::make(axes_[n], digits_[n].extent, digits_[n].binding, nest);
    return nest;
  }

 private:
  const TensorPtr& tile_;
  Names& names_;
  llvm::SmallVector<AxisPtr, 4> axes_;
  Digits digits_;  ///< of the axes
  llvm::SmallVector<Expr, 4> position_;
};

}  // namespace

Rewrite copy_loops(const Function& function, const TensorPtr& tile, Direction direction) {
  // Preconditions
  const Preconditions check("copy_loops", function, tile);
  const StmtNode* found = find_copy(function, tile, direction);
  if (!found)
    check.refuse(nullptr, direction == Direction::fill
                              ? fmt::format("no copy fills {}", tile->name)
                              : fmt::format("no copy writes {} back", tile->name));
  const auto& copy = *llvm::cast<Copy>(found);
  if (copy.uses_engine())
    check.refuse(found,
                 fmt::format("{} is copied asynchronously, and loops would read and write each "
                             "element",
                             tile->name),
                 "copy_loops instead of copy_async");
  if (copy.vector > 1)
    check.refuse(found,
                 fmt::format("{} elements of {} move at a time, and loops would move one",
                             copy.vector, tile->name),
                 "cache without {.vectorize}, and vectorize one of the loops");

  // Rewrite
  Names names(function);
  CopyLoops loops(tile, names);
  for (const auto& digits : digits_of(function, copy)) loops.add_dimension(digits);
  const auto to = indices_at(copy.destination, loops.position());
  const auto from = indices_at(copy.source, loops.position());
  const Expr value =
      select(exists(*copy.source.tensor, from), Load::make(copy.source.tensor, from), copy.fill);
  const Stmt nest = If::make(exists(*copy.destination.tensor, to),
                             Store::make(copy.destination.tensor, to, Update::set, value));
  Rewrite result{rebuild(function, found, loops.around(nest)), {}, tile};
  llvm::append_range(result.axes, loops.axes());

  // Postcondition
  check_promises(check, function, result.function, found);
  return result;
}

const Primitive copy_loops_primitive = {
    .name = "copy_loops",
    .arguments = {argument::tensor, argument::direction, argument::names},
    .made = {.axes = Made::all},
    .apply = [](const Function& f, const Step& s) { return copy_loops(f, s.tensor, s.direction); },
};

}  // namespace hone
