#include "ir/analysis/copy_sides.h"

#include "ir/core/layout.h"

namespace hone {
namespace {

/// The number, among the dimensions of a region that are no points, of dimension `dim` of its
/// tensor; nothing for a point.
std::optional<size_t> region_dim(const Region& region, int dim) {
  if (region.ranges[dim].is_point()) return std::nullopt;
  return llvm::count_if(llvm::ArrayRef<Range>(region.ranges).take_front(dim),
                        [](const Range& range) { return !range.is_point(); });
}

}  // namespace

const Region& memory_side(const Copy& copy) {
  const Region &to = copy.destination, &from = copy.source;
  if (from.tensor->scope == Scope::global) return from;
  if (to.tensor->scope == Scope::global) return to;
  return from.tensor->scope == Scope::shared && to.tensor->scope == Scope::registers ? from : to;
}

std::optional<size_t> vector_dim(const Copy& copy) {
  const Region& memory = memory_side(copy);
  return memory.ranges.empty() ? std::nullopt : region_dim(memory, fastest_dim(*memory.tensor));
}

std::optional<unsigned> dimension_of(const Region& region, size_t along) {
  for (unsigned dim = 0; dim < region.ranges.size(); ++dim)
    if (!region.ranges[dim].is_point() && along-- == 0) return dim;
  return std::nullopt;
}

}  // namespace hone
