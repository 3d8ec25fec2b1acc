// The basic blocks of a function, in the order in which the machine has them: what is in a loop
// comes before what is behind it, and both sides of a branch before the place where they join. So
// lanes that are behind run first, and meet the others as early as they can.
#pragma once

#include <vector>

#include "runtime/ptx/text/module.h"

namespace hone::ptx {

struct BasicBlock {
  size_t first = 0, end = 0;  ///< instructions of the function
  llvm::SmallVector<size_t, 2> successors;
  bool falls_through = false;  ///< to the next block of the text, which is a successor then
};

/// In the order of the text. The targets of a jump by a table are successors.
std::vector<BasicBlock> basic_blocks(const Function& function);

/// The numbers of the blocks that can be reached, the entry first.
std::vector<size_t> order_of(const std::vector<BasicBlock>& blocks);

}  // namespace hone::ptx
