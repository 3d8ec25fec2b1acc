#include <set>

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

/// Those that the statement starts work on.
llvm::SmallVector<Timeline, 3> timelines_of(const Stmt& stmt) {
  llvm::SmallVector<Timeline, 3> timelines;
  const auto* copy = llvm::dyn_cast<Copy>(stmt);
  if (copy && !copy->is_by_producers()) timelines.push_back(copy->timeline());
  if (const auto* instr = llvm::dyn_cast<Instr>(stmt))
    for (const Operand& operand : instr->operands())
      if (operand.reads() || operand.writes()) timelines.push_back(operand.timeline);
  return timelines;
}

}  // namespace

bool GroupKind::starts(const Stmt& stmt) const {
  return llvm::is_contained(timelines_of(stmt), timeline);
}

llvm::SmallVector<GroupKind, 2> groups_in(const Stmt& kernel) {
  std::set<Timeline> started;
  walk(kernel, [&](const Stmt& stmt) {
    for (const Timeline timeline : timelines_of(stmt)) started.insert(timeline);
  });
  llvm::SmallVector<GroupKind, 2> found;
  for_each_opcode([&](const Opcode& commit) {
    const Groups& groups = commit.rules.groups;
    if (groups.commits() && started.count(groups.timeline) > 0)
      llvm::append_range(found, kinds_of(commit));
  });
  return found;
}

bool ends_in_groups(Timeline timeline) { return wait_of(timeline) != nullptr; }

}  // namespace hone
