#include "codegen/order/wait_groups.h"
#include "ir/analysis/dependence.h"
#include "ir/analysis/site.h"
#include "ir/traverse/tensors.h"
#include "ir/traverse/visit.h"

namespace hone {
namespace {

void for_each_opcode(llvm::function_ref<void(const Opcode&)> visit) {
  for (const Family& family : opcode_families())
    for (const Opcode* opcode : family.opcodes) visit(*opcode);
}

/// The wait for groups of work on the timeline, or for what they read; null where there is none.
const Opcode* wait_of(Timeline timeline, Groups::Part part = Groups::Part::awaits) {
  const Opcode* found = nullptr;
  for_each_opcode([&](const Opcode& opcode) {
    if (opcode.rules.groups == Groups{part, timeline}) found = &opcode;
  });
  return found;
}

/// One for each wait of the timeline.
llvm::SmallVector<GroupKind, 2> kinds_of(const Opcode& commit) {
  const Timeline timeline = commit.rules.groups.timeline;
  GroupKind all = {timeline, &commit, wait_of(timeline)};
  const Opcode* for_reads = wait_of(timeline, Groups::Part::awaits_reads);
  if (!for_reads) return {all};
  all.is_for_reads = false;
  return {{timeline, &commit, for_reads, true, false}, all};
}

}  // namespace

bool GroupKind::starts(const Stmt& stmt) const {
  if (const auto* copy = llvm::dyn_cast<Copy>(stmt))
    return copy->timeline() == timeline && !copy->is_by_producers();
  const auto* instr = llvm::dyn_cast<Instr>(stmt);
  return instr && llvm::any_of(instr->operands(), [&](const Operand& operand) {
           return operand.timeline == timeline && (operand.reads() || operand.writes());
         });
}

llvm::SmallVector<GroupKind, 2> groups_in(const Stmt& kernel) {
  llvm::SmallVector<GroupKind, 2> found;
  for_each_opcode([&](const Opcode& commit) {
    if (!commit.rules.groups.commits()) return;
    for (const GroupKind& kind : kinds_of(commit))
      if (any_of(kernel, [&](const Stmt& stmt) { return kind.starts(stmt); }))
        found.push_back(kind);
  });
  return found;
}

bool ends_in_groups(Timeline timeline) { return wait_of(timeline) != nullptr; }

}  // namespace hone
