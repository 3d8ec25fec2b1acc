// The copies that ptxas makes of stretches of PTX where it unrolls a loop once more: a main loop of
// several, and smaller ones for the trips that are left.
#pragma once

#include <vector>

#include "llvm/ADT/ArrayRef.h"
#include "runtime/ptx/cubin/machine_code.h"
#include "runtime/ptx/pace/warp_clock.h"

namespace hone::ptx {

/// Steps that run as a whole.
struct SourceStretch {
  size_t first = 0, end = 0;
  bool is_in_loop = false;
};

/// An instruction of the machine, and the step that it comes from; -1 where that is not known.
struct MachineSource {
  MachineInstruction machine;
  int64_t step = -1;
};

/// Of copies in several blocks, those run that stand in the blocks with most of them.
struct Copies {
  std::vector<int> of_step;   ///< that a block has, 1 outside of loops
  std::vector<double> share;  ///< by instruction of the machine: its part of the runs of its step
  std::vector<bool> is_sure;  ///< by instruction: no other one has a part of them
};

Copies find_copies(llvm::ArrayRef<Step> steps, llvm::ArrayRef<SourceStretch> stretches,
                   llvm::ArrayRef<MachineSource> code);

/// Behind a jump, or where one leads to, a block begins: the first instructions of blocks, and the
/// end.
std::vector<size_t> blocks_of(llvm::ArrayRef<MachineSource> code);

}  // namespace hone::ptx
