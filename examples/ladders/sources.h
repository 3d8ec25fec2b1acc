// The tutorials whose steps the rungs rebuild.
#pragma once

#include <vector>

#include "tools/cli/ladder.h"

namespace hone {

/// Fills in Rung::rebuilds. Throws RuntimeError for a rung that is in the table and in no ladder.
void name_sources(std::vector<Ladder>& ladders);

}  // namespace hone
