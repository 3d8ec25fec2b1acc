// Refusals of lists of levels that threads cannot combine by.
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "tests/support/ir/combines.h"

namespace hone {
namespace bind_levels_refusal_test {

constexpr CombineLevel over_lanes = {CombineUnit::lanes, CombineMeans::shuffle},
                       by_atomics = {CombineUnit::grid, CombineMeans::atomic};

TEST(BindLevelsRefusals, OfLevelsThatNothingCombinesBy) {
  const auto expect_levels_refused = [](const CombineLevels& levels, const char* problem) {
    expect_refusal(
        sum_over_k(), binds("k", thread_x, levels),
        fmt::format("error: bind: combine({}): {}\n  reduce k in 0..24 {{                "
                    "<-- here\n    S[] += A[k]\nnote: lanes: shuffle; then warps, by "
                    "shuffle or a tree; then grid: atomic",
                    to_string(levels), problem));
  };
  expect_levels_refused({{CombineUnit::cluster, CombineMeans::atomic}},
                        "results of cluster do not meet by atomic");
  expect_levels_refused({{CombineUnit::warps, CombineMeans::shuffle}, by_atomics},
                        "warps have what their lanes leave, and no level of lanes comes first");
  expect_levels_refused(
      {{CombineUnit::block, CombineMeans::sequential}, {CombineUnit::warps, CombineMeans::shuffle}},
      "warps: shuffle does not follow block: sequential");
  expect_levels_refused({{CombineUnit::block, CombineMeans::shuffle}},
                        "results of block do not meet by shuffle");
  expect_levels_refused({{CombineUnit::lanes, CombineMeans::shuffle, true}, by_atomics},
                        "shuffle has no tree to be unrolled");
}

TEST(BindLevelsRefusals, OfLevelsWithinABlockForBlocks) {
  expect_refusal(
      sum_over_k(), binds("k", block_x, {over_lanes, by_atomics}),
      R"(error: bind: combine(lanes: shuffle, grid: atomic) is for threads of a block, and k would be bound to block.x
  reduce k in 0..24 {                <-- here
    S[] += A[k]
note: blocks combine by Combine::atomic or last_block)");
}

TEST(BindLevelsRefusals, OfAtomicUpdatesOfARegisterBehindOtherLevels) {
  expect_refusal(
      R"(func f(A: f32[24], S: f32[]) {
                      for i in 0..1 {
                        alloc r: f32[] @registers
                        r[] = 0.0
                        reduce k in 0..24 { r[] += A[k] }
                        S[] = r[] } })",
      binds("k", thread_x, {over_lanes, by_atomics}),
      R"(error: bind: r lives in registers, and combine(lanes: shuffle, grid: atomic) is for elements that have an address
  for i in 0..1 {
    reduce k in 0..24 {
      r[] += A[k]                    <-- here
note: combine before caching, or by a tree, shuffle or two_level)");
}

}  // namespace bind_levels_refusal_test
}  // namespace hone
