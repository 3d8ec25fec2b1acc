// Lists of levels that have no short name: lanes, warps, block and grid, each by its means.
#include <gtest/gtest.h>

#include "codegen/lower.h"
#include "fmt/format.h"
#include "ir/text/printer.h"
#include "tests/support/codegen/barriers.h"
#include "tests/support/codegen/races.h"
#include "tests/support/random/combined_runs.h"

namespace hone {
namespace combine_levels_test {

constexpr CombineLevel over_lanes = {CombineUnit::lanes, CombineMeans::shuffle},
                       by_atomics = {CombineUnit::grid, CombineMeans::atomic};
constexpr CombineMeans trees[] = {CombineMeans::sequential, CombineMeans::interleaved_modulo,
                                  CombineMeans::interleaved_strided};

/// Lists that have no short name.
std::vector<CombineLevels> lists_of_levels() {
  std::vector<CombineLevels> lists = {
      {over_lanes, by_atomics},
      {over_lanes, {CombineUnit::warps, CombineMeans::shuffle}, by_atomics},
      {{CombineUnit::block, CombineMeans::sequential}, by_atomics}};
  for (const CombineMeans tree : trees)
    for (const bool unrolled : {false, true}) {
      lists.push_back({over_lanes, {CombineUnit::warps, tree, unrolled}});
      lists.push_back({over_lanes, {CombineUnit::warps, tree, unrolled}, by_atomics});
    }
  return lists;
}

/// Lanes by shuffles, warps by a tree, blocks by atomic updates or by a ticket.
TEST(CombineLevels, LevelsOfThreadsInsideOfEveryWayOfBlocks) {
  const Total p;
  for (const CombineLevels& levels : lists_of_levels())
    for (const Combine::Method blocks : {Combine::none, Combine::atomic, Combine::last_block})
      for (const int64_t threads : {32, 96, 160, 256}) {
        SCOPED_TRACE(fmt::format("{} of {} threads in blocks by {}", to_string(levels), threads,
                                 to_string(Combine{blocks})));
        expect_right(p.program,
                     [&](Schedule& s) {
                       auto [chunk, rest] = s.split(p.k, threads * 2);
                       auto [turn, lane] = s.split(rest, threads);
                       s.reorder({chunk, lane, turn});
                       if (blocks != Combine::none)
                         s.bind(chunk, block.x, blocks);
                       else
                         s.reorder({lane, chunk, turn});
                       s.bind(lane, thread.x, levels);
                     },
                     {0, 1, 33, 1000});
      }
}

/// The kernel of one block of 256 threads.
KernelFunction kernel_of(const CombineLevels& levels) {
  const Total p;
  Schedule s(p.program);
  auto [turn, lane] = s.split(p.k, 256);
  s.reorder({lane, turn});
  s.bind(lane, thread.x, levels);
  return lower(s.function()).kernels.back();
}

TEST(CombineLevels, EachWaitBetweenLevelsIsMissed) {
  for (const CombineLevels& levels : lists_of_levels()) {
    const KernelFunction kernel = kernel_of(levels);
    const Sizes sizes = {{"N", 1000}};
    EXPECT_EQ(find_race(kernel, sizes), std::nullopt) << to_string(kernel);
    for (int n = 0; n < count_barriers(kernel); ++n)
      EXPECT_NE(find_race(without_barrier(kernel, n), sizes), std::nullopt)
          << n << " of " << to_string(levels) << "\n"
          << to_string(kernel);
  }
}

TEST(CombineLevels, LevelsAreWhatTheListSays) {
  const auto text_of = [](const CombineLevels& levels) { return to_string(kernel_of(levels)); };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  const std::string tree = text_of({over_lanes, {CombineUnit::warps, CombineMeans::sequential}});
  EXPECT_TRUE(has(tree, "alloc S.warps: f32[8] @shared")) << tree;
  EXPECT_TRUE(has(tree, "shuffle_down")) << tree;
  EXPECT_FALSE(has(tree, "atomic")) << tree;
  const std::string atomics = text_of({over_lanes, by_atomics});
  EXPECT_FALSE(has(atomics, "@shared")) << atomics;
  EXPECT_TRUE(has(atomics, "shuffle_down")) << atomics;
  EXPECT_TRUE(has(atomics, "atomic S[0] += S.part[]")) << atomics;
}

}  // namespace combine_levels_test
}  // namespace hone
