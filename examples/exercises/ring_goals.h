// Goals about rings of tiles: facts about the steps of a block that fills and reads them.
#pragma once

#include "examples/exercises/goals.h"

namespace hone {

/// Of the largest ring.
Goal ring_of(int64_t slots, const char* hint);
/// The steps from the start of a copy to the wait for it.
Goal copies_have(int64_t steps, const char* hint);
/// The steps in which tensor cores read a slot, while their threads go on.
Goal products_go_on(int64_t steps, const char* hint);
/// Warps that fill rings, and read none.
Goal producers_are(int64_t warps, const char* hint);

}  // namespace hone
