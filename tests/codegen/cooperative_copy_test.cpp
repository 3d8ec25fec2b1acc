#include <gmock/gmock.h>

#include "codegen/pass/passes.h"
#include "fmt/format.h"
#include "tests/support/codegen/passes.h"

namespace hone {
namespace cooperative_copy_test {

/// Threads share the copies, which become loops.
void spread_copies(KernelFunction& kernel) {
  share_copies(kernel);
  expand_copies(kernel);
}

/// The loops of a copy to tile s in a block of x, y, z threads that stands in front
/// of loops over them. A is 64 x 64, V has 64 elements and T is 8 x 8 x 8.
std::string spread(const std::string& alloc, const std::string& copy,
                   std::initializer_list<int> block) {
  std::string loops, ends;
  for (const int threads : block) {
    const char dim = "xyz"[ends.size() / 2];
    loops += fmt::format("for t{0} in 0..{1} @thread.{0} {{ ", dim, threads);
    ends += " }";
  }
  const std::string text = after_pass(
      spread_copies, fmt::format("func f[M, N](A: f32[64, 64], G: f32[M, N], F: f32[64, 64] "
                                 "@order(1, 0), V: f32[64], T: f32[8, 8, 8], C: f32[8]) {{\n"
                                 "for b in 0..2 @block.x {{\nalloc s: f32[{}] @shared\ncopy {}\n"
                                 "{}C[0] = 1.0{} }} }}",
                                 alloc, copy, loops, ends));
  const size_t start = text.find("@shared\n") + 8, end = text.find("  for tx in");
  std::string result;
  for (llvm::StringRef rest = llvm::StringRef(text).slice(start, end); !rest.empty();) {
    const auto [line, next] = rest.split('\n');
    result += line.drop_front(2).str() + "\n";
    rest = next;
  }
  return result;
}

TEST(CooperativeCopy, GivesEachThreadTheElementOfItsIndices) {
  EXPECT_EQ(spread("8, 32", "s[0 .. +8, 0 .. +32] <- A[b*8 .. +8, 0 .. +32]", {32, 8}),
            "for s.ty in 0..8 @thread.y {\n"
            "  for s.tx in 0..32 @thread.x {\n"
            "    s[s.ty, s.tx] = A[b*8 + s.ty, s.tx]\n"
            "  }\n"
            "}\n");
}

TEST(CooperativeCopy, StepsWhereTheTileIsLarger) {
  EXPECT_EQ(spread("32, 64", "s[0 .. +32, 0 .. +64] <- A[b*32 .. +32, 0 .. +64]", {32, 8}),
            "for s.s_2 in 0..4 @unroll {\n"
            "  for s.s in 0..2 @unroll {\n"
            "    for s.ty in 0..8 @thread.y {\n"
            "      for s.tx in 0..32 @thread.x {\n"
            "        s[s.s_2*8 + s.ty, s.s*32 + s.tx] = A[b*32 + s.s_2*8 + s.ty, s.s*32 + s.tx]\n"
            "      }\n"
            "    }\n"
            "  }\n"
            "}\n");
}

TEST(CooperativeCopy, GoesRoundAllThreadsWhereTheBlockDoesNotDivideTheTile) {
  EXPECT_EQ(spread("5, 32", "s[0 .. +5, 0 .. +32] <- A[b*5 .. +5, 0 .. +32]", {32, 2}),
            "for s.s in 0..3 @unroll {\n"
            "  for s.ty in 0..2 @thread.y {\n"
            "    for s.tx in 0..32 @thread.x {\n"
            "      if (s.s*64 + s.ty*32 + s.tx < 160) {\n"
            "        s[s.s*2 + s.ty, s.tx] = A[b*5 + s.s*2 + s.ty, s.tx]\n"
            "      }\n"
            "    }\n"
            "  }\n"
            "}\n");
}

TEST(CooperativeCopy, ThreadsAreSeveralPartsOfRows) {
  EXPECT_EQ(spread("4, 96", "s[0 .. +4, 0 .. +96] <- G[0 .. +4, 0 .. +96]", {64}),
            "for s.s_2 in 0..2 @unroll {\n"
            "  for s.s in 0..3 @unroll {\n"
            "    for s.tx in 0..64 @thread.x {\n"
            "      let s.0 = s.tx / 32\n"
            "      let s.1 = s.tx % 32\n"
            "      s[s.s_2*2 + s.0, s.s*32 + s.1] = select(s.s_2*2 + s.0 < M && s.s*32 + s.1 < N, "
            "G[s.s_2*2 + s.0, s.s*32 + s.1], 0.0)\n"
            "    }\n"
            "  }\n"
            "}\n");
  // A third of 48 is 64 bytes, which waste an access; and three rows are no pairs.
  EXPECT_THAT(spread("4, 48", "s[0 .. +4, 0 .. +48] <- G[0 .. +4, 0 .. +48]", {64}),
              testing::HasSubstr("let s.0 = s.at / 48\n"));
  EXPECT_THAT(spread("3, 96", "s[0 .. +3, 0 .. +96] <- G[0 .. +3, 0 .. +96]", {64}),
              testing::HasSubstr("let s.0 = s.at / 96\n"));
}

TEST(CooperativeCopy, ARowGoesAlongTheThreads) {
  EXPECT_EQ(spread("64", "s[0 .. +64] <- V[0 .. +64]", {32}),
            "for s.s in 0..2 @unroll {\n"
            "  for s.tx in 0..32 @thread.x {\n"
            "    s[s.s*32 + s.tx] = V[s.s*32 + s.tx]\n"
            "  }\n"
            "}\n");
  EXPECT_EQ(spread("64", "s[0 .. +64] <- V[0 .. +64]", {48}),
            "for s.s in 0..2 @unroll {\n"
            "  for s.tx in 0..48 @thread.x {\n"
            "    if (s.s*48 + s.tx < 64) {\n"
            "      s[s.s*48 + s.tx] = V[s.s*48 + s.tx]\n"
            "    }\n"
            "  }\n"
            "}\n");
  EXPECT_EQ(spread("20", "s[0 .. +20] <- V[0 .. +20]", {32}),
            "for s.tx in 0..32 @thread.x {\n"
            "  if (s.tx < 20) {\n"
            "    s[s.tx] = V[s.tx]\n"
            "  }\n"
            "}\n");
}

TEST(CooperativeCopy, ABoxTakesThreeDimensionsOfThreads) {
  EXPECT_EQ(spread("2, 4, 8", "s[0 .. +2, 0 .. +4, 0 .. +8] <- T[b*2 .. +2, 0 .. +4, 0 .. +8]",
                   {8, 4, 2}),
            "for s.tz in 0..2 @thread.z {\n"
            "  for s.ty in 0..4 @thread.y {\n"
            "    for s.tx in 0..8 @thread.x {\n"
            "      s[s.tz, s.ty, s.tx] = T[b*2 + s.tz, s.ty, s.tx]\n"
            "    }\n"
            "  }\n"
            "}\n");
}

TEST(CooperativeCopy, NeighboursFollowTheOrderOfTheSource) {
  EXPECT_EQ(spread("8, 32", "s[0 .. +8, 0 .. +32] <- F[b*8 .. +8, 0 .. +32]", {8, 32}),
            "for s.ty in 0..32 @thread.y {\n"
            "  for s.tx in 0..8 @thread.x {\n"
            "    s[s.tx, s.ty] = F[b*8 + s.tx, s.ty]\n"
            "  }\n"
            "}\n");
}

TEST(CooperativeCopy, ClipsWhatMayStickOut) {
  EXPECT_EQ(
      spread("8, 32", "s[0 .. +8, 0 .. +32] <- G[b*8 - 1 .. +8, 0 .. +32]", {32, 8}),
      "for s.ty in 0..8 @thread.y {\n"
      "  for s.tx in 0..32 @thread.x {\n"
      "    s[s.ty, s.tx] = select(b*8 + s.ty - 1 >= 0 && b*8 + s.ty - 1 < M && s.tx < N, G[b*8 + "
      "s.ty - 1, s.tx], 0.0)\n"
      "  }\n"
      "}\n");
}

TEST(CooperativeCopy, TakesEveryStridethElement) {
  EXPECT_EQ(spread("8, 32", "s[0 .. +8, 0 .. +32] <- A[b*8 .. +8 by 2, 0 .. +32]", {32, 8}),
            "for s.ty in 0..8 @thread.y {\n"
            "  for s.tx in 0..32 @thread.x {\n"
            "    s[s.ty, s.tx] = A[b*8 + s.ty*2, s.tx]\n"
            "  }\n"
            "}\n");
}

TEST(CooperativeCopy, MovesWholeVectors) {
  EXPECT_EQ(
      spread("32, 32", "s[0 .. +32, 0 .. +32] <- A[b*32 .. +32, 0 .. +32] @vector(4)", {8, 32}),
      "for s.ty in 0..32 @thread.y {\n"
      "  for s.tx in 0..8 @thread.x {\n"
      "    for s.v in 0..4 @vectorize {\n"
      "      s[s.ty, s.tx*4 + s.v] = A[b*32 + s.ty, s.tx*4 + s.v]\n"
      "    }\n"
      "  }\n"
      "}\n");
}

TEST(CooperativeCopy, OneElementIsForThread0) {
  EXPECT_EQ(spread("1", "s[0] <- V[b]", {32, 8}),
            "for s.ty in 0..1 @thread.y {\n"
            "  for s.tx in 0..1 @thread.x {\n"
            "    s[0] = V[b]\n"
            "  }\n"
            "}\n");
  EXPECT_EQ(spread("1, 1", "s[0 .. +1, 0 .. +1] <- A[b .. +1, 0 .. +1]", {32, 8}),
            "for s.ty in 0..1 @thread.y {\n"
            "  for s.tx in 0..1 @thread.x {\n"
            "    s[s.ty, s.tx] = A[b + s.ty, s.tx]\n"
            "  }\n"
            "}\n");
}

TEST(CooperativeCopy, OneThreadTakesAll) {
  EXPECT_EQ(spread("4, 8", "s[0 .. +4, 0 .. +8] <- A[b*4 .. +4, 0 .. +8]", {1}),
            "for s.s_2 in 0..4 {\n"
            "  for s.s in 0..8 {\n"
            "    s[s.s_2, s.s] = A[b*4 + s.s_2, s.s]\n"
            "  }\n"
            "}\n");
}

TEST(CooperativeCopy, ManyStepsStayALoop) {
  EXPECT_EQ(spread("64", "s[0 .. +64] <- V[0 .. +64]", {2}),
            "for s.s in 0..32 {\n"
            "  for s.tx in 0..2 @thread.x {\n"
            "    s[s.s*2 + s.tx] = V[s.s*2 + s.tx]\n"
            "  }\n"
            "}\n");
}

TEST(CooperativeCopy, ThreadsBetweenTheAllocAndTheCopyHaveCopiesOfTheirOwn) {
  EXPECT_EQ(after_pass(spread_copies, R"(func f(A: f32[64, 64], C: f32[64]) {
              alloc s: f32[8, 32] @shared
              for y in 0..8 @thread.y {
                copy s[y, 0 .. +32] <- A[y, 0 .. +32]
                for x in 0..32 @thread.x { C[x] = s[y, 31 - x] } } })"),
            "alloc s: f32[8, 32] @shared\n"
            "for y in 0..8 @thread.y {\n"
            "  for s.tx in 0..32 @thread.x {\n"
            "    s[y, s.tx] = A[y, s.tx]\n"
            "  }\n"
            "  for x in 0..32 @thread.x {\n"
            "    C[x] = s[y, 31 - x]\n"
            "  }\n"
            "}");
}

TEST(CooperativeCopy, LeavesCopiesOfRegistersAlone) {
  const char* text = R"(func f(A: f32[64, 64], C: f32[64]) {
    for t in 0..8 @thread.x {
      alloc r: f32[8] @registers
      copy r[0 .. +8] <- A[t, 0 .. +8]
      C[t] = r[0] } })";
  EXPECT_EQ(after_passes({share_copies}, text), after_passes({}, text));
}

}  // namespace cooperative_copy_test
}  // namespace hone
