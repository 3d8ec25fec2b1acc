// The warps of a warpgroup wait for each other, and for no others.
#include <gtest/gtest.h>

#include "codegen/parse_kernel.h"
#include "runtime/sim/check/check.h"
#include "runtime/sim/count/count.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace warpgroup_barriers_test {

constexpr int64_t length = 1024;

/// A kernel with t for the thread, w and g for its warp and warpgroup, A to read and C to write.
std::string kernel_of(const std::string& body, int threads) {
  return fmt::format(
      "kernel waits(A: f32[1024], C: f32[1024]) grid(2, 1, 1) block({}, 1, 1) @index32 {{ "
      "alloc S: f32[512] @shared let t = thread.x let w = t / 32 let g = t / 128 let u = t % 128 "
      "let b = block.x*512 {} }}",
      threads, body);
}

std::string error(const std::string& body, int threads = 256) {
  return sim_error(kernel_of(body, threads), {},
                   {{"A", counting(f32, {length})}, {"C", Buffer(f32, {length})}});
}

struct Checked {
  std::string kinds;
  Values values;
};

Checked checked(const std::string& body, int threads = 256, const CheckOptions& options = {}) {
  Buffer a = counting(f32, {length}), c(f32, {length});
  const CheckReport report =
      check(parse_kernel(kernel_of(body, threads)), {},
            {{"A", a.bytes.data(), length, false}, {"C", c.bytes.data(), length, false}}, options);
  Checked result;
  for (const Finding& finding : report.findings)
    result.kinds += (result.kinds.empty() ? "" : ", ") + std::string(to_string(finding.kind));
  result.values = values_of(c);
  return result;
}

std::string kinds(const std::string& body, int threads = 256) {
  return checked(body, threads).kinds;
}

/// The elements of A in those of C that `source` says; 0 where that is negative.
Values taken(const std::function<int(int)>& source, int threads) {
  Values expected(length);
  const Values a = values_of(counting(f32, {length}));
  for (int b = 0; b < 2; ++b)
    for (int t = 0; t < threads; ++t)
      if (source(t) >= 0) expected[b * 512 + t] = a[b * 512 + source(t)];
  return expected;
}

int in_reverse(int t) { return t / 128 * 128 + 127 - t % 128; }

const std::string reversed = "S[t] = A[b + t] barrier @warpgroup C[b + t] = S[g*128 + 127 - u]";

// ---- Runs ---------------------------------------------------------------------------------------

TEST(WarpgroupBarriers, OrderTheThreadsOfAWarpgroup) {
  for (const int threads : {128, 256, 384, 512}) {
    const Checked result = checked(reversed, threads);
    EXPECT_EQ(result.kinds, "") << threads;
    EXPECT_EQ(result.values, taken(in_reverse, threads)) << threads;
  }
}

TEST(WarpgroupBarriers, AreRightInAnyOrderOfTheWarps) {
  for (uint64_t order = 1; order <= 20; ++order) {
    const Checked result = checked(reversed, 384, {.order = order});
    EXPECT_EQ(result.kinds, "") << order;
    EXPECT_EQ(result.values, taken(in_reverse, 384)) << order;
  }
}

TEST(WarpgroupBarriers, DoNotOrderOtherWarpgroups) {
  EXPECT_EQ(kinds("S[t] = A[b + t] barrier @warpgroup C[b + t] = S[255 - t]"), "race");
  EXPECT_EQ(kinds("S[t] = A[b + t] C[b + t] = S[g*128 + 127 - u]"), "race");
  EXPECT_EQ(kinds("S[t] = A[b + t] barrier @warp C[b + t] = S[g*128 + 127 - u]"), "race");
  EXPECT_EQ(kinds("S[t] = A[b + t] barrier @warp C[b + t] = S[w*32 + 31 - t % 32]"), "");
}

TEST(WarpgroupBarriers, OfOneThatGoesItsOwnWay) {
  const std::string body =
      "S[t] = A[b + t] if (g == 1) { barrier @warpgroup C[b + t] = S[g*128 + 127 - u] }";
  const auto of_second = [](int t) { return t / 128 == 1 ? in_reverse(t) : -1; };
  for (const int threads : {256, 384}) {
    EXPECT_EQ(kinds(body, threads), "");
    EXPECT_EQ(checked(body, threads).values, taken(of_second, threads));
  }
  EXPECT_EQ(kinds("S[t] = A[b + t] if (g == 1) { barrier @warpgroup } "
                  "C[b + t] = S[g*128 + 127 - u]"),
            "race");
}

/// Each warpgroup comes to the barrier as often as it says, and between those of the others.
TEST(WarpgroupBarriers, CountForEachWarpgroupAlone) {
  const std::string body =
      "for k in 0..3 { if (k <= g) { S[t] = A[b + t] barrier @warpgroup "
      "C[b + t] = S[g*128 + 127 - u] barrier @warpgroup } }";
  for (uint64_t order = 0; order <= 5; ++order) {
    const Checked result = checked(body, 384, {.order = order});
    EXPECT_EQ(result.kinds, "") << order;
    EXPECT_EQ(result.values, taken(in_reverse, 384)) << order;
  }
}

