#include "codegen/tensor_maps.h"

#include "fmt/format.h"
#include "ir/algebra/simplify.h"
#include "ir/core/layout.h"
#include "ir/target/box_limits.h"
#include "ir/traverse/visit.h"

namespace hone {

size_t operand_of(const BoxMove& move, const KernelFunction& kernel) {
  const auto* found = llvm::find_if(kernel.arguments, [&](const TensorPtr& argument) {
    return argument->name == move.memory.tensor->name;
  });
  assert(found != kernel.arguments.end() && "global tensors of a kernel are its arguments");
  return found - kernel.arguments.begin();
}

namespace {

/// The dimensions of the tensor, the fastest first.
llvm::SmallVector<int, 4> dims_of(const BoxMove& move, const KernelFunction& kernel) {
  auto dims = storage_order(*kernel.arguments[operand_of(move, kernel)]);
  std::reverse(dims.begin(), dims.end());
  return dims;
}

}  // namespace

TensorMap tensor_map_of(const BoxMove& move, const KernelFunction& kernel) {
  TensorMap map;
  map.operand = operand_of(move, kernel);
  const TensorNode& tensor = *kernel.arguments[map.operand];
  map.type = tensor.type;
  map.swizzle = move.swizzle();
  Expr stride = size_of(tensor.type);
  for (const int dim : dims_of(move, kernel)) {
    if (!map.extents.empty()) map.strides.push_back(stride);
    const Expr length = map.extents.empty() ? row_pitch(tensor) : tensor.shape[dim];
    map.extents.push_back(tensor.shape[dim]);
    map.box.push_back(move.box()[dim]);
    stride = simplify(stride * length);
  }
  return map;
}

std::vector<TensorMap> tensor_maps(const KernelFunction& kernel) {
  std::vector<TensorMap> maps;
  walk(kernel.body, [&](const Stmt& stmt) {
    const auto move = box_move(stmt);
    if (!move) return;
    TensorMap map = tensor_map_of(*move, kernel);
    if (llvm::none_of(maps, [&](const TensorMap& known) { return are_alike(known, map); }))
      maps.push_back(std::move(map));
  });
  return maps;
}

llvm::SmallVector<MapRule, 6> rules_of(const TensorMap& map, const KernelFunction& kernel) {
  llvm::SmallVector<MapRule, 6> rules;
  const auto add = [&](const Expr& holds, const Expr& value, const std::string& otherwise) {
    rules.push_back({holds, value,
                     fmt::format("{}: {} is copied in bulk, and {}", kernel.name,
                                 kernel.arguments[map.operand]->name, otherwise)});
  };
  for (const Expr& extent : map.extents)
    add(extent <= most_map_elements, extent,
        fmt::format("{{}} elements along one dimension are more than {}, which coordinates reach",
                    most_map_elements));
  for (const Expr& stride : map.strides) {
    add(stride % box_row_bytes == 0, stride,
        fmt::format("its rows lie {{}} bytes apart, no multiple of {}", box_row_bytes));
    add(stride <= most_map_stride, stride,
        fmt::format("its rows lie {{}} bytes apart, more than {}", most_map_stride));
  }
  return rules;
}

bool are_alike(const TensorMap& lhs, const TensorMap& rhs) {
  return lhs.operand == rhs.operand && lhs.box == rhs.box && lhs.swizzle == rhs.swizzle;
}

llvm::SmallVector<Expr, 5> coordinates_of(const BoxMove& move, const KernelFunction& kernel) {
  llvm::SmallVector<Expr, 5> coordinates;
  for (const int dim : dims_of(move, kernel)) coordinates.push_back(move.memory.indices[dim]);
  return coordinates;
}

}  // namespace hone
