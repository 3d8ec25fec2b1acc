// Counters that Nsight Compute has measured, beside those that are counted.
#pragma once

#include <map>

#include "llvm/Support/JSON.h"
#include "runtime/sim/count/count.h"
#include "tools/cli/arguments.h"

namespace hone {

/// A launch of a table of `ncu --csv`.
struct MeasuredLaunch {
  std::string kernel;                     ///< without its parameters, and those of a template
  std::string instance = {};              ///< of a template: "gemm<128, float>"
  std::string grid, block;                ///< "(32, 1, 1)"; empty where the table has none
  std::map<std::string, double> metrics;  ///< by Nsight Compute's names
};

inline constexpr Option ncu_option = {
    "--ncu", "FILE.csv", "measured counters beside the counted ones: a table of `ncu --csv`"};
/// The launches of that file; none where it is not given.
std::vector<MeasuredLaunch> given_launches(const Arguments& arguments);

/// The launches of a table in their order: with `--page raw` a line each, else a line for each
/// metric. Lines before the table are passed by. Throws RuntimeError, which begins with the path
/// and says how to make such a table, where the file cannot be read or has no launch, and where a
/// metric is in units of a thousand or more, which are rounded.
std::vector<MeasuredLaunch> read_measured_launches(const std::string& path);

/// The first launch of the kernel, of a template that of the instance. Throws RuntimeError where
/// there is none, or where it has another grid or other blocks than the counted one: then its sizes
/// are others.
const MeasuredLaunch& launch_of(const CountReport& counted,
                                llvm::ArrayRef<MeasuredLaunch> launches);

/// A counter of one name with Nsight Compute's metric, and both numbers.
struct MeasuredCounter {
  const Counter* counter;
  double counted, measured;
};

/// The counters whose metric was measured, in the order in which counters are shown. Throws
/// RuntimeError where there is none.
std::vector<MeasuredCounter> measured_counters(const CountReport& counted,
                                               const MeasuredLaunch& launch);

/// Columns of both, with the difference in percent of what was counted.
std::string measured_text(llvm::ArrayRef<MeasuredCounter> counters);
/// The measured numbers by name.
llvm::json::Object measured_json(llvm::ArrayRef<MeasuredCounter> counters);

}  // namespace hone
