#include "codegen/vector_access.h"

#include "ir/target/box_limits.h"
#include "ir/traverse/visit.h"

namespace hone {

int64_t vector_bytes(const KernelFunction& kernel, llvm::StringRef tensor) {
  int64_t bytes = 0;
  walk(kernel.body, [&](const Stmt& stmt) {
    const auto use = [&](const TensorPtr& side, int64_t count) {
      if (side->name == tensor && count > 1) bytes = std::max(bytes, count * size_of(side->type));
    };
    if (const auto* instr = llvm::dyn_cast<Instr>(stmt))
      for (const Operand& operand : instr->operands()) {
        if (operand.timeline == Timeline::async_thread) use(operand.tensor, operand.count);
        if (!operand.box.empty() && operand.tensor->name == tensor)
          bytes = std::max(bytes, box_row_bytes);
      }
    const auto* copy = llvm::dyn_cast<Copy>(stmt);
    if (!copy) return;
    for (const Region* side : {&copy->destination, &copy->source}) use(side->tensor, copy->vector);
  });
  return bytes;
}

}  // namespace hone
