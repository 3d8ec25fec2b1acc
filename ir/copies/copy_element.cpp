#include "ir/copies/copy_element.h"

#include "ir/algebra/simplify.h"
#include "ir/analysis/tiles.h"
#include "ir/core/layout.h"

namespace hone {
namespace {

/// All of a range lies within the tensor.
bool stays_inside(const Range& range, const Expr& shape) {
  const Expr last = range.is_point() ? range.offset : range.at(range.extent - 1);
  return proves(range.offset >= 0 && last < shape, {});
}

Expr is_inside(const Region& region, const Coordinates& place) {
  Expr inside = true;
  const auto indices = indices_at(region, place);
  for (size_t dim = 0; dim < indices.size(); ++dim) {
    const Expr& shape = region.tensor->shape[dim];
    if (!stays_inside(region.ranges[dim], shape))
      inside = inside && (indices[dim] >= 0 && indices[dim] < shape);
  }
  return inside;
}

}  // namespace

llvm::SmallVector<unsigned, 4> storage_order(const Region& side) {
  llvm::SmallVector<unsigned, 4> order;
  for (const int dim : storage_order(*side.tensor)) {
    if (side.ranges[dim].is_point()) continue;
    const auto before = llvm::ArrayRef<Range>(side.ranges).take_front(dim);
    order.push_back(llvm::count_if(before, [](const Range& range) { return !range.is_point(); }));
  }
  return order;
}

int64_t vector_width(const Copy& copy) { return std::max<int64_t>(copy.vector, 1); }

Stmt copy_access(const Copy& copy, const Coordinates& first, unsigned fastest,
                 const AxisPtr& lane) {
  const auto &to = copy.destination, &from = copy.source;
  Coordinates place = first;
  const bool has_lanes = lane && !copy.is_async();
  if (has_lanes) place[fastest] = place[fastest] + AxisRef::make(lane);
  const Expr element = Load::make(from.tensor, indices_at(from, place));
  const Expr value = select(is_inside(from, first), element, copy.fill);
  const auto indices = indices_at(to, place);
  const Stmt move = copy.is_async() ? Instr::make(op::copy_async, {{to.tensor, indices}}, value,
                                                  vector_width(copy))
                                    : Store::make(to.tensor, indices, Update::set, value);
  const Stmt access = If::make(is_inside(to, first), move);
  return has_lanes ? For::make(lane, vector_width(copy), {Binding::Kind::vectorize}, access)
                   : access;
}

}  // namespace hone
