// copy_loops(A.shared, Direction::fill): the copy that fills a tile as loops, to be scheduled.
//
//   copy A.shared[0 .. +8, 0 .. +8]          for A.shared.0 in 0..8
//        <- A[i.0*8 .. +8, k.0*8 .. +8]        for A.shared.1 in 0..8
//                                       =>       A.shared[A.shared.0, A.shared.1] =
//                                                  select(i.0*8 + A.shared.0 < M && ...,
//                                                    A[i.0*8 + A.shared.0, ...], 0.0)
//
// Loops that move registers are unrolled: registers have no addresses.
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
  Rewrite result{function, {}, tile};
  llvm::SmallVector<Expr, 4> position;
  const auto extents = copy.destination.extents();
  for (size_t n = 0; n < extents.size(); ++n) {
    const std::string name = names.fresh(fmt::format("{}.{}", tile->name, n));
    result.axes.push_back(make_axis(name, AxisKind::spatial, {name}));
    position.push_back(AxisRef::make(result.axes.back()));
  }
  const auto to = indices_at(copy.destination, position);
  const auto from = indices_at(copy.source, position);
  const Expr value =
      select(exists(*copy.source.tensor, from), Load::make(copy.source.tensor, from), copy.fill);
  Stmt nest = If::make(exists(*copy.destination.tensor, to),
                       Store::make(copy.destination.tensor, to, Update::set, value));
  const bool unrolled = lies_in_registers(copy.destination) || lies_in_registers(copy.source);
  const Binding binding{unrolled ? Binding::Kind::unroll : Binding::Kind::serial, 0, 0};
  for (size_t n = extents.size(); n-- > 0;)
    nest = For::make(result.axes[n], extents[n], binding, nest);
  result.function = rebuild(function, found, nest);

  // Postcondition: what moves registers of several threads stays for lowering to deal out.
  check_promises(check, function, result.function, found);
  return result;
}

const Primitive copy_loops_primitive = {
    .name = "copy_loops",
    .arguments = {argument::tensor, argument::direction},
    .made = {.axes = Made::all},
    .apply = [](const Function& f, const Step& s) { return copy_loops(f, s.tensor, s.direction); },
};

}  // namespace hone
