// Sentences about the unit of the GPU that a rung waits for, by the estimated time.
#pragma once

#include <string>

#include "tools/cli/profile/profile.h"

namespace hone {

/// "The bottleneck was L2, busy for 95 % of the time; now it is DRAM, busy for 98 %." `before` may
/// be null. Empty where the time is not known.
std::string bottleneck_text(const Profile* before, const Profile& after);

/// The advice that follows: "Fewer bytes: each element once, narrower types." Empty where the time
/// is not known.
std::string next_text(const Profile& profile);

}  // namespace hone
