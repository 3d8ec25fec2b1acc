// The ways in which the tuned products of tensor cores fit sizes: operands that are copied first,
// sums that blocks share, and results that leave by a tile.
#include <gmock/gmock.h>

#include "tests/support/examples/rungs.h"

namespace hone {
namespace narrow_products_test {

using testing::HasSubstr;
using testing::Not;

RungCase tuned(const std::string& name) {
  for (const RungCase& one : all_rungs())
    if (one.name() == name + "/tuned") return one;
  throw std::out_of_range(name);
}

Sizes sizes(int64_t M, int64_t N, int64_t K) { return {{"M", M}, {"N", N}, {"K", K}}; }

/// The steps for these sizes, behind a check of what they compute.
std::string steps_at(const RungCase& one, const Sizes& sizes) {
  PlainProgram(one.ladder).expect_same(one.rung, {sizes}, Device::simulated());
  return one.rung.build({}, sizes).trace_text();
}

TEST(TunedNarrowProducts, LeaveOperandsAsTheyAreWhereRowsStartAtLines) {
  const std::string steps = steps_at(tuned("hgemm"), sizes(128, 128, 128));
  EXPECT_THAT(steps, Not(HasSubstr("cache_global")));
  EXPECT_THAT(steps, Not(HasSubstr("rfactor")));
}

TEST(TunedNarrowProducts, CopyOperandsOfOddRows) {
  for (const char* ladder :
       {"hgemm", "hgemm-nt", "hgemm-f16", "igemm-s8", "gemm-tf32", "gemm-fp8", "gemm-fp8-blocks"}) {
    SCOPED_TRACE(ladder);
    const std::string steps = steps_at(tuned(ladder), sizes(66, 129, 75));
    EXPECT_THAT(steps, HasSubstr("s.cache_global(A, "));
    EXPECT_THAT(steps, HasSubstr("s.cache_global(B, "));
    EXPECT_THAT(steps, HasSubstr("CopyEngine::boxes"));
  }
}

TEST(TunedNarrowProducts, ShareLongSumsOfFewTilesAmongBlocks) {
  const std::string steps = steps_at(tuned("hgemm"), sizes(96, 48, 6064));
  EXPECT_THAT(steps, HasSubstr("s.rfactor("));
  EXPECT_THAT(steps, Not(HasSubstr("cluster.x")));
}

TEST(TunedNarrowProducts, ShareSumsInClusters) {
  for (const Sizes& few : {sizes(40, 72, 2048), sizes(65, 33, 2055)})
    EXPECT_THAT(steps_at(tuned("hgemm"), few), HasSubstr("cluster.x"));
  for (const char* ladder : {"hgemm-nt", "gemm-bias-gelu"})
    EXPECT_THAT(steps_at(tuned(ladder), sizes(40, 72, 2048)), HasSubstr("cluster.x"));
}

TEST(TunedNarrowProducts, CopyOperandsWhoseRowsStartWithinLinesWhereThatPays) {
  const Schedule schedule = tuned("hgemm").rung.build({}, sizes(4224, 4088, 4088));
  EXPECT_THAT(schedule.trace_text(), HasSubstr("s.cache_global(B, "));
}

TEST(TunedNarrowProducts, StoreOddRowsFromATile) {
  const std::string steps = steps_at(tuned("hgemm"), sizes(130, 131, 64));
  EXPECT_THAT(steps, HasSubstr("s.cache_shared(C, "));
  EXPECT_THAT(steps, Not(HasSubstr("s.copy_bulk(C_shared)")));
}

/// The sizes are few tiles of their shape for each multiprocessor, and more of any other.
TEST(TunedNarrowProducts, TakeTilesThatLeaveFewRounds) {
  const RungCase hgemm = tuned("hgemm");
  const auto tile_of = [](const std::string& columns) { return "_m64n" + columns + "k64"; };
  EXPECT_THAT(steps_at(hgemm, sizes(768, 2112, 64)), HasSubstr(tile_of("192")));
  for (const auto& [rows, columns, of] : {std::tuple("192", "192", sizes(2304, 1920, 6720)),
                                          {"256", "128", sizes(3072, 1408, 2048)},
                                          {"192", "128", sizes(2304, 1408, 512)},
                                          {"128", "192", sizes(1536, 2112, 4096)},
                                          {"64", "64", sizes(768, 704, 512)},
                                          {"192", "192", sizes(4608, 3840, 4096)}}) {
    const Schedule schedule = hgemm.rung.build({}, of);
    EXPECT_THAT(schedule.trace_text(),
                HasSubstr(fmt::format("s.tile({{i_1, j}}, {{{}, {}}}", rows, columns)));
    EXPECT_FALSE(compiled_for_sm_90(lower(schedule).kernels.back()).kernels.front().spills());
  }
}

/// Sums that leave by way of shared memory: the schedules for larger sizes, of one, two and three
/// warpgroups and of tiles of one panel and of two, at small ones.
TEST(TunedSums, AreRightInTilesForLargerSizes) {
  for (const auto& [tile, of] : {std::pair("{128, 256}", sizes(4096, 4096, 4096)),
                                 {"{128, 192}", sizes(1536, 2112, 4096)},
                                 {"{64, 96}", sizes(640, 896, 2432)},
                                 {"{192, 128}", sizes(2304, 1408, 512)}})
    for (const char* ladder : {"gemm-tf32", "igemm-s8"}) {
      SCOPED_TRACE(fmt::format("{} in tiles of {}", ladder, tile));
      const RungCase sums = tuned(ladder);
      Rung rung = sums.rung;
      rung.build = [&, large = of](const Sizes& fixed, const Sizes&) {
        return sums.rung.build(fixed, large);
      };
      const Schedule schedule = rung.build({}, {});
      EXPECT_THAT(schedule.trace_text(), HasSubstr(tile));
      EXPECT_FALSE(compiled_for_sm_90(lower(schedule).kernels.back()).kernels.front().spills());
      PlainProgram(sums.ladder)
          .expect_same(rung, {sizes(131, 264, 272), sizes(1, 136, 16)}, Device::simulated());
    }
}

/// The schedules for larger sizes, at small ones that no tile divides.
TEST(TunedBlockScaledProducts, AreRightByBlocksThatStayAndByOthers) {
  const RungCase blocks = tuned("gemm-fp8-blocks");
  for (const auto& [has_turns, has_clusters, of] : {std::tuple(true, false, sizes(512, 512, 7168)),
                                                    {false, false, sizes(4096, 4096, 4096)},
                                                    {true, true, sizes(257, 4096, 1040)}}) {
    SCOPED_TRACE(of.at("M"));
    Rung rung = blocks.rung;
    rung.build = [&, large = of](const Sizes& fixed, const Sizes&) {
      return blocks.rung.build(fixed, large);
    };
    const Schedule schedule = rung.build({}, {});
    EXPECT_FALSE(compiled_for_sm_90(lower(schedule).kernels.back()).kernels.front().spills());
    const std::string steps = schedule.trace_text();
    EXPECT_EQ(steps.find("\"turn\"") != std::string::npos, has_turns);
    EXPECT_EQ(steps.find("s.multicast(") != std::string::npos, has_clusters);
    PlainProgram(blocks.ladder)
        .expect_same(rung, {sizes(131, 264, 272), sizes(1, 136, 16)}, Device::simulated());
  }
}

}  // namespace narrow_products_test
}  // namespace hone
