// Tiles of elements whose indices are no sums of axes.
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/traverse/visit.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace cache_shared_index_test {

Function of_tiles(const std::string& value) {
  return parse_function(fmt::format(R"(func f[N](A: f32[N], C: f32[N]) {{
    for b in 0..(N + 31) / 32 {{ for t in 0..32 {{ if (b*32 + t < N) {{
      C[b*32 + t] = {}
    }} }} }}
  }})",
                                    value));
}

/// The ranges that the tile of the tensor holds; all values stay the same.
std::string held(const Function& before, const char* tensor = "A", const char* axis = "b") {
  const Function after = in_shared(before, tensor, axis);
  expect_same_values(before, after);
  std::string result;
  walk(after.body, [&](const Stmt& stmt) {
    if (const auto* copy = llvm::dyn_cast<Copy>(stmt))
      for (const Range& range : copy->source.ranges)
        result += range.is_point() ? fmt::format("[{}]", range.offset)
                                   : fmt::format("[{} .. +{}]", range.offset, range.extent);
  });
  return result;
}

TEST(CacheShared, HoldsWhatClampedIndicesReach) {
  EXPECT_EQ(held(of_tiles("A[max(b*32 + t - 1, 0)]")), "[b*32 - 1 .. +32]");
  EXPECT_EQ(held(of_tiles("A[max(b*32 + t - 1, 0)] + A[b*32 + t]")), "[b*32 - 1 .. +33]");
  EXPECT_EQ(held(of_tiles("A[min(b*32 + t + 3, N - 1)]")), "[b*32 .. +35]");
  EXPECT_EQ(held(of_tiles("A[min(max(b*32 + t - 2, 0), N - 1)]")), "[b*32 - 2 .. +32]");
}

TEST(CacheShared, HoldsWhatIndicesThatAreChosenReach) {
  EXPECT_EQ(held(of_tiles("A[select(b*32 + t > 0, b*32 + t - 1, 0)]")), "[b*32 - 1 .. +32]");
  EXPECT_EQ(held(of_tiles("A[select(b*32 + t + 1 < N, b*32 + t + 1, 0 + b*32)]")), "[b*32 .. +33]");
}

TEST(CacheShared, HoldsElementsThatGuardsKeepNearOthers) {
  EXPECT_EQ(held(of_tiles("select(b*32 + t > 0, A[b*32 + t - 1], A[0])")), "[b*32 - 1 .. +32]");
  EXPECT_EQ(held(of_tiles("select(b*32 + t == 0, A[0], A[b*32 + t - 1]) + A[b*32 + t]")),
            "[b*32 - 1 .. +33]");
  EXPECT_EQ(held(of_tiles("select(b*32 + t + 1 < N, A[b*32 + t + 1], A[N - 1])")), "[b*32 .. +33]");
}

TEST(CacheShared, HoldsWhatBitsOfIndicesReach) {
  EXPECT_EQ(held(of_tiles("select((b*32 + t ^ 1) < N, A[b*32 + t ^ 1], 0.0)")), "[b*32 .. +32]");
  EXPECT_EQ(held(of_tiles("select((b*32 + t | 5) < N, A[b*32 + t | 5], 0.0)")), "[b*32 .. +32]");
  EXPECT_EQ(held(of_tiles("A[b*32 + t >> 1]")), "[b*16 .. +16]");
  EXPECT_EQ(held(of_tiles("select((t & 12) < N, A[t & 12], 0.0)")), "[0 .. +13]");
  EXPECT_EQ(held(of_tiles("A[(b*32 + t) - (b*32 + t & 12)]")), "[b*32 - 12 .. +44]");
}

/// Half of the places would lie beyond the ends of A.
TEST(CacheShared, HoldsNoHalfThatGuardsKeepOut) {
  const auto of_rows = [](const std::string& value) {
    return parse_function(
        "func f[N](A: f32[N, 8], C: f32[N, 16]) { for b in 0..N { "
        "for t in 0..16 { C[b, t] = " +
        value + " } } }");
  };
  EXPECT_EQ(held(of_rows("select(t >= 8, A[b, t - 8], 0.0)")), "[b][0 .. +8]");
  EXPECT_EQ(held(of_rows("select(t < 8, A[b, t], 1.0)")), "[b][0 .. +8]");
  EXPECT_EQ(held(of_rows("select(t >= 12, A[b, t - 9], 1.0)")), "[b][3 .. +4]");
  EXPECT_EQ(held(of_rows("select(t >= 1 && t < 9, A[b, t - 1], 0.0)")), "[b][0 .. +8]");
}

