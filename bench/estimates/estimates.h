// Estimated times of rungs beside measured ones: those that ladders keep as their figures.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/ladder.h"
#include "tools/cli/measured.h"
#include "tools/cli/profile/profile.h"

namespace hone {

struct RungEstimate {
  std::string rung;
  double measured = 0, estimated = 0;  ///< milliseconds
  LaunchResource bound = LaunchResource::latency;
};

/// The rungs of a ladder at one set of sizes, on one GPU.
struct RunEstimates {
  std::string ladder, gpu;
  Sizes sizes;
  std::vector<RungEstimate> rungs;
  std::vector<std::string> left_out;  ///< rungs that took too long, or have no estimate

  /// Of estimates, to three digits, and measured times: 1 where they have one order, 0 where the
  /// one says nothing of the other. NaN of fewer than two rungs.
  double rank_correlation() const;
  /// Estimates over measured times: the geometric mean, and those that are furthest from 1.
  double mean_ratio() const, least_ratio() const, largest_ratio() const;
};

/// Counts the rungs of a run, four blocks of each kernel. Rungs that took longer than `longest`
/// milliseconds are left out, as are those of the host.
RunEstimates estimate_run(const Ladder& ladder, const MeasuredRun& run, const Gpu& gpu,
                          double longest);

/// A line of a table: "| matmul, K=1024 M=1024 N=1024 | 32 | 0.96 | 0.93 | 0.68 to 1.49 |"
std::string summary_line(const RunEstimates& run);
/// A table of the rungs, the fastest first.
std::string rung_table(const RunEstimates& run);

}  // namespace hone
