// Warnings of schedules that are legal and surely not meant.
#pragma once

#include "tools/cli/profile/profile.h"

namespace hone {

/// A sentence each, with a way out, about the counters:
/// - nothing is bound, or a nest of several: one thread computes it;
/// - one thread of each block fills a tile in shared memory;
/// - most lanes of warps are idle;
/// - the lanes of a load in an innermost loop read from as many lines as there are lanes, or
/// nearly.
std::vector<std::string> warnings_of(const Profile& profile);

}  // namespace hone
