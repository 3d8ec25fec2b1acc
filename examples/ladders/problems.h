// The reasons that the problems of the ladders are hard on a GPU.
#pragma once

#include <vector>

#include "tools/cli/ladder.h"

namespace hone {

/// Fills in Ladder::problem. Throws RuntimeError for a ladder that is in the table alone.
void state_problems(std::vector<Ladder>& ladders);

}  // namespace hone
