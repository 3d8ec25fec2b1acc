// Copies that the copy engine makes. A box is read at once, when lanes ask for it, and written with
// the end of the phase that counts its bytes.
#pragma once

#include "runtime/sim/program.h"

namespace hone {

/// Asks for a copy in each active lane; the detail is one of SimProgram::bulk_copies.
void start_bulk(Worker& worker, const Instruction& instruction);

}  // namespace hone
