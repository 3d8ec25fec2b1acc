#include "bench/estimates/estimates.h"

#include "examples/ladders/ladders.h"
#include "gmock/gmock.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tools/cli/estimate/rank_correlation.h"

namespace hone {
namespace estimates_test {

TEST(RankCorrelation, IsThatOfOrders) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {10, 20, 30, 40}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {4, 3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {1, 2, 4, 3}), 0.8);
  EXPECT_NEAR(rank_correlation({1, 1, 3, 4}, {1, 2, 3, 4}), 0.949, 0.001);
}

const Ladder& ladder_of(const std::string& name) {
  static const std::vector<Ladder> all = all_ladders();
  for (const Ladder& one : all)
    if (one.name == name) return one;
  ADD_FAILURE() << name;
  return all.front();
}

/// The run of a ladder at these sizes, on an H200.
MeasuredRun run_of(const Ladder& ladder, const Sizes& sizes) {
  for (MeasuredRun& run : read_figures(ladder.figures, ladder))
    if (run.sizes == sizes && run.device_name() == "NVIDIA H200") return run;
  ADD_FAILURE() << ladder.name << " was not measured with " << to_text(sizes);
  return {};
}

/// Those that a laptop counts in seconds; estimate_bench has all.
TEST(Estimates, OrderRungsAsAGpuDoes) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  constexpr double longest = 10;  // milliseconds on the GPU
  const Gpu& gpu = find_gpu("H200 SXM");
  const std::pair<const char*, Sizes> runs[] = {{"matmul", {{"M", 1024}, {"N", 1024}, {"K", 1024}}},
                                                {"transpose", {{"M", 4096}, {"N", 4096}}}};
  for (const auto& [name, sizes] : runs) {
    const Ladder& ladder = ladder_of(name);
    const RunEstimates run = estimate_run(ladder, run_of(ladder, sizes), gpu, longest);
    EXPECT_GE(run.rungs.size(), 8u);
    EXPECT_GE(run.rank_correlation(), 0.95) << rung_table(run);
    EXPECT_GT(run.least_ratio(), 0.5) << rung_table(run);
    EXPECT_LT(run.largest_ratio(), 1.6) << rung_table(run);
  }
}

}  // namespace estimates_test
}  // namespace hone
