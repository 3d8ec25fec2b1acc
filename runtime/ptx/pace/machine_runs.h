// How often the instructions of machine code run, from the runs of those of PTX that they come
// from.
#pragma once

#include "runtime/ptx/pace/unrolling.h"

namespace hone::ptx {

/// The runs of each instruction, in order. `of_source`: of the step that it comes from, those that
/// are its own; 0 where that is not known.
///
/// All of a block run equally often: what is behind a jump, or where one leads to, up to the next.
/// One that ends with a jump whose runs are sure, and counted, runs as often as that. Of others it
/// is not known which of their instructions come from elsewhere, as compilers move them out of
/// loops, or run them under conditions: they run as often as what is before and behind them, and,
/// where nothing jumps to the block, no more often than the one before it.
std::vector<double> runs_of_machine(llvm::ArrayRef<MachineSource> code,
                                    llvm::ArrayRef<double> of_source,
                                    const std::vector<bool>& is_sure);

}  // namespace hone::ptx
