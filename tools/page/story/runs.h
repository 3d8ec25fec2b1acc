// The order in which a page shows the runs that were measured.
#pragma once

#include <vector>

#include "tools/cli/measured.h"

namespace hone {

/// The run at `sizes` first where there is one; without sizes the largest computation of those runs
/// that have measured half as many rungs as any. The others keep their order.
std::vector<MeasuredRun> ordered_runs(const Ladder& ladder, std::vector<MeasuredRun> runs,
                                      const Sizes* sizes);

}  // namespace hone
