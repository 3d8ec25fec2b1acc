#include "bench/gpu/settings.h"

#include "bench/gpu/match.h"
#include "bench/gpu/shapes.h"
#include "gmock/gmock.h"
#include "runtime/nvrtc/nvrtc.h"

namespace hone {
namespace settings_test {

Settings settings_of(std::vector<std::string> words) {
  words.push_back("--compile-only");
  return read_settings(Arguments(words, gpu_bench_options));
}

std::string refusal_of(const std::vector<std::string>& words) {
  try {
    settings_of(words);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Shapes, AreMultiplesOf64AndOf8AndOddInTurn) {
  const std::vector<std::vector<int64_t>> shapes = random_shapes(1, 300);
  ASSERT_EQ(shapes.size(), 300);
  EXPECT_EQ(shapes, random_shapes(1, 300));
  EXPECT_NE(shapes, random_shapes(2, 300));
  for (size_t n = 0; n < shapes.size(); ++n)
    for (const int64_t extent : shapes[n]) {
      EXPECT_TRUE(extent >= 256 && extent <= 8192) << extent;
      EXPECT_EQ(extent % (n % 3 == 0 ? 64 : n % 3 == 1 ? 8 : 2), n % 3 == 2) << extent;
    }
}

TEST(GpuBenchSettings, RandomShapesAreForProductsOfMatrices) {
  const Settings settings = settings_of({"--shapes=1:5"});
  for (const Contest& contest : all_contests()) {
    const bool takes_them = contest.sizes(1) == Sizes{{"M", 1}, {"N", 1}, {"K", 1}};
    EXPECT_EQ(settings.is_comparable(contest), takes_them) << contest.name;
    if (takes_them) {
      EXPECT_EQ(settings.problems_of(contest).size(), 5);
    }
  }
}

TEST(GpuBenchSettings, ProductsOfTensorCoresAreTimedInBursts) {
  for (const Contest& contest : all_contests()) {
    const bool is_of_tensor_cores =
        (size_of(contest.input_type) <= 2 || contest.input_type == tf32) &&
        (contest.library_work != LibraryWork::none || contest.name == "gemm-fp8-blocks" ||
         contest.name == "conv2d-nhwc" || contest.name == "hgemm-grouped");
    EXPECT_EQ(settings_of({}).duel_of(contest).burst_milliseconds, is_of_tensor_cores ? 2 : 0);
    EXPECT_EQ(settings_of({"--burst=0"}).duel_of(contest).burst_milliseconds, 0);
    EXPECT_EQ(settings_of({"--burst=1.5"}).duel_of(contest).burst_milliseconds, 1.5);
  }
}

TEST(GpuBenchSettings, RefusesWhatCannotBeAskedFor) {
  EXPECT_EQ(refusal_of({"--shapes=1:0"}), "--shapes: '1:0' is not SEED:COUNT, as 1:100 is");
  EXPECT_EQ(refusal_of({"--shapes=7"}), "--shapes: '7' is not SEED:COUNT, as 1:100 is");
  EXPECT_EQ(refusal_of({"--burst=-1"}), "--burst: '-1' is not a non-negative number");
  EXPECT_EQ(refusal_of({"--seconds=0"}), "--seconds: '0' is not a positive number");
  EXPECT_EQ(refusal_of({"--edges", "--sizes=64"}),
            "--sizes, --shapes and --edges name different problems; give one of them");
  EXPECT_EQ(refusal_of({"--cublas=a", "--cublaslt=b"}),
            "--cublas and --cublaslt are different libraries; give one of them");
  EXPECT_EQ(refusal_of({"--cublas=a", "--against=naive"}),
            "--against and --cublas are different sides; give one of them");
  EXPECT_EQ(refusal_of({"--cublaslt=a"}), "--cublaslt needs a GPU");
}

TEST(GpuBench, ComparesARungWithAnotherOfItsLadder) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const auto comparisons =
      compare_all(settings_of({"--rung=hgemm-batched/tuned", "--against=wgmma", "--sizes=64"}));
  ASSERT_EQ(comparisons.size(), 1);
  EXPECT_EQ(comparisons.front().hand_side, "wgmma");
  EXPECT_FALSE(comparisons.front().hand.stages.empty());
  const auto without = compare_all(settings_of({"--rung=hgemm/global", "--against=first"}));
  EXPECT_EQ(without.front().failure, "its ladder has no rung of that name");
}

TEST(GpuBench, CompilesRungsThatOnlyLibrariesCompeteWith) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const auto comparisons = compare_all(settings_of({"--rung=hgemm-nt/wgmma", "--sizes=72,33"}));
  ASSERT_EQ(comparisons.size(), 2);
  for (const Comparison& comparison : comparisons) {
    EXPECT_EQ(comparison.failure, "");
    EXPECT_EQ(comparison.hone.spilled_bytes(), 0);
    EXPECT_TRUE(comparison.hand.stages.empty());
  }
}

}  // namespace settings_test
}  // namespace hone
