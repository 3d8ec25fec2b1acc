// Copies that the copy engine makes. A box is read at once, when lanes ask for it. It is brought as
// late as it may be, when nobody in the block can go on without it, and written with the end of the
// phase that counts its bytes.
#pragma once

#include "runtime/sim/program.h"

namespace hone {

/// Asks for a copy in each active lane; the detail is one of SimProgram::bulk_moves.
void start_bulk(Worker& worker, const Instruction& instruction);

/// Brings the copy of that number among those that have been asked for: its bytes come to its
/// mbarrier.
void bring_copy(Worker& worker, size_t number);

}  // namespace hone
