// How much shared memory a tile takes.
#pragma once

#include "ir/schedule/site.h"

namespace hone {

/// Refuses a layout that does not fit `tile`, and a tile for which no architecture has the room.
/// `what` takes it: "A.shared".
void check_shared_tile(const Preconditions& check, const StmtNode* culprit, const TensorNode& tile,
                       const std::string& what, const std::string& note);

}  // namespace hone
