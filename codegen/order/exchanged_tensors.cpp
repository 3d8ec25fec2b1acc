#include "codegen/order/exchanged_tensors.h"

#include "codegen/order/wait_groups.h"
#include "ir/traverse/tensors.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/DenseMap.h"

namespace hone {
namespace {

struct Uses {
  int count = 0;
  bool has_writes = false;
};
using UsesOf = llvm::DenseMap<const TensorNode*, Uses>;

/// A statement in a serial loop counts twice.
void count_uses(const Stmt& stmt, bool is_repeated, UsesOf& uses) {
  const auto* loop = llvm::dyn_cast<For>(stmt);
  is_repeated |= loop && !loop->binding.is_parallel();
  for_each_tensor(stmt, [&](const TensorPtr& tensor, TensorUse how) {
    Uses& known = uses[tensor.get()];
    known.count += is_repeated ? 2 : 1;
    known.has_writes |= how == TensorUse::writes;
  });
  for_each_operand(
      stmt, [](const Expr&) {}, [&](const Stmt& part) { count_uses(part, is_repeated, uses); });
}

/// Registers that work in groups writes, of which a thread waits for itself.
void add_registers_of_groups(const Stmt& body, llvm::DenseSet<const TensorNode*>& exchanged) {
  walk(body, [&](const Stmt& stmt) {
    const auto* instr = llvm::dyn_cast<Instr>(stmt);
    if (!instr) return;
    for (const Operand& operand : instr->operands())
      if (operand.tensor->scope == Scope::registers && ends_in_groups(operand.timeline))
        exchanged.insert(operand.tensor.get());
  });
}

}  // namespace

llvm::DenseSet<const TensorNode*> exchanged_tensors(const Stmt& body) {
  UsesOf uses;
  count_uses(body, false, uses);
  llvm::DenseSet<const TensorNode*> exchanged;
  for (const auto& [tensor, known] : uses)
    if (tensor->scope == Scope::shared ||
        (tensor->scope == Scope::global && known.has_writes && known.count > 1))
      exchanged.insert(tensor);
  for (const GroupKind& kind : groups_in(body))
    for (const TensorNode* tensor : tensors_of_its_own(body, kind)) exchanged.erase(tensor);
  add_registers_of_groups(body, exchanged);
  return exchanged;
}

}  // namespace hone
