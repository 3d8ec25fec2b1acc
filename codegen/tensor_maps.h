// Tensors as the copy engine knows them. The host makes a map of each before a launch.
#pragma once

#include "codegen/kernel.h"
#include "ir/opcodes/opcodes.h"

namespace hone {

/// A box of a tensor, for all that moves one like it in a kernel. Dimensions count from the
/// fastest on.
struct TensorMap {
  size_t operand = 0;  ///< the number of the tensor among the arguments of the kernel
  DType type;
  llvm::SmallVector<Expr, 5> extents;  ///< elements
  llvm::SmallVector<Expr, 4> strides;  ///< bytes, of all dimensions but the fastest
  llvm::SmallVector<int64_t, 5> box;   ///< elements
  int64_t swizzle = 0;                 ///< bytes: 0, 32, 64 or 128
};

/// The number of the tensor in global memory among the arguments of the kernel.
size_t operand_of(const BoxMove& move, const KernelFunction& kernel);

/// The map that a copy or a store of the kernel goes by.
TensorMap tensor_map_of(const BoxMove& move, const KernelFunction& kernel);

/// All maps of the kernel, each once, in the order of the text: they follow its other parameters.
std::vector<TensorMap> tensor_maps(const KernelFunction& kernel);

/// A demand of a map on the sizes of its tensor: a value, and the fault where the condition does
/// not hold, with "{}" for the value.
struct MapRule {
  Expr holds, value;
  std::string otherwise;
};
llvm::SmallVector<MapRule, 6> rules_of(const TensorMap& map, const KernelFunction& kernel);

/// True if they are for the same box of the same tensor.
bool are_alike(const TensorMap& lhs, const TensorMap& rhs);

/// The coordinates of a box, from the fastest dimension on.
llvm::SmallVector<Expr, 5> coordinates_of(const BoxMove& move, const KernelFunction& kernel);

}  // namespace hone
