#include "codegen/c_form/launch_bound.h"

#include "ir/opcodes/opcodes.h"
#include "ir/target/gpu_limits.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// A thread holds more than single elements in registers.
bool has_register_tile(const KernelFunction& kernel) {
  return any_of(kernel.body, [](const Stmt& stmt) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    return alloc && alloc->tensor->scope == Scope::registers && alloc->tensor->rank() > 0;
  });
}

}  // namespace

std::optional<int64_t> launch_bound(const KernelFunction& kernel) {
  int64_t threads = 1;
  for (const Expr& extent : kernel.block) {
    if (!as_int(extent)) return widest_architecture().max_threads;
    threads *= std::max<int64_t>(*as_int(extent), 1);
  }
  if (!has_register_tile(kernel) && blocks_bound(kernel) == 0) return std::nullopt;
  return threads;
}

int64_t blocks_bound(const KernelFunction& kernel) {
  const auto sets_registers = [](const Stmt& stmt) {
    return is<op::give_registers>(stmt) || is<op::take_registers>(stmt);
  };
  if (kernel.resident_blocks > 0) return kernel.resident_blocks;
  return any_of(kernel.body, sets_registers) ? 1 : 0;
}

}  // namespace hone
