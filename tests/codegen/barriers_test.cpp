// The barriers of blocks. Every kernel here is walked thread by thread: it
// has no race, and it gets one with any of its barriers left out.

#include "tests/support/codegen/barriers.h"

#include <gtest/gtest.h>

#include "codegen/lower.h"
#include "fmt/format.h"
#include "ir/text/parser.h"
#include "tests/support/codegen/passes.h"
#include "tests/support/codegen/races.h"

namespace hone {
namespace barriers_test {

/// Lowers the function, and expects so many barriers in its text, none missing and none redundant.
/// Each is needed at some of `all_sizes`.
void expect_barriers(int expected, const std::string& text,
                     const std::vector<Sizes>& all_sizes = {{}}) {
  const KernelFunction kernel = lower(parse_function(text)).kernels.front();
  EXPECT_EQ(count_barriers(kernel), expected) << to_string(kernel);
  const auto race = [&](const KernelFunction& candidate) {
    std::optional<std::string> found;
    for (const Sizes& sizes : all_sizes)
      if (!found) found = find_race(candidate, sizes);
    return found;
  };
  EXPECT_EQ(race(kernel), std::nullopt) << to_string(kernel);
  for (int n = 0; n < count_barriers(kernel); ++n)
    EXPECT_NE(race(without_barrier(kernel, n)), std::nullopt)
        << "barrier " << n << " is redundant:\n"
        << to_string(kernel);
}

/// A block over tiles of shared memory, which `statements` fill and use, for vectors A, B, C, D of
/// 64 elements and n.
std::string in_block(const std::string& statements) {
  return "func f[n](A: f32[64], B: f32[64], C: f32[64], D: f32[64]) {\n"
         "for b in 0..1 @block.x {\n" +
         statements + "} }";
}

TEST(Barriers, AFilledTileTakesOne) {
  expect_barriers(1, in_block(R"(alloc s: f32[64] @shared
                                 copy s[0 .. +64] <- A[0 .. +64]
                                 for t in 0..64 @thread.x { C[t] = s[63 - t] })"));
}

TEST(Barriers, TwoTilesThatAreFilledTogetherTakeOne) {
  expect_barriers(1, in_block(R"(alloc s: f32[64] @shared
                                 alloc u: f32[64] @shared
                                 copy s[0 .. +64] <- A[0 .. +64]
                                 copy u[0 .. +64] <- B[0 .. +64]
                                 for t in 0..64 @thread.x { C[t] = s[63 - t] + u[63 - t] })"));
}

TEST(Barriers, ATileThatIsOverwrittenInALoopTakesTwo) {
  const std::string text = in_block(R"(for k in 0..n {
                                         alloc s: f32[32] @shared
                                         copy s[0 .. +32] <- A[k*32 .. +32]
                                         for t in 0..32 @thread.x { C[t] += s[31 - t] } })");
  expect_barriers(2, text, {{{"n", 0}}, {{"n", 1}}, {{"n", 2}}});
}

TEST(Barriers, ALoopThatRunsOnceDoesNotWaitForItself) {
  expect_barriers(1, in_block(R"(for k in 0..1 {
                                   alloc s: f32[32] @shared
                                   copy s[0 .. +32] <- A[k*32 .. +32]
                                   for t in 0..32 @thread.x { C[t] += s[31 - t] } })"));
}

TEST(Barriers, WhatStandsBehindALoopThatMayNotRunWaitsByItself) {
  // The barrier behind the filling is in the loop, and with n = 0 there is none.
  const std::string text = in_block(R"(alloc s: f32[64] @shared
                                       for w in 0..64 @thread.x { s[w] = A[w] }
                                       for k in 0..n { for t in 0..64 @thread.x {
                                         C[t] += s[63 - t] } }
                                       for t2 in 0..64 @thread.x { D[t2] = s[63 - t2] })");
  expect_barriers(1, text, {{{"n", 0}}, {{"n", 1}}, {{"n", 3}}});
}

TEST(Barriers, NestedLoopsWaitWhereTheTileChanges) {
  const std::string text = in_block(R"(for k in 0..n {
                                         alloc s: f32[32] @shared
                                         copy s[0 .. +32] <- A[k .. +32]
                                         for m in 0..4 { for t in 0..32 @thread.x {
                                           C[t] += s[31 - t] * B[m] } } })");
  expect_barriers(2, text, {{{"n", 2}}});
}

TEST(Barriers, WhatIsUsedBeforeItIsOverwrittenWaitsToo) {
  // Consume, then fill for the next iteration.
  const std::string text = in_block(R"(alloc s: f32[32] @shared
                                       copy s[0 .. +32] <- A[0 .. +32]
                                       for k in 0..n {
                                         for t in 0..32 @thread.x { C[t] += s[31 - t] }
                                         copy s[0 .. +32] <- B[k .. +32] })");
  expect_barriers(2, text, {{{"n", 1}}, {{"n", 2}}});
}

/// A tree over 64 elements, and `last` behind it.
std::string tree_and(const std::string& last) {
  return in_block(R"(alloc s: f32[64] @shared
                     for w in 0..64 @thread.x { s[w] = A[w] }
                     for l in 0..n { for t in 0..64 @thread.x {
                       if (t < 32 >> l) { s[t] += s[t + (32 >> l)] } } } )" +
                  last);
}

TEST(Barriers, ALoopWaitsFirstWhereNothingBehindItNeedsItsLastOne) {
  // Thread 0 has written s[0] itself.
  expect_barriers(1, tree_and("C[0] = s[0]"), {{{"n", 0}}, {{"n", 1}}, {{"n", 6}}});
  expect_barriers(1, tree_and("for u in 0..64 @thread.x { if (u == 0) { C[0] = s[0] } }"),
                  {{{"n", 0}}, {{"n", 1}}, {{"n", 6}}});
  EXPECT_NE(lowered_body(tree_and("C[0] = s[0]")).find("for l in 0..n {\n  barrier\n"),
            std::string::npos);
}

TEST(Barriers, ALoopWaitsLastWhereAnotherThreadGoesOn) {
  for (const char* last : {"C[0] = s[1]", "for u in 0..64 @thread.x { C[u] = s[0] }",
                           "for u in 0..64 @thread.x { if (u == 1) { C[0] = s[0] } }"})
    expect_barriers(2, tree_and(last), {{{"n", 1}}, {{"n", 6}}});
}

TEST(Barriers, ALoopThatNothingFeedsWaitsLast) {
  expect_barriers(2, in_block(R"(alloc s: f32[64] @shared
                                 for l in 0..n {
                                   for t in 0..64 @thread.x { s[t] = A[t] * B[l] }
                                   for u in 0..64 @thread.x { C[u] += s[u / 32] } } )"),
                  {{{"n", 3}}});
}

TEST(Barriers, Thread0IsOneOfEachDimension) {
  const auto text = [](const std::string& last) {
    return in_block(R"(alloc s: f32[8, 8] @shared
                       for y in 0..8 @thread.y { for x in 0..8 @thread.x { s[y, x] = A[y*8 + x] } }
                       for l in 0..n { for y2 in 0..8 @thread.y { for x2 in 0..8 @thread.x {
                         if (x2 < 4 >> l) { s[y2, x2] += s[y2, x2 + (4 >> l)] } } } } )" +
                    last);
  };
  expect_barriers(1, text("C[0] = s[0, 0]"), {{{"n", 1}}, {{"n", 3}}});
  // Each row is another thread's.
  expect_barriers(2, text("for y3 in 0..8 @thread.x { C[y3] = s[y3, 0] }"),
                  {{{"n", 1}}, {{"n", 3}}});
}

