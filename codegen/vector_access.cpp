#include "codegen/vector_access.h"

#include "ir/visit.h"

namespace hone {

int64_t vector_bytes(const KernelFunction& kernel, llvm::StringRef tensor) {
  int64_t bytes = 0;
  walk(kernel.body, [&](const Stmt& stmt) {
    const auto* copy = llvm::dyn_cast<Copy>(stmt);
    if (!copy) return;
    for (const Region* side : {&copy->destination, &copy->source})
      if (side->tensor->name == tensor)
        bytes = std::max(bytes, copy->vector * size_of(side->tensor->type));
  });
  return bytes;
}

}  // namespace hone
