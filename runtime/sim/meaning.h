// Instructions that a warp, or a warpgroup, issues together, by their meaning: lanes hand over
// their values, the interpreter runs the function, and lanes take their results.
#pragma once

#include "runtime/sim/worker.h"

namespace hone {

/// Before the operands of an instruction of a warpgroup are read: its warps come there one after
/// the other, and wait for those that have not. Other warpgroups go on meanwhile. The detail is the
/// statement.
void gather_warpgroups(Worker& worker, const Instruction& instruction);
/// The detail is the meaning, in SimProgram::meanings.
void run_meaning(Worker& worker, const Instruction& instruction);

}  // namespace hone
