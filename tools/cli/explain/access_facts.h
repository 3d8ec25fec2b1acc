// The facts about the accesses to memory, by their class.
#pragma once

#include "tools/cli/explain/speed_facts.h"

namespace hone {

/// The part of the table between multiprocessors and local memory.
llvm::ArrayRef<Fact> access_facts();

}  // namespace hone
