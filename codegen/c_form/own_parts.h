// Numbers of blocks that C text leaves out.
#pragma once

#include "ir/core/stmt.h"

namespace hone {

/// True if the let is the number of the thread's own block in its cluster, of so many blocks, and
/// its body uses it as the first index of tensors in parts alone: C spells a block's own part
/// without it.
bool numbers_own_parts(const Let& let, int64_t cluster);

}  // namespace hone
