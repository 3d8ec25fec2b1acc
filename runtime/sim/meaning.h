// Instructions that a warp issues together, by their meaning: lanes hand over their values, the
// interpreter runs the function, and lanes take their results.
#pragma once

#include "runtime/sim/worker.h"

namespace hone {

/// The detail is the meaning, in SimProgram::meanings.
void run_meaning(Worker& worker, const Instruction& instruction);

}  // namespace hone
