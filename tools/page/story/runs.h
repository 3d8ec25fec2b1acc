// The order in which a page shows the runs that were measured.
#pragma once

#include <vector>

#include "tools/cli/measured.h"

namespace hone {

/// Operations, or bytes where the ladder counts none.
double work_of(const Ladder& ladder, const Sizes& sizes);

/// The run at `sizes` first where there is one. Without sizes, of those runs that have measured
/// half as many rungs as any: the one that the ladder wants first, else that of the largest
/// computation. The others keep their order.
std::vector<MeasuredRun> ordered_runs(const Ladder& ladder, std::vector<MeasuredRun> runs,
                                      const Sizes* sizes);

}  // namespace hone