TEST(Barriers, TilesThatShareBytesAreKeptApart) {
  const std::string text = in_block(R"(for w in 0..1 {
                                         alloc s: f32[64] @shared
                                         copy s[0 .. +64] <- A[0 .. +64]
                                         for t in 0..64 @thread.x { C[t] = s[63 - t] } }
                                       for v in 0..1 {
                                         alloc u: f32[64] @shared
                                         copy u[0 .. +64] <- B[0 .. +64]
                                         for t2 in 0..64 @thread.x { D[t2] = u[63 - t2] } })");
  EXPECT_NE(lowered_body(text).find("alloc u: f32[64] @shared(0)"), std::string::npos)
      << lowered_body(text);
  expect_barriers(3, text);
}

TEST(Barriers, ThreadsThatKeepToTheirOwnElementsDoNotWait) {
  const std::string text = in_block(R"(alloc s: f32[64] @shared
                                       for k in 0..n {
                                         for t in 0..64 @thread.x { s[t] = A[t] * B[k] }
                                         for t2 in 0..64 @thread.x { C[t2] += s[t2] } })");
  expect_barriers(0, text, {{{"n", 3}}});
}

TEST(Barriers, OneThreadDoesNotWait) {
  expect_barriers(0, in_block(R"(alloc s: f32[64] @shared
                                 copy s[0 .. +64] <- A[0 .. +64]
                                 for m in 0..64 { C[m] = s[63 - m] })"));
}

TEST(Barriers, ClearingAndFillingByTheSameThreadsTakesNone) {
  const std::string clear = "alloc s: f32[64] @shared\nfor c in 0..64 @thread.x { s[c] = 0.0 }\n";
  const std::string use = "for t in 0..64 @thread.x { C[t] = s[63 - t] }";
  expect_barriers(1, in_block(clear + "for w in 0..32 @thread.x { s[w] = A[w] }\n" + use));
  expect_barriers(2, in_block(clear + "for w in 0..32 @thread.x { s[w*2] = A[w] }\n" + use));
}

TEST(Barriers, WhatOneThreadWritesForAllTakesOne) {
  expect_barriers(1, in_block(R"(alloc s: f32[1] @shared
                                 s[0] = A[0]
                                 for t in 0..64 @thread.x { C[t] = s[0] })"));
}

TEST(Barriers, ThreadsThatStandInAnotherDimensionExchangeData) {
  expect_barriers(1, in_block(R"(alloc s: f32[8, 8] @shared
                                 for y in 0..8 @thread.y { for x in 0..8 @thread.x {
                                   s[y, x] = A[y*8 + x] } }
                                 for y2 in 0..8 @thread.y { for x2 in 0..8 @thread.x {
                                   C[y2*8 + x2] = s[x2, y2] } })"));
}

TEST(Barriers, RowsThatAThreadOwnsTakeNone) {
  expect_barriers(0, in_block(R"(alloc s: f32[8, 8] @shared
                                 for y in 0..8 @thread.x { for m in 0..8 { s[y, m] = A[y*8 + m] } }
                                 for y2 in 0..8 @thread.x { for m2 in 0..8 {
                                   C[y2*8 + m2] = s[y2, 7 - m2] } })"));
}

TEST(Barriers, GlobalMemoryIsExchangedInTheSameWay) {
  expect_barriers(1, in_block(R"(for t in 0..64 @thread.x { C[t] = A[t] }
                                 for t2 in 0..64 @thread.x { D[t2] = C[63 - t2] })"));
}

// ---- Conditions ---------------------------------------------------------------------------------

TEST(Barriers, StandUnderConditionsThatAllThreadsShare) {
  const std::string text = in_block(R"(if (n > 3) {
                                         alloc s: f32[64] @shared
                                         copy s[0 .. +64] <- A[0 .. +64]
                                         for t in 0..64 @thread.x { C[t] = s[63 - t] } })");
  expect_barriers(1, text, {{{"n", 3}}, {{"n", 4}}});
  EXPECT_EQ(lowered_body(text).find("if (n > 3)") != std::string::npos, true);
}

TEST(Barriers, StandOutsideOfLoopsThatTakeFewerThreads) {
  const std::string text = in_block(R"(alloc s: f32[48] @shared
                                       for w in 0..48 @thread.x { s[w] = A[w] }
                                       for t in 0..48 @thread.x { C[t] = s[47 - t] }
                                       for u in 0..64 @thread.x { D[u] = B[u] })");
  expect_barriers(1, text);
  EXPECT_EQ(lowered_body(text),
            "alloc s: f32[48] @shared(0)\n"
            "let w = thread.x\n"
            "if (w < 48) {\n"
            "  s[w] = A[w]\n"
            "}\n"
            "barrier\n"
            "let t = thread.x\n"
            "if (t < 48) {\n"
            "  C[t] = s[47 - t]\n"
            "}\n"
            "let u = thread.x\n"
            "D[u] = B[u]");
}

/// Two phases that exchange data along x, under a condition inside the loop over y.
std::string exchange_under(const std::string& condition) {
  return in_block("for y in 0..8 @thread.y { if (" + condition + R"() {
                     for x in 0..8 @thread.x { C[y*8 + x] = A[y*8 + x] }
                     for x2 in 0..8 @thread.x { D[y*8 + x2] = C[y*8 + 7 - x2] } } })");
}

/// As lowered, with the condition on the statements.
std::string lowered_exchange(const std::string& condition) {
  return fmt::format(
      "if ({0}) {{\n"
      "  let x = thread.x\n"
      "  C[y*8 + x] = A[y*8 + x]\n"
      "}}\n"
      "barrier\n"
      "if ({0}) {{\n"
      "  let x2 = thread.x\n"
      "  D[y*8 + x2] = C[y*8 - x2 + 7]\n"
      "}}",
      condition);
}

TEST(Barriers, StandBesideConditionsThatDifferBetweenThreads) {
  for (const char* condition : {"y < 5", "y % 4 == 0", "y < n", "n > 2 && y > 0"}) {
    expect_barriers(1, exchange_under(condition), {{{"n", 1}}, {{"n", 6}}});
    EXPECT_EQ(lowered_body(exchange_under(condition)),
              "let y = thread.y\n" + lowered_exchange(condition));
  }
  expect_barriers(1, exchange_under("n < 5"), {{{"n", 1}}});
}

/// tests/runtime/conditions_test.cpp runs these.
TEST(Barriers, StandBesideConditionsOnValues) {
  EXPECT_EQ(lowered_body(exchange_under("A[y] > 0.0")),
            "let y = thread.y\n" + lowered_exchange("A[y] > 0.0"));
  EXPECT_EQ(lowered_body(exchange_under("C[y*8] > 0.0")),
            "let y = thread.y\n"
            "let holds = select(C[y*8] > 0.0, 1, 0)\n"
            "barrier\n" +
                lowered_exchange("holds == 1"));
}

TEST(Barriers, StandBesideALoopWhoseLengthDiffersBetweenThreads) {
  const std::string text = in_block(R"(for y in 0..4 @thread.y { if (y < 3) { for k in 0..n {
                                         for x in 0..4 @thread.x {
                                           C[y*16 + k*4 + x + 4] = C[y*16 + k*4 + 3 - x] } } } })");
  expect_barriers(1, text, {{{"n", 0}}, {{"n", 1}}, {{"n", 3}}});
}

/// A condition inside of another one reads only where that holds.
TEST(Barriers, StandBesideConditionsInsideOfConditions) {
  EXPECT_EQ(lowered_body(in_block(R"(for y in 0..8 @thread.y { if (y < n) { if (B[y*y] > 0.0) {
                     for x in 0..8 @thread.x { C[y*8 + x] = A[y*8 + x] }
                     for x2 in 0..8 @thread.x { D[y*8 + x2] = C[y*8 + 7 - x2] } } } })")),
            "let y = thread.y\n"
            "if (y < n) {\n"
            "  if (B[y*y] > 0.0) {\n"
            "    let x = thread.x\n"
            "    C[y*8 + x] = A[y*8 + x]\n"
            "  }\n"
            "}\n"
            "barrier\n"
            "if (y < n) {\n"
            "  if (B[y*y] > 0.0) {\n"
            "    let x2 = thread.x\n"
            "    D[y*8 + x2] = C[y*8 - x2 + 7]\n"
            "  }\n"
            "}");
}

}  // namespace barriers_test
}  // namespace hone
