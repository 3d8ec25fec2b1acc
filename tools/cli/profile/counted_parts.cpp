#include "tools/cli/profile/counted_parts.h"

#include <algorithm>
#include <cmath>

#include "llvm/ADT/STLExtras.h"

namespace hone {

bool becomes_instruction(const PtxInstruction& instruction) {
  return !instruction.is("mov") && !instruction.is("cvta") && !instruction.is("ld.param");
}

CountedParts::CountedParts(llvm::ArrayRef<AccessGroup> groups, const CountReport& counts,
                           const SourceLoops& source, const StatementLines& lines,
                           const Sizes& sizes)
    : counts_(counts), source_(source), sizes_(sizes) {
  const double warps = static_cast<double>(counts.blocks()) *
                       std::ceil(static_cast<double>(counts.threads_per_block()) / 32);
  const auto note = [&](const StmtNode* stmt, llvm::ArrayRef<const For*> nest, double at_once,
                        int64_t counted) {
    const double written = warps * value_of(source.product(nest), sizes) * at_once;
    if (written == 0) return;
    const double part = static_cast<double>(counted) / written;
    parts_[stmt] = std::clamp(part, parts_[stmt], 1.0);
    for (const For* loop : nest) parts_[loop] = std::clamp(part, parts_[loop], 1.0);
  };
  for (const auto& [group, report] : llvm::zip(groups, counts.accesses))
    note(group.access.statement.get(), group.loops, group.elements / report.elements(),
         report.counts.requests);
  for (const BranchReport& report : counts.branches)
    note(report.statement.get(), source.around.find(report.statement.get())->second, 1,
         report.counts.warps);
  for (const auto& [stmt, at] : lines)
    for (const unsigned line : at) of_lines_[line] = std::max(of_lines_[line], of(stmt));
}

double CountedParts::of(const StmtNode* stmt) const {
  if (const auto own = parts_.find(stmt); own != parts_.end()) return own->second;
  double part = 1;
  if (const auto nest = source_.around.find(stmt); nest != source_.around.end())
    for (const For* loop : nest->second)
      if (const auto found = parts_.find(loop); found != parts_.end())
        part = std::min(part, found->second);
  return part;
}

double CountedParts::instructions(const PtxKernel& ptx, const CompiledLoops& loops) const {
  double all = 0;
  for (size_t block = 0; block < ptx.blocks.size(); ++block) {
    double part = 1;  // that of the statement before, for lines of functions that it calls
    for (const PtxInstruction& instruction : ptx.blocks[block].instructions) {
      if (const auto found = of_lines_.find(instruction.line); found != of_lines_.end())
        part = found->second;
      if (becomes_instruction(instruction)) all += part * loops.trips(block);
    }
  }
  return all;
}

double CountedParts::statements() const {
  double all = 0;
  for (const Stmt& stmt : counts_.run_statements) {
    const auto nest = source_.around.find(stmt.get());
    all += of(stmt.get()) * value_of(source_.product(nest->second), sizes_);
  }
  return all;
}

}  // namespace hone
