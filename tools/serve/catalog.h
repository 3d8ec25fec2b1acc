// Starting points of the playground, as JSON.
#pragma once

#include "tools/cli/ladder.h"

namespace hone {

/// {"ladders": [...], "primitives": ["split", ...], "exercises": [...]}: rungs with the text of
/// their programs and of their schedules; exercises whose answers are steps, with their task and
/// the start.
std::string catalog_of(llvm::ArrayRef<Ladder> ladders);

}  // namespace hone
