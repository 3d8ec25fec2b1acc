#include "codegen/c_form/launch_bound.h"

#include "ir/gpu_limits.h"
#include "ir/visit.h"

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
  if (!has_register_tile(kernel) && !is_alone_on_multiprocessor(kernel)) return std::nullopt;
  return threads;
}

bool is_alone_on_multiprocessor(const KernelFunction& kernel) {
  return any_of(kernel.body, [](const Stmt& stmt) { return llvm::isa<SetRegisters>(stmt); });
}

}  // namespace hone
