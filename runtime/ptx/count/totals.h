// The sums of a launch in count mode, by the names of the counters of rungs.
#pragma once

#include "llvm/Support/JSON.h"
#include "runtime/ptx/device.h"

namespace hone::ptx {

/// The accesses are not in it. `run_blocks` are those that were counted.
CountReport totals_of(const LaunchCounts& counts, const LaunchShape& shape,
                      const std::string& kernel, int64_t run_blocks);

/// A line for each counter that is not 0, with its name in Nsight Compute. Of a report of this
/// file, 0 may say that nobody counted it.
std::string counters_text(const CountReport& report);
/// The same as `name`, `value` and `metric`.
llvm::json::Array counters_json(const CountReport& report);

}  // namespace hone::ptx
