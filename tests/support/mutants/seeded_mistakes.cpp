#include "tests/support/mutants/seeded_mistakes.h"

#include <set>

#include "ir/opcodes/opcodes.h"
#include "tests/support/mutants/changes.h"

namespace hone {

bool commits(const Stmt& stmt) {
  const auto* instr = llvm::dyn_cast<Instr>(stmt);
  return instr && instr->opcode.rules.groups.commits();
}

bool awaits_groups(const Stmt& stmt) {
  const auto* instr = llvm::dyn_cast<Instr>(stmt);
  return instr && instr->opcode.rules.groups.awaits();
}

bool keeps_time(const Stmt& stmt) {
  return is_barrier(stmt) || commits(stmt) || awaits_groups(stmt) || is<op::fence_engine>(stmt) ||
         is<op::init_mbarrier>(stmt) || is<op::arrive_mbarrier>(stmt) ||
         is<op::wait_mbarrier>(stmt) || is<op::expect_bytes>(stmt);
}

bool is_wait(const Stmt& stmt) {
  const auto* guard = llvm::dyn_cast<If>(stmt);
  return guard ? is_wait(guard->body) : keeps_time(stmt);
}

bool names(const Expr& expr, const AxisNode* axis) {
  return any_of(expr, [&](const Expr& part) {
    const auto* reference = llvm::dyn_cast<AxisRef>(part);
    return reference && reference->axis.get() == axis;
  });
}

std::vector<SeededMistake> seeded_mistakes(const KernelFunction& kernel) {
  std::vector<SeededMistake> all, distinct;
  add_wait_mistakes(all, kernel);
  add_mbarrier_mistakes(all, kernel);
  add_moves(all, kernel);
  add_ring_mistakes(all, kernel);
  add_copy_mistakes(all, kernel);
  add_fragment_mistakes(all, kernel);
  std::set<std::string> texts = {to_string(kernel)};
  for (SeededMistake& mistake : all)
    if (texts.insert(to_string(mistake.kernel)).second) distinct.push_back(std::move(mistake));
  return distinct;
}

}  // namespace hone
