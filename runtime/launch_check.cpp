// What is checked before a kernel runs: arrays against the program, sizes against the device.

#include "codegen/c_text.h"
#include "codegen/lower.h"
#include "ir/interpreter.h"
#include "ir/printer.h"
#include "ir/visit.h"
#include "runtime/compile.h"

namespace hone {
namespace {

/// "f32[M, K]"
std::string type_text(const TensorNode& tensor) {
  std::string dims;
  for (const Expr& extent : tensor.shape) dims += (dims.empty() ? "" : ", ") + to_string(extent);
  return fmt::format("{}[{}]", name(tensor.type).str(), dims);
}

[[noreturn]] void refuse_array(const Module& module, const TensorNode& tensor,
                               const AnyArray& array, const std::string& why) {
  throw RuntimeError("{}: {} is {}{}, got {}", module.name, tensor.name, type_text(tensor), why,
                     array.describe());
}

void check_arrays(const Module& module, llvm::ArrayRef<AnyArray> arrays) {
  if (arrays.size() != module.arguments.size()) {
    std::string names;
    for (const TensorPtr& tensor : module.arguments)
      names += (names.empty() ? "" : ", ") + tensor->name;
    throw RuntimeError("{} takes {} arrays ({}), got {}", module.name, module.arguments.size(),
                       names, arrays.size());
  }
  for (auto [tensor, array] : llvm::zip(module.arguments, arrays)) {
    if (array.dtype() != tensor->type) refuse_array(module, *tensor, array, "");
    if (array.shape().size() != tensor->rank()) refuse_array(module, *tensor, array, "");
  }
}

/// A dimension that is a param alone gives the param its value.
void bind_params(const Module& module, llvm::ArrayRef<AnyArray> arrays, Sizes& sizes) {
  for (auto [tensor, array] : llvm::zip(module.arguments, arrays))
    for (auto [extent, size] : llvm::zip(tensor->shape, array.shape()))
      if (const auto* reference = llvm::dyn_cast<ParamRef>(extent))
        sizes.try_emplace(reference->param->name, size);
}

std::string known_sizes(const TensorNode& tensor, const Sizes& sizes) {
  std::string text;
  llvm::SmallVector<std::string, 4> seen;
  for (const Expr& extent : tensor.shape)
    walk(extent, [&](const Expr& part) {
      const auto* reference = llvm::dyn_cast<ParamRef>(part);
      if (!reference || llvm::is_contained(seen, reference->param->name)) return;
      seen.push_back(reference->param->name);
      text += fmt::format("{} {} = {}", text.empty() ? " with" : ",", reference->param->name,
                          sizes.find(reference->param->name)->second);
    });
  return text;
}

void check_shapes(const Module& module, llvm::ArrayRef<AnyArray> arrays, const Sizes& sizes) {
  for (auto [tensor, array] : llvm::zip(module.arguments, arrays))
    for (auto [extent, size] : llvm::zip(tensor->shape, array.shape()))
      if (evaluate(extent, sizes) != size)
        refuse_array(module, *tensor, array, known_sizes(*tensor, sizes));
}

void check_fits_32_bits(const KernelFunction& kernel, const Sizes& sizes) {
  const auto check = [&](const std::string& what, int64_t size) {
    if (size > max_size_32)
      throw RuntimeError(
          "{}: {} is {}, more than the {} that a kernel with 32-bit indices takes; "
          "compile with {{.index_bits = 64}}",
          kernel.name, what, size, max_size_32);
  };
  for (const ParamPtr& param : kernel.params) check(param->name, sizes.find(param->name)->second);
  for (const TensorPtr& tensor : kernel.arguments) {
    int64_t elements = 1;
    for (const Expr& extent : tensor->shape)
      if (__builtin_mul_overflow(elements, evaluate(extent, sizes), &elements))
        elements = INT64_MAX;
    check("the number of elements of " + tensor->name, elements);
  }
  walk(kernel.body, [&](const Stmt& stmt) {
    const auto* loop = llvm::dyn_cast<For>(stmt);
    if (loop) check("the extent of " + loop->axis->name, evaluate(loop->extent, sizes));
  });
  for (int dim = 0; dim < 3; ++dim)
    check("the number of threads in " + std::string(1, "xyz"[dim]),
          evaluate(kernel.grid[dim], sizes) * evaluate(kernel.block[dim], sizes));
}

void check_launch(const KernelFunction& kernel, const LaunchDims& dims) {
  constexpr int64_t max_grid[] = {2147483647, 65535, 65535};
  for (int dim = 0; dim < 3; ++dim)
    if (dims.grid[dim] > max_grid[dim])
      throw RuntimeError("{}: the grid has {} blocks in {} ({}), and a grid takes at most {}",
                         kernel.name, dims.grid[dim], "xyz"[dim], kernel.grid[dim], max_grid[dim]);
  const int64_t threads = dims.block[0] * dims.block[1] * dims.block[2];
  if (threads > 1024 || dims.block[2] > 64)
    throw RuntimeError(
        "{}: the block has {} x {} x {} threads ({}, {}, {}), and a block takes at "
        "most 1024; split the axis that is bound to thread.x",
        kernel.name, dims.block[0], dims.block[1], dims.block[2], kernel.block[0], kernel.block[1],
        kernel.block[2]);
}

}  // namespace

Sizes resolve_sizes(const Module& module, llvm::ArrayRef<AnyArray> arrays, const Sizes& more) {
  check_arrays(module, arrays);
  Sizes sizes = more;
  bind_params(module, arrays, sizes);
  for (const ParamPtr& param : module.params) {
    const auto found = sizes.find(param->name);
    if (found == sizes.end())
      throw RuntimeError("{}: no array's shape gives the size {}; pass it to run()", module.name,
                         param->name);
    if (found->second < 0)
      throw RuntimeError("{}: the size {} must not be negative, got {}", module.name, param->name,
                         found->second);
  }
  check_shapes(module, arrays, sizes);
  return sizes;
}

LaunchDims launch_dims(const KernelFunction& kernel, const Sizes& sizes) {
  if (kernel.index_bits == 32) check_fits_32_bits(kernel, sizes);
  LaunchDims dims;
  for (int dim = 0; dim < 3; ++dim) {
    dims.grid[dim] = evaluate(kernel.grid[dim], sizes);
    dims.block[dim] = evaluate(kernel.block[dim], sizes);
  }
  check_launch(kernel, dims);
  return dims;
}

}  // namespace hone
