// Waits of the threads that an edge leads between, and of no more: a warp, a warpgroup or the
// block.
#include <gmock/gmock.h>

#include "codegen/lower.h"
#include "ir/opcodes/opcodes.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/traverse/visit.h"
#include "tests/support/codegen/barriers.h"
#include "tests/support/codegen/mistakes.h"
#include "tests/support/codegen/passes.h"
#include "tests/support/codegen/races.h"

namespace hone {
namespace waits_of_warps_test {

using testing::ElementsAre;

/// A block over tiles in shared memory, which `statements` fill and use.
std::string in_block(const std::string& statements) {
  return "func f[n](A: f32[1024], C: f32[1024]) {\nfor b in 0..1 @block.x {\nalloc T: f32[1024] "
         "@shared\n" +
         statements + "} }";
}

KernelFunction kernel_of(const std::string& statements) {
  return lower(parse_function(in_block(statements))).kernels.front();
}

/// The barriers of a kernel in the order of the text.
std::vector<std::string> barriers_in(const KernelFunction& kernel) {
  std::vector<std::string> barriers;
  walk(kernel.body, [&](const Stmt& stmt) {
    if (is_barrier(stmt)) barriers.push_back(head_of(stmt));
  });
  return barriers;
}

std::vector<std::string> waits_for(const std::string& statements) {
  const KernelFunction kernel = kernel_of(statements);
  EXPECT_EQ(find_race(kernel, {{"n", 3}}), std::nullopt) << to_string(kernel);
  return barriers_in(kernel);
}

Stmt narrower(const Stmt& stmt) {
  if (is<op::barrier>(stmt)) return make_barrier({BarrierScope::Kind::warpgroup});
  if (is<op::barrier_of_warpgroup>(stmt)) return make_barrier({BarrierScope::Kind::warp});
  return Stmt();
}

/// Expects these barriers, none missing, none redundant, and none of more threads than need it.
void expect_waits(const std::string& statements, const std::vector<std::string>& barriers) {
  const KernelFunction kernel = kernel_of(statements);
  EXPECT_EQ(barriers_in(kernel), barriers) << to_string(kernel);
  EXPECT_EQ(find_race(kernel, {{"n", 3}}), std::nullopt) << to_string(kernel);
  int narrowed = 0;
  for (int n = 0; n < count_barriers(kernel); ++n) {
    EXPECT_NE(find_race(without_barrier(kernel, n), {{"n", 3}}), std::nullopt)
        << "barrier " << n << " is redundant:\n"
        << to_string(kernel);
    if (barriers[n] == "barrier @warp") continue;
    EXPECT_NE(find_race(with_mistake(kernel, narrowed++, narrower), {{"n", 3}}), std::nullopt)
        << "barrier " << n << " could be of fewer threads:\n"
        << to_string(kernel);
  }
}

/// 256 threads write the tile, and read it by turns of so many.
std::string reversed(int64_t turn, int64_t threads = 256) {
  return fmt::format(
      "for g in 0..{2} @thread.x({1}, {2}) {{\n"
      "  for t in 0..{1} @thread.x(1, {1}) {{ T[g*{1} + t] = A[g*{1} + t] }}\n"
      "  for u in 0..{1} @thread.x(1, {1}) {{ C[g*{1} + u] = T[g*{1} + {1} - 1 - u] }}\n}}\n",
      threads, turn, threads / turn);
}

TEST(WaitsOfWarps, APartOfAWarpTakesABarrierOfWarps) {
  expect_waits(
      "for w in 0..4 @warp { for l in 0..32 @lane { T[w*32 + l] = A[w*32 + l] } "
      "for m in 0..32 @lane { C[w*32 + m] = T[w*32 + 31 - m] } }",
      {"barrier @warp"});
}

TEST(WaitsOfWarps, APartOfLanesTakesABarrierOfWarps) {
  for (const int64_t lanes : {2, 8, 16, 32}) expect_waits(reversed(lanes), {"barrier @warp"});
}

TEST(WaitsOfWarps, APartOfAWarpgroupTakesABarrierOfWarpgroups) {
  for (const int64_t threads : {64, 128}) expect_waits(reversed(threads), {"barrier @warpgroup"});
}

TEST(WaitsOfWarps, APartOfTheBlockTakesThatOfTheBlock) { expect_waits(reversed(256), {"barrier"}); }

/// Digits of a thread whose count is none of those by which warps are numbered.
TEST(WaitsOfWarps, APartThatLiesInTwoWarpsTakesThatOfWarpgroupsOrTheBlock) {
  EXPECT_THAT(waits_for(reversed(48, 384)), ElementsAre("barrier"));
  EXPECT_THAT(waits_for(reversed(24, 384)), ElementsAre("barrier"));
  EXPECT_THAT(waits_for(reversed(192, 384)), ElementsAre("barrier"));
}

/// The lanes of a warp and the warps of a warpgroup, but not its other half.
TEST(WaitsOfWarps, SeveralDigitsTakeTheWidest) {
  expect_waits(
      "for w in 0..8 @warp { for l in 0..32 @lane { T[w*32 + l] = A[w*32 + l] } } "
      "for g in 0..2 @thread.x(128, 2) { for v in 0..4 @thread.x(32, 4) { for m in 0..32 @lane { "
      "C[g*128 + v*32 + m] = T[g*128 + (3 - v)*32 + 31 - m] } } }",
      {"barrier @warpgroup"});
}

/// Warps fill T and U, each its part.
constexpr const char* filled =
    "alloc U: f32[256] @shared "
    "for w in 0..8 @warp { for l in 0..32 @lane { T[w*32 + l] = A[w*32 + l] } "
    "for k in 0..32 @lane { U[w*32 + k] = A[256 + w*32 + k] } } ";
constexpr const char* own_part =
    "for v in 0..8 @warp { for m in 0..32 @lane { C[v*32 + m] = T[v*32 + 31 - m] } } ";
constexpr const char* other_part =
    "for x in 0..8 @warp { for o in 0..32 @lane { C[512 + x*32 + o] = U[(7 - x)*32 + o] } } ";

/// A wait for all edges is as wide as the widest one; others come by themselves.
TEST(WaitsOfWarps, EdgesOfBothKindsTakeThatOfTheBlock) {
  expect_waits(std::string(filled) +
                   "for v in 0..8 @warp { for m in 0..32 @lane { "
                   "C[v*32 + m] = T[v*32 + 31 - m] + U[(7 - v)*32 + m] } }",
               {"barrier"});
  expect_waits(std::string(filled) + own_part + other_part, {"barrier @warp", "barrier"});
}

/// The barrier of the block orders the lanes of a warp, too.
TEST(WaitsOfWarps, AWiderWaitServesForWhatComesBehind) {
  expect_waits(std::string(filled) + other_part + own_part, {"barrier"});
}

/// A later wait orders the accesses that a narrower one has left.
TEST(WaitsOfWarps, AnEdgeGoesOnBehindANarrowerWait) {
  expect_waits(
      "for w in 0..8 @warp { for l in 0..32 @lane { T[w*32 + l] = A[w*32 + l] } "
      "for m in 0..32 @lane { C[w*32 + m] = T[w*32 + 31 - m] } } "
      "for v in 0..8 @warp { for o in 0..32 @lane { C[256 + v*32 + o] = T[(7 - v)*32 + o] } }",
      {"barrier @warp", "barrier"});
}

TEST(WaitsOfWarps, IterationsOfALoopWaitForTheirs) {
  expect_waits(
      "for w in 0..8 @warp { for k in 0..n { for l in 0..32 @lane { T[w*32 + l] = A[k*32 + l] } "
      "for m in 0..32 @lane { C[w*32 + m] += T[w*32 + 31 - m] } } }",
      {"barrier @warp", "barrier @warp"});
}

/// The loop waits first, which the barrier in front of it saves in a loop of the block.
TEST(WaitsOfWarps, ALoopThatWaitsFirstKeepsTheWiderWaitBeforeIt) {
  expect_waits(
      "for v in 0..8 @warp { for o in 0..32 @lane { T[v*32 + o] = A[v*32 + o] } } "
      "for w in 0..8 @warp { for k in 0..n { for l in 0..32 @lane { "
      "if (l < 16) { T[(7 - w)*32 + l] += T[(7 - w)*32 + 16 + l] * 0.5 } } "
      "for m in 0..32 @lane { if (m >= 16) { T[(7 - w)*32 + m] += T[(7 - w)*32 + m - 16] } } } }",
      {"barrier", "barrier @warp", "barrier @warp"});
}

TEST(WaitsOfWarps, ACopyOfAPartIsOneOfItsWarp) {
  expect_waits(
      "for w in 0..8 @warp { for l in 0..32 @lane { for j in 0..4 { "
      "T[w*128 + j*32 + l] = A[w*128 + j*32 + l] } } "
      "copy C[w*128 .. +128] <- T[w*128 .. +128] }",
      {"barrier @warp"});
  expect_waits(
      "for g in 0..2 @thread.x(128, 2) { for t in 0..128 @thread.x(1, 128) { for j in 0..4 { "
      "T[g*512 + j*128 + t] = A[g*512 + j*128 + t] } } "
      "copy C[g*512 .. +512] <- T[g*512 .. +512] }",
      {"barrier @warpgroup"});
}

// ---- Where there is no narrower wait ------------------------------------------------------------

/// A barrier of the block is as cheap where it has one warp, or one warpgroup.
TEST(WaitsOfWarps, ABlockOfOneWarpOrWarpgroupWaitsAsAWhole) {
  EXPECT_THAT(waits_for(reversed(32, 32)), ElementsAre("barrier"));
  EXPECT_THAT(waits_for(reversed(16, 32)), ElementsAre("barrier"));
  EXPECT_THAT(waits_for(reversed(128, 128)), ElementsAre("barrier"));
  EXPECT_THAT(waits_for(reversed(64, 128)), ElementsAre("barrier"));
  EXPECT_THAT(waits_for(reversed(32, 128)), ElementsAre("barrier @warp"));
}

/// The last warpgroup would wait for threads that there are not.
TEST(WaitsOfWarps, ABlockThatEndsWithinAWarpOrWarpgroupWaitsAsAWhole) {
  EXPECT_THAT(waits_for(reversed(64, 192)), ElementsAre("barrier"));
  EXPECT_THAT(waits_for(reversed(32, 192)), ElementsAre("barrier @warp"));
  EXPECT_THAT(waits_for(reversed(16, 48)), ElementsAre("barrier"));
}

/// Nothing says how the block lies in warps.
TEST(WaitsOfWarps, SizesThatAreKnownAtLaunchWaitAsABlock) {
  EXPECT_THAT(
      waits_for("for y in 0..4 @thread.y { for x in 0..n*32 @thread.x { T[y*256 + x] = A[x] } "
                "for u in 0..n*32 @thread.x { C[y*256 + u] = T[y*256 + n*32 - 1 - u] } }"),
      ElementsAre("barrier"));
}

/// Rows of 32 threads are warps, and those of 16 two to a warp: only digits of thread.x say so.
TEST(WaitsOfWarps, RowsOfThreadsHaveWarpsOfTheirOwn) {
  const auto rows = [](int row, int part) {
    return fmt::format(
        "for y in 0..4 @thread.y {{ for g in 0..{2} @thread.x({1}, {2}) {{ "
        "for t in 0..{1} @thread.x(1, {1}) {{ T[y*{0} + g*{1} + t] = A[g*{1} + t] }} "
        "for u in 0..{1} @thread.x(1, {1}) {{ C[y*{0} + g*{1} + u] = "
        "T[y*{0} + g*{1} + {1} - 1 - u] }} }} }}",
        row, part, row / part);
  };
  EXPECT_THAT(waits_for(rows(64, 32)), ElementsAre("barrier @warp"));
  EXPECT_THAT(waits_for(rows(64, 16)), ElementsAre("barrier @warp"));
  EXPECT_THAT(waits_for(rows(32, 32)), ElementsAre("barrier"));
  EXPECT_THAT(waits_for(rows(48, 16)), ElementsAre("barrier"));
  EXPECT_THAT(waits_for(rows(64, 64)), ElementsAre("barrier"));
}

/// Barriers 8 to 15 are of warpgroups along thread.x.
TEST(WaitsOfWarps, WarpgroupsAreOfBlocksOfOneRow) {
  const std::string rows =
      "for y in 0..2 @thread.y { for g in 0..2 @thread.x(128, 2) { "
      "for t in 0..128 @thread.x(1, 128) { T[y*256 + g*128 + t] = A[t] } "
      "for u in 0..128 @thread.x(1, 128) { C[y*256 + g*128 + u] = T[y*256 + g*128 + 127 - u] } } }";
  EXPECT_THAT(waits_for(rows), ElementsAre("barrier"));
}

TEST(WaitsOfWarps, PartsOfThreadsInYWaitAsABlock) {
  EXPECT_THAT(
      waits_for("for x in 0..64 @thread.x { for y in 0..4 @thread.y { T[x*4 + y] = A[x*4 + y] } "
                "for z in 0..4 @thread.y { C[x*4 + z] = T[x*4 + 3 - z] } }"),
      ElementsAre("barrier"));
}

// ---- Waits of a thread for its stores -----------------------------------------------------------

/// Warps wait for the stores of the last row before they fill the tile again, and not once more
/// before they ask for the next ones.
TEST(WaitsForStores, InLoopsOverWarpsAreKnownBehindThem) {
  const KernelFunction kernel = lower(parse_function(R"(func f(A: f32[8, 64], C: f32[8, 64]) {
  for b in 0..1 @block.x {
    alloc T: f32[64] @shared
    for q in 0..4 { for r in 0..2 {
      for w in 0..2 @warp {
        alloc t: f32[32] @registers
        for x in 0..32 @lane { t[x] = A[q*2 + r, w*32 + x] }
        for y in 0..32 @lane { T[w*32 + y] = t[y] * 2.0 }
      }
      copy C[q*2 + r, 0 .. +64] <- T[0 .. +64] @bulk
    } }
  }
})"))
                                    .kernels.front();
  std::vector<std::string> waits;
  walk(kernel.body, [&](const Stmt& stmt) {
    if (llvm::isa<Instr>(stmt)) waits.push_back(head_of(stmt));
  });
  EXPECT_THAT(waits, ElementsAre("wait_stores 0", "barrier", "fence_engine", "barrier",
                                 "store_bulk C[q*2 + r, 0] <- T[0] of 1 x 64", "commit_stores",
                                 "wait_stores 0"));
}

}  // namespace waits_of_warps_test
}  // namespace hone
