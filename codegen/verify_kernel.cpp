#include "codegen/verify_kernel.h"

#include "codegen/c_form/declaration.h"
#include "codegen/kernel_before.h"
#include "codegen/tensor_maps.h"
#include "ir/core/layout.h"
#include "ir/opcodes/opcodes.h"
#include "ir/target/box_limits.h"
#include "ir/traverse/tensors.h"
#include "ir/traverse/visit.h"
#include "ir/verify/verifier.h"

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

/// A part for each block of the cluster, where it has parts.
bool has_its_parts(const TensorNode& tensor, int64_t blocks) {
  return !tensor.is_in_parts || (tensor.rank() > 0 && is_int(tensor.shape[0], blocks));
}

/// A property of the box that no tensor map has, whatever the sizes are.
std::optional<std::string> box_problem(const BoxMove& move, const KernelFunction& kernel) {
  const size_t rank = kernel.arguments[operand_of(move, kernel)]->rank();
  if (move.memory.indices.size() != rank)
    return fmt::format("a box has {} dimensions, and {} has {}", move.memory.indices.size(),
                       move.memory.tensor->name, rank);
  const int64_t row = tensor_map_of(move, kernel).box.front() * size_of(move.tile.tensor->type);
  if (row % box_row_bytes != 0)
    return fmt::format("the rows of a box are {} bytes, no multiple of {}", row, box_row_bytes);
  if (move.swizzle() != 0 && row != move.swizzle())
    return fmt::format("the rows of a box are {} bytes, and its swizzle is one of rows of {}", row,
                       move.swizzle());
  return std::nullopt;
}

std::optional<std::string> box_problem(const KernelFunction& kernel) {
  std::optional<std::string> problem;
  walk(kernel.body, [&](const Stmt& stmt) {
    const auto move = box_move(stmt);
    const auto found = move && !problem ? box_problem(*move, kernel) : std::nullopt;
    if (found) problem = fmt::format("{}, in: {}", *found, head_of(stmt));
  });
  return problem;
}

/// The number of a warpgroup's barrier comes from thread.x.
std::optional<std::string> warpgroup_problem(const KernelFunction& kernel) {
  const auto& [row, rows, planes] = kernel.block;
  if (is_int(rows, 1) && is_int(planes, 1)) return std::nullopt;
  if (!any_of(kernel.body, is<op::barrier_of_warpgroup>)) return std::nullopt;
  return fmt::format(
      "barrier @warpgroup stands in a block of {} x {} x {} threads; it takes one row", row, rows,
      planes);
}

/// True if the statement behind the alloc, and no other, sets the value.
bool is_set_once(const Alloc& alloc) {
  int writes = 0;
  walk(alloc.body, [&](const Stmt& stmt) {
    for_each_tensor(stmt, [&](const TensorPtr& tensor, TensorUse use) {
      writes += use == TensorUse::writes && tensor.get() == alloc.tensor.get();
    });
  });
  return writes == 1 && declaration_of(alloc).first.defined();
}

std::optional<std::string> value_problem(const KernelFunction& kernel) {
  std::optional<std::string> problem;
  walk(kernel.body, [&](const Stmt& stmt) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    if (alloc && alloc->tensor->is_value && !is_set_once(*alloc))
      problem =
          fmt::format("{} is a value, which the statement behind its alloc sets, and no other",
                      alloc->tensor->name);
  });
  return problem;
}

}  // namespace

std::optional<std::string> cluster_problem(const KernelFunction& kernel) {
  const bool has_cluster = kernel.cluster > 1;
  std::optional<std::string> problem;
  walk(kernel.body, [&](const Stmt& stmt) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    if (has_cluster && alloc && !has_its_parts(*alloc->tensor, kernel.cluster))
      problem = fmt::format("{} has no part for each of the {} blocks of a cluster",
                            alloc->tensor->name, kernel.cluster);
    if (!has_cluster && alloc && alloc->tensor->is_in_parts)
      problem = fmt::format("{} has parts in the blocks of a cluster, and the kernel has none",
                            alloc->tensor->name);
    const auto* instr = llvm::dyn_cast<Instr>(stmt);
    if (instr && blocks_of(*instr) > 1 && blocks_of(*instr) != kernel.cluster)
      problem = fmt::format("{} is for {} blocks of a cluster, and the kernel has clusters of {}",
                            instr->opcode.word(), blocks_of(*instr), kernel.cluster);
    if (!has_cluster && is<op::barrier_of_cluster>(stmt))
      problem = "a barrier is of a cluster, and the kernel has none";
  });
  return problem;
}

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
  if (auto problem = box_problem(kernel)) return problem;
  if (waits_for_kernel_before(kernel.body) && waits_too_late(kernel.body))
    return "the kernel may come to global memory before it waits for the kernel before";
  if (auto problem = value_problem(kernel)) return problem;
  if (!is_thread) return std::nullopt;
  if (auto problem = warpgroup_problem(kernel)) return problem;
  return cluster_problem(kernel);
}

}  // namespace hone
