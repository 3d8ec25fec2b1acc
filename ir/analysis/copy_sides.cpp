#include "ir/analysis/copy_sides.h"

#include "ir/core/layout.h"

namespace hone {
namespace {

/// The number, among the dimensions of a region that are no points, of dimension `dim` of its
/// tensor; nothing for a point.
std::optional<size_t> region_dim(const Region& region, int dim) {
  const auto dims = region.dims();
  const auto* found = llvm::find(dims, dim);
  if (found == dims.end()) return std::nullopt;
  return found - dims.begin();
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

}  // namespace hone
