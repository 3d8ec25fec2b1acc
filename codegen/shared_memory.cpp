#include "codegen/shared_memory.h"

#include "ir/target/alignment.h"
#include "ir/traverse/visit.h"
#include "llvm/Support/MathExtras.h"

namespace hone {

bool share_bytes(const TensorNode& lhs, const TensorNode& rhs) {
  if (lhs.scope != Scope::shared || rhs.scope != Scope::shared) return false;
  if (lhs.address < 0 || rhs.address < 0) return false;
  return lhs.address < rhs.address + storage_bytes(rhs) &&
         rhs.address < lhs.address + storage_bytes(lhs);
}

SharedMemory shared_memory(const KernelFunction& kernel) {
  SharedMemory memory;
  walk(kernel.body, [&](const Stmt& stmt) {
    const auto* alloc = llvm::dyn_cast<Alloc>(stmt);
    if (!alloc || alloc->tensor->scope != Scope::shared) return;
    const TensorNode& tensor = *alloc->tensor;
    for (const TensorPtr& other : memory.tensors) memory.is_arena |= share_bytes(tensor, *other);
    const int64_t next = llvm::alignTo(memory.bytes, std::max<int64_t>(tensor.alignment, 1));
    const int64_t address = tensor.address >= 0 ? tensor.address : next;
    memory.alignment = std::max(memory.alignment, alignment_of(tensor));
    memory.bytes = std::max(memory.bytes, address + storage_bytes(tensor));
    memory.tensors.push_back(alloc->tensor);
  });
  memory.is_arena |= memory.is_dynamic();
  return memory;
}

}  // namespace hone
