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

/// What a tile of A holds for 32 values, which stay the same.
std::string held(const Function& before) {
  const Function after = in_shared(before, "A", "b");
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

}  // namespace cache_shared_index_test
}  // namespace hone
