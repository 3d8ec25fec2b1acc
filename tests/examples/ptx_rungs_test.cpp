// Every rung of every ladder as NVRTC compiles its CUDA text: its PTX on the simulated device
// computes what kernel IR does, and check mode finds nothing.

#include <gtest/gtest.h>

#include <cmath>

#include "ir/interpret/interpreter.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/examples/ptx_run.h"
#include "tests/support/examples/rungs.h"
#include "tests/support/ir/run.h"
#include "tools/cli/judge/problem.h"

namespace hone {
namespace ptx_rungs_test {

/// Small ones, which tiles do not divide.
Sizes small_sizes(const Ladder& ladder) {
  const Sizes known = {{"M", 130}, {"N", 136}, {"K", 72},  {"batch", 2}, {"n", 2500}, {"W", 33},
                       {"H", 9},   {"C", 24},  {"O", 40}, {"threads", 256}};
  Sizes sizes;
  for (const auto& [name, value] : ladder.sizes) {
    const auto found = known.find(name);
    sizes[name] = found == known.end() ? value : found->second;
  }
  return sizes;
}

/// The largest difference of floats, relative to the largest of them.
double difference(const AnyArray& result, const AnyArray& expected) {
  const Values lhs = values_of(to_buffer(result.with_layout({}))),
               rhs = values_of(to_buffer(expected.with_layout({})));
  double most = 0, largest = 0;
  for (size_t n = 0; n < lhs.size(); ++n) {
    if (lhs[n] == rhs[n]) continue;
    most = std::isnan(lhs[n] - rhs[n]) ? 1e30 : std::max(most, std::abs(lhs[n] - rhs[n]));
  }
  for (const double value : rhs) largest = std::max(largest, std::abs(value));
  return largest == 0 ? most : most / largest;
}

void expect_same_as_ptx(const RungCase& rung_case) {
  const Ladder& ladder = rung_case.ladder;
  const Function plain = ladder.program({});
  const Sizes sizes = with_pitches(plain, small_sizes(ladder));
  const Schedule schedule = rung_case.rung.build({}, sizes);
  const Kernel kernel = compile(schedule, {.device = Device::simulated(), .sim_threads = 1});
  const auto expected = random_arrays(plain, sizes, Device::simulated()),
             result = random_arrays(plain, sizes, Device::simulated());
  kernel.run(expected, sizes);
  EXPECT_EQ(run_as_ptx(kernel, result, sizes), "") << to_text(sizes);
  EXPECT_LE(difference(result.back(), expected.back()), 0) << to_text(sizes);
}

class EveryRungAsPtx : public testing::TestWithParam<RungCase> {};

INSTANTIATE_TEST_SUITE_P(Ladders, EveryRungAsPtx, testing::ValuesIn(gpu_rungs()), test_name);

TEST_P(EveryRungAsPtx, ComputesWhatItsKernelIrDoes) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  expect_same_as_ptx(GetParam());
}

}  // namespace ptx_rungs_test
}  // namespace hone
