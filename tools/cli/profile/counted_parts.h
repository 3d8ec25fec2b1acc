// The part of a kernel that runs, if conditions keep threads out of the rest.
#pragma once

#include "tools/cli/profile/access_groups.h"

namespace hone {

/// The parts of the runs of each statement, as written, that warps make: as the accesses of the
/// statement were counted, or those in the loops around it. Of what only the last block does a part
/// is next to nothing.
class CountedParts {
 public:
  CountedParts(llvm::ArrayRef<AccessGroup> groups, const CountReport& counts,
               const SourceLoops& source, const StatementLines& lines, const Sizes& sizes);

  /// Of a thread of an average warp.
  double instructions(const PtxKernel& ptx, const CompiledLoops& loops) const;
  /// Those of CountReport::run_statements.
  double statements() const;

 private:
  double of(const StmtNode* stmt) const;

  const CountReport& counts_;
  const SourceLoops& source_;
  const Sizes& sizes_;
  std::map<const StmtNode*, double> parts_;  ///< of accesses and of loops
  std::map<unsigned, double> of_lines_;      ///< of the CUDA text
};

/// Of a block: what becomes no instruction of the machine does not count.
bool becomes_instruction(const PtxInstruction& instruction);

}  // namespace hone