TEST(CacheShared, HoldsZerosBeyondTheEndsWhereTheseAreFew) {
  const Function f = parse_function(R"(func f[N](A: f32[N, 8], C: f32[N, 8]) {
    for b in 0..N { for t in 0..8 { C[b, t] = select(t >= 1, A[b, t - 1], 0.0) } }
  })");
  EXPECT_EQ(held(f), "[b][-1 .. +8]");
}

/// The places of copies are read, too: the copy of P starts where D says.
TEST(CacheShared, HoldsWhatThePlacesOfCopiesRead) {
  const Function before = parse_function(R"(func f(D: i32[16], P: f32[16, 8], C: f32[8]) {
    for b in 0..8 {
      alloc r: f32[8] @registers
      copy r[0 .. +8] <- P[index(D[b*2]), 0 .. +8]
      for t in 0..8 { C[t] += r[t] * f32(D[b*2 + 1]) }
    }
  })");
  const Function after = in_shared(before, "D", "b");
  expect_same_values(before, after);
  EXPECT_EQ(to_string(after), R"(func f(D: i32[16], P: f32[16, 8], C: f32[8]) {
  for b in 0..8 {
    alloc D.shared: i32[2] @shared
    copy D.shared[0 .. +2] <- D[b*2 .. +2]
    alloc r: f32[8] @registers
    copy r[0 .. +8] <- P[index(D.shared[0]), 0 .. +8]
    for t in 0..8 {
      C[t] += r[t] * f32(D.shared[1])
    }
  }
})");
}

TEST(CacheShared, RefusesIndicesThatGoRound) {
  expect_refusal(
      R"(func f[N](A: f32[N], C: f32[N]) {
  for b in 0..N / 16 { for t in 0..16 { C[b*16 + t] = A[(b*16 + t + 1) % N] } }
})",
      [](const Function& f) { return in_shared(f, "A", "b"); },
      R"(error: cache_shared: the part of A that A[(b*16 + t + 1) % N] touches has no constant size
  for b in 0..N / 16 {
    for t in 0..16 {
      C[b*16 + t] = A[(b*16 + t + 1) % N]  <-- here
note: (b*16 + t + 1) % N has no bounds a constant distance apart; cache under an inner axis)");
}

/// Rows of B whose number stands in G, which holds so many; columns end at N.
std::string of_groups(const char* numbers, const char* guard, const char* behind = "") {
  return fmt::format(R"(func f[N](G: i32[{}], B: f32[16, 64], C: f32[4, 64]) {{
  for t in 0..4 {{
    for x in 0..2 {{
      for j in 0..32 {{
        if ({}) {{
          C[t, x*32 + j] = B[index(G[t]), x*32 + j]
        }}
      }}
    }}
  }}
  {}}})",
                     numbers, guard, behind);
}

/// A guard that has nothing to do with the place where G is read.
TEST(CacheShared, ReadsANumberThatCallersGiveAheadOfGuards) {
  const Function before = parse_function(of_groups("4", "x*32 + j < N"));
  EXPECT_EQ(held(before, "B", "x"), "[index(G[t])][x*32 .. +32]");
}

TEST(CacheShared, RefusesACornerThatGuardsKeepFromBeingRead) {
  const auto expect_refused = [](const std::string& before, const std::string& lines) {
    expect_refusal(
        before, stages("B", "x"),
        "error: cache_shared: the part of B that B[index(G[t]), x*32 + j] touches starts at "
        "index(G[t]), which is read under a condition\n" +
            lines + "note: only a guard around the whole axis may stand before it");
  };
  const char* lines = R"(  for t in 0..4 {
    for x in 0..2 {
      for j in 0..32 {
        if (LIMIT) {
          C[t, x*32 + j] = B[index(G[t]), x*32 + j]  <-- here
)";
  const auto lines_of = [&](const char* guard) {
    std::string text = lines;
    return text.replace(text.find("LIMIT"), 5, guard);
  };
  // There is no fourth number.
  expect_refused(of_groups("3", "t*32 + j < 96"), lines_of("t*32 + j < 96"));
  // The program sets it, maybe where the guard holds alone.
  expect_refused(of_groups("4", "x*32 + j < N", "G[0] = 1i32\n"), lines_of("x*32 + j < N"));
}

}  // namespace cache_shared_index_test
}  // namespace hone
