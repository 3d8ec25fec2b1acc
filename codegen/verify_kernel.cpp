#include "codegen/verify_kernel.h"

#include "ir/layout.h"
#include "ir/verifier.h"
#include "ir/visit.h"

namespace hone {
namespace {

std::optional<std::string> size_problem(const KernelFunction& kernel, const char* what,
                                        const Expr& size) {
  if (!size.defined()) return fmt::format("the kernel has no size of {}", what);
  if (size.type() != DType::index)
    return fmt::format("the size {} of {} is {}, not an index", size, what,
                       name(size.type()).str());
  std::optional<std::string> problem;
  walk(size, [&](const Expr& part) {
    const auto* reference = llvm::dyn_cast<ParamRef>(part);
    const bool is_known = !reference || llvm::is_contained(kernel.params, reference->param);
    if (!is_known || llvm::isa<AxisRef, Load, ThreadIndex, Shuffle>(part))
      problem = fmt::format("the size {} of {} depends on {}; it may contain params and constants",
                            size, what, part);
  });
  return problem;
}

/// An element of a shared tensor lies in the block of the cluster that its first index says.
std::optional<std::string> cluster_problem(const KernelFunction& kernel) {
  std::optional<std::string> problem;
  walk(kernel.body, [&](const Stmt& stmt) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    if (!alloc || alloc->tensor->scope != Scope::shared || kernel.cluster == 1) return;
    const TensorNode& tensor = *alloc->tensor;
    if (tensor.rank() == 0 || !is_int(tensor.shape[0], kernel.cluster))
      problem = fmt::format("{} has no part for each of the {} blocks of a cluster", tensor.name,
                            kernel.cluster);
  });
  return problem;
}

}  // namespace

std::optional<std::string> verify(const KernelFunction& kernel, KernelForm form) {
  const bool is_thread = form == KernelForm::thread;
  Function function = as_function(kernel);
  if (form != KernelForm::nest)
    for (TensorPtr& argument : function.arguments) argument = flattened(*argument);
  if (auto problem = verify(function, is_thread ? IrLevel::kernel : IrLevel::lowering))
    return problem;
  for (const auto& [what, sizes] :
       {std::pair("the grid", kernel.grid), std::pair("a block", kernel.block)})
    for (const Expr& size : sizes)
      if (size.defined() || is_thread)
        if (auto problem = size_problem(kernel, what, size)) return problem;
  return cluster_problem(kernel);
}

}  // namespace hone
