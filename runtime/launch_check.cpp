// Checks before a kernel runs: arrays against the program, sizes against the device.

#include "fmt/ranges.h"
#include "ir/core/layout.h"
#include "ir/interpret/interpreter.h"
#include "ir/text/printer.h"
#include "ir/traverse/visit.h"
#include "runtime/compile.h"

namespace hone {
namespace {

/// "f32[M, K] @pitch(lda)"
std::string type_text(const TensorNode& tensor) {
  std::string dims;
  for (const Expr& extent : tensor.shape) dims += (dims.empty() ? "" : ", ") + to_string(extent);
  return fmt::format("{}[{}]{}", name(tensor.type).str(), dims, to_string(tensor.layout));
}

/// `sizes` are those that the type is made of, `detail` says more about the array.
[[noreturn]] void refuse_array(const LaunchContract& contract, const TensorNode& tensor,
                               const AnyArray& array, const std::string& sizes = "",
                               const std::string& detail = "") {
  throw RuntimeError("{}: {} is {}{}, got {}{}", contract.name, tensor.name, type_text(tensor),
                     sizes, array.describe(), detail);
}

void check_order(const LaunchContract& contract, const TensorNode& tensor, const AnyArray& array) {
  const auto wanted = storage_order(tensor), got = array.order();
  if (wanted != got)
    refuse_array(contract, tensor, array, "",
                 fmt::format(", whose dimensions lie in the order ({}) and not ({}), from the "
                             "slowest to the fastest; use with_layout()",
                             fmt::join(got, ", "), fmt::join(wanted, ", ")));
}

void check_arrays(const LaunchContract& contract, llvm::ArrayRef<AnyArray> arrays) {
  if (arrays.size() != contract.arguments.size()) {
    std::string names;
    for (const ContractArgument& argument : contract.arguments)
      names += (names.empty() ? "" : ", ") + argument.tensor->name;
    throw RuntimeError("{} takes {} arrays ({}), got {}", contract.name, contract.arguments.size(),
                       names, arrays.size());
  }
  for (auto [argument, array] : llvm::zip(contract.arguments, arrays)) {
    const TensorPtr& tensor = argument.tensor;
    if (!stands_for(array.dtype(), tensor->type)) refuse_array(contract, *tensor, array);
    if (array.shape().size() != tensor->rank()) refuse_array(contract, *tensor, array);
    check_order(contract, *tensor, array);
  }
}

void bind_param(const Expr& size, int64_t value, Sizes& sizes) {
  if (const auto* reference = llvm::dyn_cast<ParamRef>(size))
    sizes.try_emplace(reference->param->name, value);
}

/// A dimension that is a param alone gives the param its value, and so does a pitch.
void bind_params(const LaunchContract& contract, llvm::ArrayRef<AnyArray> arrays, Sizes& sizes) {
  for (auto [argument, array] : llvm::zip(contract.arguments, arrays))
    for (auto [extent, size] : llvm::zip(argument.tensor->shape, array.shape()))
      bind_param(extent, size, sizes);
  for (auto [argument, array] : llvm::zip(contract.arguments, arrays))
    if (argument.tensor->layout.row_pitch.defined())
      bind_param(argument.tensor->layout.row_pitch, array.row_pitch(), sizes);
}

std::string known_sizes(const TensorNode& tensor, const Sizes& sizes) {
  std::string text;
  llvm::SmallVector<std::string, 4> seen;
  llvm::SmallVector<Expr, 4> parts = tensor.shape;
  if (tensor.layout.row_pitch.defined()) parts.push_back(tensor.layout.row_pitch);
  for (const Expr& part_of_type : parts)
    walk(part_of_type, [&](const Expr& part) {
      const auto* reference = llvm::dyn_cast<ParamRef>(part);
      if (!reference || llvm::is_contained(seen, reference->param->name)) return;
      seen.push_back(reference->param->name);
      text += fmt::format("{} {} = {}", text.empty() ? " with" : ",", reference->param->name,
                          sizes.find(reference->param->name)->second);
    });
  return text;
}

/// An array without gaps has the pitch of its row.
void check_pitch(const LaunchContract& contract, const TensorNode& tensor, const AnyArray& array,
                 const Sizes& sizes) {
  if (tensor.rank() == 0 || evaluate(row_pitch(tensor), sizes) == array.row_pitch()) return;
  refuse_array(
      contract, tensor, array, known_sizes(tensor, sizes),
      fmt::format(", whose rows lie {} elements apart; use with_layout()", array.row_pitch()));
}

void check_shapes(const LaunchContract& contract, llvm::ArrayRef<AnyArray> arrays,
                  const Sizes& sizes) {
  for (auto [argument, array] : llvm::zip(contract.arguments, arrays)) {
    const TensorPtr& tensor = argument.tensor;
    for (auto [extent, size] : llvm::zip(tensor->shape, array.shape()))
      if (evaluate(extent, sizes) != size)
        refuse_array(contract, *tensor, array, known_sizes(*tensor, sizes));
    check_pitch(contract, *tensor, array, sizes);
  }
}

void check(llvm::ArrayRef<SizeCheck> checks, const Sizes& sizes) {
  for (const SizeCheck& check : checks)
    if (!value_of(check.holds, sizes)) throw RuntimeError("{}", refusal(check, sizes));
}

}  // namespace

Sizes resolve_sizes(const LaunchContract& contract, llvm::ArrayRef<AnyArray> arrays,
                    const Sizes& more) {
  check_arrays(contract, arrays);
  Sizes sizes = more;
  bind_params(contract, arrays, sizes);
  for (const ParamPtr& param : contract.params)
    if (!sizes.count(param->name))
      throw RuntimeError("{}: no array's shape gives the size {}; pass it to run()", contract.name,
                         param->name);
  check(contract.sizes, sizes);
  check_shapes(contract, arrays, sizes);
  check(contract.promises, sizes);
  return sizes;
}

void check_alignment(const AlignmentCheck& check, const void* address) {
  if (reinterpret_cast<uintptr_t>(address) % static_cast<uintptr_t>(check.bytes) != 0)
    throw RuntimeError("{}", filled(check.message, fmt::format("{}", address)));
}

LaunchDims launch_dims(const KernelContract& kernel, const Sizes& sizes) {
  LaunchDims dims;
  for (int dim = 0; dim < 3; ++dim) {
    dims.grid[dim] = value_of(kernel.grid[dim], sizes);
    dims.block[dim] = value_of(kernel.block[dim], sizes);
  }
  dims.shared_bytes = kernel.dynamic_shared_bytes();
  // If nothing runs, the extents of loops may be undefined: a number of threads divides them.
  const bool is_empty = llvm::is_contained(dims.grid, 0) || llvm::is_contained(dims.block, 0);
  if (is_empty) return dims;
  check(kernel.limits, sizes);
  if (kernel.index_steps > 0) check(kernel.index_limits, with_values(sizes, kernel.values));
  return dims;
}

LaunchDims launch_dims(const KernelFunction& kernel, const Sizes& sizes) {
  return launch_dims(launch_contract(kernel).kernels.front(), sizes);
}

}  // namespace hone
