#include "ir/interpret/index_extent.h"

#include "ir/interpret/interpreter.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// The index is an element of a tensor of this name, as it is.
bool is_element_of(const Expr& index, const std::string& tensor) {
  const auto* converted = llvm::dyn_cast<Cast>(index);
  const auto* load = converted ? llvm::dyn_cast<Load>(converted->operand) : nullptr;
  return load && load->tensor->name == tensor;
}

/// Calls `use` on each index of each element that the function touches, and its dimension's extent.
void for_each_index(const Function& function,
                    llvm::function_ref<void(const Expr& index, const Expr& extent)> use) {
  const auto take = [&](const TensorPtr& tensor, llvm::ArrayRef<Expr> indices) {
    for (const auto& [index, extent] : llvm::zip(indices, tensor->shape)) use(index, extent);
  };
  const auto take_region = [&](const Region& region) {
    for (const auto& [range, extent] : llvm::zip(region.ranges, region.tensor->shape))
      use(range.offset, extent);
  };
  walk_exprs(function.body, [&](const Expr& part) {
    if (const auto* load = llvm::dyn_cast<Load>(part)) take(load->tensor, load->indices);
  });
  walk(function.body, [&](const Stmt& stmt) {
    if (const auto* store = llvm::dyn_cast<Store>(stmt)) take(store->tensor, store->indices);
    if (const auto* copy = llvm::dyn_cast<Copy>(stmt))
      for (const Region* region : {&copy->source, &copy->destination}) take_region(*region);
  });
}

}  // namespace

int64_t index_extent(const Function& function, const TensorNode& tensor, const Sizes& sizes) {
  int64_t least = 0;
  for_each_index(function, [&](const Expr& index, const Expr& extent) {
    if (!is_element_of(index, tensor.name)) return;
    const int64_t own = evaluate(extent, sizes);
    least = least == 0 ? own : std::min(least, own);
  });
  return least;
}

}  // namespace hone
