#include "codegen/kernel_before.h"

#include "ir/opcodes/opcodes.h"
#include "ir/traverse/scopes.h"
#include "ir/traverse/tensors.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

/// By threads or by an engine.
bool touches_global(const Stmt& stmt) {
  return any_of(stmt, [](const Stmt& part) {
    bool touches = false;
    for_each_tensor(part, [&](const TensorPtr& tensor, TensorUse) {
      touches |= tensor->scope == Scope::global;
    });
    return touches;
  });
}

bool reads_global(const Let& let) {
  return touches_global(Let::make(let.axis, let.value, Seq::make({})));
}

/// The statement behind the alloc of a value stays there, as it sets the value.
bool is_set_from_global(const Alloc& alloc) {
  return alloc.tensor->is_value && touches_global(lines_of(alloc.body).front());
}

}  // namespace

Stmt with_wait_for_kernel_before(const Stmt& body) {
  if (const auto* alloc = llvm::dyn_cast<Alloc>(body); alloc && !is_set_from_global(*alloc))
    return Alloc::make(alloc->tensor, with_wait_for_kernel_before(alloc->body));
  if (const auto* let = llvm::dyn_cast<Let>(body); let && !reads_global(*let))
    return Let::make(let->axis, let->value, with_wait_for_kernel_before(let->body));
  const Stmt wait = Instr::make(op::wait_kernel_before);
  const auto* seq = llvm::dyn_cast<Seq>(body);
  if (!seq) return Seq::make({wait, body});
  llvm::SmallVector<Stmt, 8> stmts(seq->stmts.begin(), seq->stmts.end());
  stmts.insert(llvm::find_if(stmts, touches_global), wait);
  return Seq::make(stmts);
}

bool waits_for_kernel_before(const Stmt& body) { return any_of(body, is<op::wait_kernel_before>); }

bool waits_too_late(const Stmt& body) {
  if (const auto* alloc = llvm::dyn_cast<Alloc>(body)) return waits_too_late(alloc->body);
  if (const auto* let = llvm::dyn_cast<Let>(body))
    return reads_global(*let) || waits_too_late(let->body);
  const auto* seq = llvm::dyn_cast<Seq>(body);
  if (!seq) return !is<op::wait_kernel_before>(body);
  for (const Stmt& stmt : seq->stmts)
    if (waits_for_kernel_before(stmt) || touches_global(stmt)) return waits_too_late(stmt);
  return true;
}

}  // namespace hone