/// Of the first warpgroup, two warps come to one place of the text and two to another.
TEST(WarpgroupBarriers, TakeWarpsFromSeveralPlaces) {
  EXPECT_EQ(kinds("S[t] = A[b + t] if (w % 2 == 0) { barrier @warpgroup } "
                  "if (w % 2 == 1) { barrier @warpgroup } C[b + t] = S[g*128 + 127 - u]"),
            "");
}

TEST(WarpgroupBarriers, HaveNumbersOfTheirOwn) {
  EXPECT_EQ(error("if (g == 0) { barrier @named(7, 128) barrier @warpgroup } "
                  "if (g == 1) { barrier @warpgroup barrier @named(7, 128) } barrier"),
            "no error");
}

TEST(WarpgroupBarriers, AreNeeded) {
  CheckOptions options;
  options.find_unneeded_barriers = true;
  EXPECT_EQ(checked(reversed, 256, options).kinds, "");
  EXPECT_EQ(checked("barrier @warpgroup " + reversed, 256, options).kinds, "unneeded barrier");
}

TEST(WarpgroupBarriers, AreNotCountedAsThoseOfTheBlock) {
  Buffer a = counting(f32, {length}), c(f32, {length});
  const CountReport report =
      count(parse_kernel(kernel_of(reversed + " barrier", 256)), {},
            {{"A", a.bytes.data(), length, false}, {"C", c.bytes.data(), length, false}});
  EXPECT_EQ(report.barriers_per_block(), 1);
}

// ---- Waits in vain ------------------------------------------------------------------------------

TEST(WarpgroupBarriers, ReportAWarpThatNeverComes) {
  EXPECT_EQ(error("if (w != 5) { barrier @warpgroup }"),
            "nobody in block (0, 0, 0) can go on: warps 4, 6, 7 wait at `barrier @warpgroup`, "
            "where 96 of 128 threads have come; warps 0, 1, 2, 3, 5 have ended, in: barrier "
            "@warpgroup");
  EXPECT_EQ(error("if (w != 5) { barrier @warpgroup } barrier"),
            "nobody in block (0, 0, 0) can go on: warps 0, 1, 2, 3, 5 wait at `barrier`, where 160 "
            "of 256 threads have come; warps 4, 6, 7 wait at `barrier @warpgroup`, where 96 of 128 "
            "threads have come, in: barrier");
  EXPECT_EQ(kinds("if (w != 5) { barrier @warpgroup }"), "deadlock");
}

TEST(WarpgroupBarriers, ReportEachWarpgroupThatWaits) {
  EXPECT_EQ(error("if (w != 1 && w < 10) { barrier @warpgroup }", 384),
            "nobody in block (0, 0, 0) can go on: warps 0, 2, 3 wait at `barrier @warpgroup`, "
            "where 96 of 128 threads have come; warps 8, 9 wait at `barrier @warpgroup`, where 64 "
            "of 128 threads have come; warps 1, 4, 5, 6, 7, 10, 11 have ended, in: barrier "
            "@warpgroup");
}

TEST(WarpgroupBarriers, ReportThatTheLastWarpgroupIsShort) {
  EXPECT_EQ(error(reversed, 192),
            "nobody in block (0, 0, 0) can go on: warps 4, 5 wait at `barrier @warpgroup`, where "
            "64 of 128 threads have come; warps 0, 1, 2, 3 have ended, in: barrier @warpgroup");
}

TEST(WarpgroupBarriers, TakeWholeWarps) {
  EXPECT_EQ(error("if (t != 40) { barrier @warpgroup }"),
            "barrier @warpgroup in divergent code: 31 of 32 lanes of a warp reach it, block "
            "(0, 0, 0), thread (40, 0, 0) does not, in: if (t != 40)");
}

// ---- Clusters -----------------------------------------------------------------------------------

/// The error of blocks that reverse the parts of their warpgroups, in a cluster of two.
std::string error_in_cluster(int threads) {
  return sim_error(
      fmt::format("kernel waits(A: f32[2048], C: f32[2048]) grid(2, 1, 1) cluster(2) "
                  "block({0}, 1, 1) @index32 {{ alloc S: f32[2, {0}] @cluster let t = thread.x "
                  "let r = block.x % 2 S[r, t] = A[block.x*{0} + t] barrier @warpgroup "
                  "C[block.x*{0} + t] = S[r, t / 128*128] barrier @cluster }}",
                  threads),
      {}, {{"A", counting(f32, {2048})}, {"C", Buffer(f32, {2048})}});
}

TEST(WarpgroupBarriers, AreOfABlockOfACluster) {
  EXPECT_EQ(error_in_cluster(128), "no error");
  EXPECT_EQ(error_in_cluster(384), "no error");
  EXPECT_EQ(error_in_cluster(1024), "no error");
  EXPECT_EQ(error_in_cluster(192),
            "nobody in block (0, 0, 0) can go on: warps 0, 1, 2, 3, 6, 7, 8, 9 wait at `barrier "
            "@cluster`, where 256 of 384 threads have come; warps 4, 5 wait at `barrier "
            "@warpgroup`, where 64 of 128 threads have come; warps 10, 11 wait at `barrier "
            "@warpgroup`, where 64 of 128 threads have come, in: barrier @cluster");
}

}  // namespace warpgroup_barriers_test
}  // namespace hone
