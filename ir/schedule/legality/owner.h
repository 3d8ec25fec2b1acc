// The owner of a tile: one thread for registers, one block for shared memory.
#pragma once

#include "ir/analysis/accesses.h"
#include "ir/schedule/legality/preconditions.h"

namespace hone {

/// Refuses loops inside the one at `site` that several blocks or cores run: registers belong to the
/// threads of one block.
void check_one_thread(const Preconditions& check, const Site& site, const TensorPtr& tensor);

/// Refuses a rewrite to `result` in which a register tensor is allocated outside of loops of
/// threads that touch elements of each other.
void check_register_owners(const Preconditions& check, const Function& result,
                           const StmtNode* culprit);

/// Refuses loops inside the one at `site` that several blocks run, and loops around and inside it
/// that cores of the host run: a block has its shared memory to itself, and a core has none.
void check_one_block(const Preconditions& check, const Site& site, const TensorPtr& tensor);

/// True where the access happens whenever the code runs that it was collected from.
bool is_certain(const MemoryAccess& access);

/// True if the first access to `tensor` happens whenever the code runs.
bool is_used(const Accesses& accesses, const TensorPtr& tensor);

}  // namespace hone
