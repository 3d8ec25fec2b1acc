#include "codegen/contract/launch_contract.h"

#include "codegen/c_form/identifiers.h"
#include "codegen/contract/contract_checks.h"
#include "codegen/kernel_before.h"
#include "codegen/shared_memory.h"
#include "codegen/vector_access.h"
#include "fmt/format.h"
#include "ir/algebra/simplify.h"
#include "ir/analysis/in_place.h"
#include "ir/core/layout.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"

namespace hone {
namespace {

SizeCheck promise(const Module& module, const Expr& assumption) {
  const auto params = params_of(assumption);
  const std::string sizes = values_text(params);
  const auto* index = llvm::find_if(
      module.index_checks, [&](const SizeCheck& check) { return equal(check.holds, assumption); });
  if (index == module.index_checks.end())
    return {assumption,
            fmt::format("{} was compiled for {}, and {}", module.name, assumption, sizes), params};
  SizeCheck check = *index;
  check.message = fmt::format("{}: {}; {}", module.name, check.message, sizes);
  check.values.append(params.begin(), params.end());
  return check;
}

/// Of all kernels, each once.
llvm::SmallVector<Expr, 4> assumptions_of(const Module& module) {
  llvm::SmallVector<Expr, 4> assumptions;
  for (const KernelFunction& kernel : module.kernels)
    for (const Expr& assumption : kernel.assumptions)
      if (llvm::none_of(assumptions, [&](const Expr& e) { return e.same_as(assumption); }))
        assumptions.push_back(assumption);
  return assumptions;
}

// ---- Kernels ------------------------------------------------------------------------------------

KernelOperand operand_of(const Module& module, const KernelFunction& kernel,
                         const TensorPtr& tensor) {
  const auto find = [&](const auto& tensors) {
    return static_cast<size_t>(llvm::find(tensors, tensor) - tensors.begin());
  };
  using Kind = KernelOperand::Kind;
  const bool is_written = hone::is_written(kernel, tensor);
  if (llvm::is_contained(module.arguments, tensor))
    return {Kind::argument, find(module.arguments), is_written};
  if (llvm::is_contained(module.temporaries, tensor))
    return {Kind::temporary, find(module.temporaries), is_written};
  return {Kind::counter, find(module.counters), is_written};
}

KernelContract contract_of(const Module& module, const KernelFunction& kernel) {
  KernelContract contract;
  contract.name = kernel.name;
  contract.symbol = cuda_symbol(kernel);
  contract.params = kernel.params;
  contract.tensor_maps = tensor_maps(kernel);
  contract.grid = kernel.grid;
  contract.block = kernel.block;
  contract.cluster = kernel.cluster;
  contract.index_bits = kernel.index_bits;
  contract.starts_early = waits_for_kernel_before(kernel.body);
  for (const TensorPtr& tensor : kernel.arguments)
    contract.operands.push_back(operand_of(module, kernel, tensor));
  const SharedMemory memory = shared_memory(kernel);
  contract.shared_bytes = memory.bytes;
  contract.shared_alignment = memory.alignment;
  contract.is_shared_dynamic = memory.is_dynamic();
  contract.limits = limits_of(kernel);
  add_index_checks(kernel, contract);
  return contract;
}

llvm::SmallVector<AlignmentCheck, 4> alignments_of(const Module& module) {
  llvm::SmallVector<AlignmentCheck, 4> checks;
  for (size_t n = 0; n < module.arguments.size(); ++n)
    for (const KernelFunction& kernel : module.kernels) {
      const std::string& name = module.arguments[n]->name;
      const int64_t bytes = vector_bytes(kernel, name);
      if (bytes == 0) continue;
      checks.push_back({n, bytes,
                        fmt::format("{}: {} is accessed in vectors of {} bytes, and its memory at "
                                    "{{}} does not start at a multiple of {}",
                                    kernel.name, name, bytes, bytes)});
    }
  return checks;
}

/// True where an index names the same element of both.
bool lie_alike(const TensorNode& lhs, const TensorNode& rhs) {
  return lhs.type == rhs.type && all_equal(lhs.shape, rhs.shape) && equal(lhs.layout, rhs.layout);
}

llvm::SmallVector<OverlapCheck, 4> overlaps_of(const LaunchContract& contract,
                                               const Function* function) {
  llvm::SmallVector<OverlapCheck, 4> checks;
  for (size_t second = 0; second < contract.arguments.size(); ++second)
    for (size_t first = 0; first < second; ++first) {
      const auto &lhs = contract.arguments[first], &rhs = contract.arguments[second];
      if (!lhs.is_written && !rhs.is_written) continue;
      const bool may_be_one = function && function->may_alias &&
                              lie_alike(*lhs.tensor, *rhs.tensor) &&
                              !in_place_problem(*function, lhs.tensor, rhs.tensor);
      checks.push_back({first, second, may_be_one,
                        fmt::format("{}: {} and {} share memory{}, and one of them is written",
                                    contract.name, lhs.tensor->name, rhs.tensor->name,
                                    may_be_one ? " without being one array" : "")});
    }
  return checks;
}

}  // namespace

LaunchContract launch_contract(const Module& module, const Function* function) {
  LaunchContract contract;
  contract.name = module.name;
  contract.params = module.params;
  for (const ParamPtr& param : module.params) {
    const Expr size = ParamRef::make(param);
    contract.sizes.push_back(
        {size >= 0,
         fmt::format("{}: the size {} must not be negative, got {{}}", module.name, param->name),
         {size}});
  }
  for (const TensorPtr& tensor : module.arguments)
    contract.arguments.push_back(
        {tensor, llvm::any_of(module.kernels, [&](const KernelFunction& kernel) {
           return is_written(kernel, tensor);
         })});
  for (const Expr& assumption : assumptions_of(module))
    contract.promises.push_back(promise(module, assumption));
  contract.alignments = alignments_of(module);
  contract.temporaries = workspace_parts(module.temporaries);
  contract.counters = workspace_parts(module.counters);
  contract.overlaps = overlaps_of(contract, function);
  for (const KernelFunction& kernel : module.kernels)
    contract.kernels.push_back(contract_of(module, kernel));
  return contract;
}

LaunchContract launch_contract(const KernelFunction& kernel) {
  Module module;
  module.name = kernel.name;
  module.params = kernel.params;
  module.arguments = kernel.arguments;
  module.kernels.push_back(kernel);
  return launch_contract(module);
}

llvm::SmallVector<WorkspacePart, 2> workspace_parts(llvm::ArrayRef<TensorPtr> tensors) {
  constexpr int64_t alignment = 256;
  llvm::SmallVector<WorkspacePart, 2> parts;
  for (const TensorPtr& tensor : tensors) {
    const Expr size = storage_size(*tensor) * size_of(tensor->type);
    const Expr bytes = simplify((size + (alignment - 1)) / alignment * alignment);
    parts.push_back({tensor, workspace_bytes(parts), bytes});
  }
  return parts;
}

Expr workspace_bytes(llvm::ArrayRef<WorkspacePart> parts) {
  Expr bytes = 0;
  for (const WorkspacePart& part : parts) bytes = simplify(bytes + part.bytes);
  return bytes;
}

}  // namespace hone
