// The ways in which the tuned products of tensor cores fit sizes: operands that are copied first,
// sums that blocks share, and results that leave by a tile.
#include <gmock/gmock.h>

#include "tests/support/examples/rungs.h"

namespace hone {
namespace narrow_products_test {

using testing::AnyOf;
using testing::ContainsRegex;
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

/// The rung with its schedule for these sizes, whatever it is run at. It does not spill.
Rung scheduled_for(const RungCase& one, const Sizes& large) {
  Rung rung = one.rung;
  rung.build = [&one, large](const Sizes& fixed, const Sizes&) {
    return one.rung.build(fixed, large);
  };
  const Schedule schedule = rung.build({}, {});
  EXPECT_FALSE(compiled_for_sm_90(lower(schedule).kernels.back()).kernels.front().spills());
  return rung;
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
  const RungCase hgemm = tuned("hgemm");
  const Rung rung = scheduled_for(hgemm, sizes(640, 640, 8192));
  const std::string steps = rung.build({}, {}).trace_text();
  EXPECT_THAT(steps, HasSubstr("s.rfactor("));
  EXPECT_THAT(steps, Not(HasSubstr("cluster.x")));
  PlainProgram(hgemm.ladder).expect_same(rung, {sizes(96, 48, 1064)}, Device::simulated());
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

/// The sizes are few tiles of their shape for each multiprocessor, and more of any other. Tiles may
/// be turned.
TEST(TunedNarrowProducts, TakeTilesThatLeaveFewRounds) {
  const RungCase hgemm = tuned("hgemm");
  EXPECT_THAT(steps_at(hgemm, sizes(768, 2112, 64)), ContainsRegex("_m(64n192|192n64)k64"));
  for (const auto& [rows, columns, of] : {std::tuple("192", "192", sizes(2304, 1920, 6720)),
                                          {"256", "128", sizes(3072, 1408, 2048)},
                                          {"192", "128", sizes(2304, 1408, 512)},
                                          {"128", "192", sizes(1536, 2112, 4096)},
                                          {"64", "64", sizes(768, 704, 512)},
                                          {"192", "192", sizes(4608, 3840, 4096)}}) {
    const Schedule schedule = hgemm.rung.build({}, of);
    EXPECT_THAT(schedule.trace_text(),
                AnyOf(HasSubstr(fmt::format("s.tile({{i_1, j}}, {{{}, {}}}", rows, columns)),
                      HasSubstr(fmt::format("s.tile({{j_1, i}}, {{{}, {}}}", columns, rows))));
    EXPECT_FALSE(compiled_for_sm_90(lower(schedule).kernels.back()).kernels.front().spills());
  }
}

/// Tiles whose rows are columns of C: of one and of two warpgroups, those that blocks of a cluster
/// share, and of copies of operands. The sizes at which they run leave parts of tiles in both
/// directions.
TEST(TunedNarrowProducts, TurnTilesWhoseRowsFitBetterSo) {
  struct Turned {
    const char *ladder, *instruction, *more;
    Sizes of, at;
  };
  for (const Turned& turned : {
           Turned{"hgemm", "m128n64k64_kn", "s.launch_early()", sizes(1024, 1024, 1024),
                  sizes(131, 264, 200)},
           {"hgemm", "m160n64k64_kn", "s.launch_early()", sizes(448, 4800, 1280),
            sizes(331, 264, 72)},
           {"hgemm", "m128n64k64_kn", "s.multicast(A_shared, 4)", sizes(640, 1376, 4392),
            sizes(131, 264, 200)},
           {"hgemm", "m144n64k64_kn", "s.cache_global(B, ", sizes(265, 3897, 4905),
            sizes(145, 67, 77)},
           {"hgemm-f16", "m160n64k64_kn", "s.launch_early()", sizes(320, 3840, 2688),
            sizes(1, 8, 8)},
           {"hgemm-nt", "m160n64k64_bf16", "s.launch_early()", sizes(320, 3840, 2688),
            sizes(331, 136, 72)},
       }) {
    SCOPED_TRACE(fmt::format("{} by {}", turned.ladder, turned.instruction));
    const RungCase product = tuned(turned.ladder);
    const Rung rung = scheduled_for(product, turned.of);
    const std::string steps = rung.build({}, {}).trace_text();
    EXPECT_THAT(steps, HasSubstr(turned.instruction));
    EXPECT_THAT(steps, HasSubstr(turned.more));
    PlainProgram(product.ladder).expect_same(rung, {turned.at}, Device::simulated());
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
      const Rung rung = scheduled_for(sums, of);
      EXPECT_THAT(rung.build({}, {}).trace_text(), HasSubstr(tile));
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
    const Rung rung = scheduled_for(blocks, of);
    const std::string steps = rung.build({}, {}).trace_text();
    EXPECT_EQ(steps.find("\"turn\"") != std::string::npos, has_turns);
    EXPECT_EQ(steps.find("s.multicast(") != std::string::npos, has_clusters);
    PlainProgram(blocks.ladder)
        .expect_same(rung, {sizes(131, 264, 272), sizes(1, 136, 16)}, Device::simulated());
  }
}

}  // namespace narrow_products_test
}  // namespace hone
