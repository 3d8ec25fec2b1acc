// Every rung of every ladder as NVRTC compiles its CUDA text: its PTX on the simulated device
// computes what kernel IR does, and check mode finds nothing.

#include <gtest/gtest.h>

#include <cmath>

#include "examples/ladders/matmul_tiles.h"
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
  const Sizes known = {{"M", 130},  {"N", 136},   {"K", 72},     {"batch", 2},
                       {"n", 2500}, {"tiles", 2}, {"groups", 3}, {"W", 33},
                       {"H", 9},    {"C", 24},    {"O", 40},     {"threads", 256}};
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

/// Sums and products of the numbers here are exact, in any order. Functions and quotients are the
/// nearest floats in kernel IR, and approximations of the GPU's in PTX.
double allowed_difference(const Ladder& ladder) {
  const bool approximates = ladder.name == "softmax" || ladder.name == "layernorm";
  return approximates ? 1e-6 : 0;
}

/// The rung's schedule for `expected_sizes` at small sizes.
void expect_same_as_ptx(const RungCase& rung_case, const Sizes& small,
                        const Sizes& expected_sizes) {
  const Ladder& ladder = rung_case.ladder;
  const Schedule plain_schedule = ladder.program({});
  const Function& plain = plain_schedule;
  const Sizes sizes = with_pitches(plain, small);
  const Schedule schedule = rung_case.rung.build({}, with_pitches(plain, expected_sizes));
  const Kernel kernel = compile(schedule, {.device = Device::simulated(), .sim_threads = 1});
  constexpr double step = 0.25;
  const auto expected = random_arrays(plain, sizes, Device::simulated(), step),
             result = random_arrays(plain, sizes, Device::simulated(), step);
  kernel.run(expected, sizes);
  EXPECT_EQ(run_as_ptx(kernel, result, sizes), "") << to_text(sizes);
  EXPECT_LE(difference(result.back(), expected.back()), allowed_difference(ladder))
      << to_text(sizes);
}

class EveryRungAsPtx : public testing::TestWithParam<RungCase> {};

INSTANTIATE_TEST_SUITE_P(Ladders, EveryRungAsPtx, testing::ValuesIn(gpu_rungs()), test_name);

TEST_P(EveryRungAsPtx, ComputesWhatItsKernelIrDoes) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const Sizes sizes = small_sizes(GetParam().ladder);
  expect_same_as_ptx(GetParam(), sizes, sizes);
}

/// Warps whose first row is an odd multiple of 4: what the swizzle makes of it, and of the rows of
/// a lane, comes to addresses in two parts.
TEST(BlockTilesAsPtx, ComputeWhatTheirKernelIrDoes) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const Ladder ladder = matmul_ladder();
  int tried = 0;
  for (const BlockTiles& tiles : block_tiles()) {
    if (tiles.shape.warp_rows % 8 != 4) continue;
    const Sizes sizes = {{"M", tiles.shape.block_rows + 1}, {"N", 68}, {"K", 36}};
    expect_same_as_ptx({ladder, matmul_rung_of({&tiles})}, sizes, sizes);
    ++tried;
  }
  EXPECT_EQ(tried, 7);
}

/// Of one warpgroup, of two that read panels on their left, and of two whose blocks share a tile.
TEST(TurnedTilesAsPtx, ComputeWhatTheirKernelIrDoes) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const std::vector<RungCase> rungs = gpu_rungs();
  const auto hgemm =
      llvm::find_if(rungs, [](const RungCase& one) { return one.name() == "hgemm/tuned"; });
  for (const auto& [word, of] :
       {std::pair<const char*, Sizes>{"wgmma_m128n64k64_kn",
                                      {{"M", 1024}, {"N", 1024}, {"K", 1024}}},
        {"wgmma_m160n64k64_kn", {{"M", 448}, {"N", 4800}, {"K", 1280}}},
        {"wgmma_m224n64k64_kn", {{"M", 424}, {"N", 6936}, {"K", 2256}}}}) {
    EXPECT_NE(hgemm->rung.build({}, of).trace_text().find(word), std::string::npos) << word;
    expect_same_as_ptx(*hgemm, {{"M", 331}, {"N", 264}, {"K", 136}}, of);
  }
}

/// Something that is left out of the text of hgemm/tuned, where it stands last, and the kind of a
/// finding about it.
struct LeftOut {
  const char *text, *in_its_place, *kind;
};

std::string first_finding_without(const LeftOut& left_out) {
  const std::vector<RungCase> rungs = gpu_rungs();
  const auto rung =
      llvm::find_if(rungs, [](const RungCase& one) { return one.name() == "hgemm/tuned"; });
  const Sizes sizes = {{"M", 64}, {"N", 128}, {"K", 1088}};
  // Of as many tiles, each block has a whole sum.
  const Schedule schedule = rung->rung.build({}, {{"M", 512}, {"N", 1024}, {"K", 1088}});
  const Kernel kernel = compile(schedule, {.device = Device::simulated()});
  const auto arrays = random_arrays(schedule, sizes, Device::simulated());
  return run_as_ptx(kernel, arrays, sizes, [&](std::string text) {
    const size_t place = text.rfind(left_out.text);
    EXPECT_NE(place, std::string::npos) << left_out.text;
    return text.replace(place, std::string(left_out.text).size(), left_out.in_its_place);
  });
}

TEST(MistakesInPtx, AreFoundInAPipelineOfTensorCores) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  for (const LeftOut& left_out : std::initializer_list<LeftOut>{
           {"wait_mbarrier(&step_full[step_slot], step_parity);", "", "unfinished copy: "},
           {"wait_mbarrier(&step_empty[step_ahead_slot], 1 - step_ahead_parity);", "",
            "invalid operation: "},
           {"wait_wgmma<1>();", "wait_wgmma<2>();", "unfinished product: "},
           {"wait_wgmma<0>();", "", "unfinished product: "},
           {"      fence_engine();", "", "missing fence: "},
           {"  wait_stores<0>();", "", "unfinished store: "}}) {
    const std::string findings = first_finding_without(left_out);
    EXPECT_EQ(findings.substr(0, findings.find(": ") + 2), left_out.kind) << left_out.text << "\n"
                                                                          << findings;
  }
}

}  // namespace ptx_rungs_test
}  // namespace hone
