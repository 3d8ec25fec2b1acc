#include "ir/analysis/reach.h"

#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace reach_test {

/// True if `loops { C[...] += 1.0 }` is proved to update all elements.
bool is_proved(const Function& function) {
  for (const MemoryAccess& access : collect_accesses(function.body))
    if (access.writes) return reaches_all(access, Facts());
  return false;
}

/// True if it does for N = `n` and M = 3.
bool is_so(const Function& function, int64_t n) {
  const Sizes sizes = {{"N", n}, {"M", 3}};
  std::vector<int64_t> shape;
  for (const Expr& extent : function.arguments[0]->shape) shape.push_back(evaluate(extent, sizes));
  Buffers buffers = {{"C", counting(f32, shape)}};
  fill_with(buffers.at("C"), [] { return 0; });
  interpret(function, sizes, buffers);
  for (int64_t element = 0; element < buffers.at("C").size(); ++element)
    if (buffers.at("C").get(element) == 0) return false;
  return true;
}

/// Proved, and so for all small sizes; or neither proved nor always so. `is_true`: it is always so.
void expect_reach(const std::string& shape, const std::string& loops, bool proved,
                  std::optional<bool> is_true = std::nullopt) {
  const std::string text = "func f[N, M](C: f32[" + shape + "]) { " + loops;
  const Function function =
      parse_function(text + std::string(llvm::StringRef(text).count('{'), '}'));
  SCOPED_TRACE(loops);
  EXPECT_EQ(is_proved(function), proved);
  bool always = true;
  for (int64_t n = 0; n < 14; ++n) always &= is_so(function, n);
  EXPECT_EQ(always, is_true.value_or(proved));
}

TEST(Reach, AllElementsByTheirOwnAxes) {
  expect_reach("N", "for i in 0..N { C[i] += 1.0", true);
  expect_reach("N, M", "for j in 0..M { for i in 0..N { C[i, j] += 1.0", true);
  expect_reach("1, N", "for i in 0..N { C[0, i] += 1.0", true);
  expect_reach("N", "for i in 0..N / 2 { C[i] += 1.0", false);
  expect_reach("N + 1", "for i in 0..N { C[i + 1] += 1.0", false);
  expect_reach("N, N", "for i in 0..N { C[i, i] += 1.0", false);
}

TEST(Reach, AllElementsByTiles) {
  expect_reach(
      "N", "for a in 0..(N + 3) / 4 { for b in 0..4 { if (a*4 + b < N) { C[a*4 + b] += 1.0", true);
  expect_reach("N*M", "for a in 0..N { for b in 0..M { C[a*M + b] += 1.0", true);
  expect_reach("24", "for a in 0..3 { for b in 0..2 { for c in 0..4 { C[a*8 + b*4 + c] += 1.0",
               true);
  expect_reach("8", "for a in 0..2 { for b in 0..3 { C[a*4 + b] += 1.0", false);
  expect_reach("7", "for a in 0..4 { for b in 0..4 { C[a + b] += 1.0", true);
  expect_reach("N + 3", "for a in 0..N { for b in 0..4 { C[a + b] += 1.0", false);
  expect_reach("4", "for a in 0..1 { for b in 0..4 { C[a*32 + b] += 1.0", true);
  expect_reach("4", "for a in 0..1 { for b in 0..3 { C[a*32 + b] += 1.0", false);
  expect_reach("36", "for a in 0..2 { for b in 0..4 { C[a*32 + b] += 1.0", false);
}

TEST(Reach, AllElementsByFusedAxes) {
  expect_reach("N, M", "for f in 0..N*M { C[f / M, f % M] += 1.0", true);
  expect_reach("N, 4", "for f in 0..N*4 { C[f / 4, f % 4] += 1.0", true);
  expect_reach("N, 4", "for f in 0..N*3 { C[f / 4, f % 4] += 1.0", false);
  expect_reach("N, 4",
               "for f in 0..(N*4 + 6) / 7 { for g in 0..7 { if (f*7 + g < N*4) { "
               "C[(f*7 + g) / 4, (f*7 + g) % 4] += 1.0",
               true);
  expect_reach("4", "for f in 0..9 { C[f % 4] += 1.0", true);
  expect_reach("4", "for f in 0..3 { C[f % 4] += 1.0", false);
  expect_reach("4", "for f in 0..N { C[f % 4] += 1.0", false);
}

TEST(Reach, AllElementsByThreeFusedAxes) {
  expect_reach("N, M, 2", "for f in 0..N*M*2 { C[f / 2 / M, f / 2 % M, f % 2] += 1.0", true);
  expect_reach("N, M, 2", "for f in 0..N*(M*2) { C[f / (M*2), f % (M*2) / 2, f % 2] += 1.0", true);
  expect_reach("N, 3, 2", "for f in 0..N*6 { C[f / 6, f / 2 % 3, f % 2] += 1.0", true);
  expect_reach("N, 3, 2", "for f in 0..N*5 { C[f / 6, f / 2 % 3, f % 2] += 1.0", false);
  expect_reach("N, 2", "for f in 0..N*6 { C[f / 6, f % 2] += 1.0", true);
}

TEST(Reach, NoMoreThanIsKnownOfComputedIndices) {
  expect_reach("2", "for i in 0..N { C[i*i % 2] += 1.0", false);
  expect_reach("N", "for i in 0..N { for j in 0..2 { C[i*j] += 1.0", false, true);
  expect_reach("4", "for i in 0..4 { C[3 - i] += 1.0", false, true);
}

TEST(Reach, NothingBehindOtherGuards) {
  expect_reach("N", "for i in 0..N { if (i < 5) { C[i] += 1.0", false);
  expect_reach("N", "for i in 0..N { for j in 0..2 { if (j < 1) { C[i] += 1.0", false, true);
  expect_reach("N", "for i in 0..N + 5 { if (i < N) { C[i] += 1.0", true);
}

}  // namespace reach_test
}  // namespace hone
