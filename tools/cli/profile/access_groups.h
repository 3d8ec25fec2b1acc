// The accesses of a kernel, statement by statement, with the instructions that they became.
#pragma once

#include "tools/cli/profile/compiled_kernel.h"
#include "tools/cli/profile/compiled_loops.h"

namespace hone {

/// The accesses of one statement to one tensor.
struct AccessGroup {
  CompiledAccess access;
  LoopNest loops;                        ///< around the statement
  double elements = 0;                   ///< of one run of the statement, as written
  llvm::SmallVector<unsigned, 1> lines;  ///< of the CUDA text
  std::vector<PtxAccess> compiled;       ///< in the order of the PTX
};

/// Elements of the group's tensor that an instruction moves.
double elements_of(const PtxAccess& access, const TensorNode& tensor);

/// Those that were counted, each with the accesses of the PTX to its tensor that stand nearest.
std::vector<AccessGroup> group_accesses(const KernelFunction& kernel, const CountReport& counts,
                                        const SourceLoops& source, const StatementLines& lines,
                                        llvm::ArrayRef<PtxAccess> compiled);

}  // namespace hone
