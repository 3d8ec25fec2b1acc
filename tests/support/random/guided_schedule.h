// Schedules as people write them for GPUs, with something left out, changed or added here and
// there.
#pragma once

#include <vector>

#include "ir/schedule/step.h"
#include "tests/support/random/random.h"

namespace hone {

/// Steps for a program that has none yet: tiles of blocks and of threads, the axes bound, tiles in
/// shared memory and in registers, their copies and layouts, vectors. Steps name their axes and
/// tensors as they are called where all steps before have been accepted; where one has not, there
/// may be nothing of that name.
std::vector<Step> guided_schedule(Random& random, const Function& function);

/// True if everything that the step names exists.
bool has_names(const Step& step, const Function& function);

}  // namespace hone
