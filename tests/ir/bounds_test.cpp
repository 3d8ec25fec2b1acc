#include <gtest/gtest.h>

#include "ir/algebra/polynomial.h"
#include "ir/text/printer.h"
#include "tests/support/ir/index_scope.h"

namespace hone {
namespace bounds_test {

using Around = std::vector<std::string>;

std::string text_of(const std::optional<Polynomial>& bound) {
  return bound ? to_string(bound->to_expr()) : "none";
}

/// "low .. high" of `text`.
std::string bounds(const Around& around, const std::string& text) {
  const IndexScope scope(around, {text});
  const Polynomial value = Polynomial::of(scope[0]);
  return text_of(lower_bound(value, scope.facts())) + " .. " +
         text_of(upper_bound(value, scope.facts()));
}

/// True where text >= 0 is proved. A proof has to hold for all sizes up to 5.
bool non_negative(const Around& around, const std::string& text) {
  const IndexScope scope(around, {text});
  const bool proved = proves_non_negative(Polynomial::of(scope[0]), scope.facts());
  if (proved)
    scope.for_each_assignment(5, [&](const Assignment& values) {
      EXPECT_GE(value_of(scope[0], values).value_or(0), 0) << text;
    });
  return proved;
}

const Around tile = {"for i in 0..4", "for j in 0..32"};
const Around matrix = {"for i in 0..M", "for j in 0..N"};

TEST(Bounds, TakeAxesToTheirEnds) {
  EXPECT_EQ(bounds(tile, "i*32 + j"), "0 .. 127");
  EXPECT_EQ(bounds(tile, "j - i*2 + 7"), "1 .. 38");
  EXPECT_EQ(bounds(matrix, "i*N + j"), "0 .. M*N - 1");
  EXPECT_EQ(bounds(matrix, "M - i"), "1 .. M");
  EXPECT_EQ(bounds({"for i in 0..(M + 31) / 32"}, "i*32"), "0 .. ((M + 31) / 32)*32 - 32");
}

TEST(Bounds, KeepParamsAndUnboundedAxes) {
  const IndexScope scope({"for i in 0..M", "for j in 0..N"}, {"i*32 + j + M"});
  Facts inner;
  inner.add_axis(AxisPtr(scope.axis("j")), Expr(8));
  const Polynomial value = Polynomial::of(scope[0]);
  EXPECT_EQ(text_of(lower_bound(value, inner)), "i*32 + M");
  EXPECT_EQ(text_of(upper_bound(value, inner)), "i*32 + M + 7");
}

TEST(Bounds, TakeBitsApart) {
  const Around blocks = {"for b in 0..M", "for t in 0..32"};
  EXPECT_EQ(bounds(blocks, "b*32 + t ^ 3"), "0 .. M*32 - 1");
  EXPECT_EQ(bounds(blocks, "b*32 + t & 12"), "0 .. 12");
  EXPECT_EQ(bounds(blocks, "b & 12"), "0 .. 12");
  EXPECT_EQ(bounds(blocks, "b*64 + t*2 >> 1"), "0 .. M*32 - 1");
  EXPECT_EQ(bounds(blocks, "b*8 + t << 2"), "0 .. M*32 + 92");
  EXPECT_EQ(bounds(blocks, "b*32 + t ^ 32"), "none .. none");
  EXPECT_EQ(bounds(blocks, "b ^ M"), "none .. none");
}

TEST(Bounds, FollowPowersAndProducts) {
  EXPECT_EQ(bounds(tile, "i*i + i*j"), "0 .. 102");
  EXPECT_EQ(bounds(tile, "0 - i*i"), "-9 .. 0");
  EXPECT_EQ(bounds(tile, "i*i - i*3"), "none .. none");
}

TEST(Bounds, NeedTheSignOfAFactor) {
  EXPECT_EQ(bounds(matrix, "i*(M - 1)"), "0 .. M*M - M*2 + 1");
  EXPECT_EQ(bounds(matrix, "i*(K - 1)"), "none .. none");
}

TEST(Bounds, OfQuotientsAndRemainders) {
  EXPECT_EQ(bounds(tile, "(i*32 + j) / 8"), "0 .. 15");
  EXPECT_EQ(bounds(tile, "(i*32 + j) % 8"), "0 .. 7");
  EXPECT_EQ(bounds(tile, "i % 8"), "0 .. 3");
  EXPECT_EQ(bounds(matrix, "i % N"), "0 .. N - 1");
  EXPECT_EQ(bounds({"for i in 0..M*8"}, "i / 8"), "0 .. M - 1");
  EXPECT_EQ(bounds({"for i in 0..4"}, "(M + i) / 4"), "M / 4 .. (M + 3) / 4");
}

TEST(Bounds, OfAQuotientAreDefinedForAnExtentOf0) {
  EXPECT_EQ(bounds(matrix, "i / 4"), "0 .. (M + 3) / 4 - 1");
}

TEST(Bounds, OfMinMaxAndSelect) {
  EXPECT_EQ(bounds(tile, "min(i, j)"), "0 .. 3");
  EXPECT_EQ(bounds(tile, "max(i, j)"), "0 .. 31");
  EXPECT_EQ(bounds(matrix, "min(i, j) + 1"), "1 .. min(M - 1, N - 1) + 1");
  EXPECT_EQ(bounds(tile, "select(i < j, i, j + 1)"), "0 .. 32");
}

TEST(Bounds, FollowLets) {
  EXPECT_EQ(bounds({"for i in 0..4", "let x = i*8 + 1"}, "x + i"), "1 .. 28");
}

TEST(Bounds, SayNothingAboutALoad) {
  const IndexScope scope({"for i in 0..4"}, {"index(A[i])"});
  EXPECT_EQ(text_of(upper_bound(Polynomial::of(scope[0]), scope.facts())), "none");
}

TEST(Proof, KnowsThatParamsAreNotNegative) {
  EXPECT_TRUE(non_negative({}, "M*N + K"));
  EXPECT_FALSE(non_negative({}, "M - 1"));
  EXPECT_FALSE(non_negative({}, "M - N"));
}

TEST(Proof, KnowsThatALoopAroundItHasAnIteration) {
  EXPECT_TRUE(non_negative({"for i in 0..M"}, "M - 1"));
  EXPECT_TRUE(non_negative(matrix, "M*N - 1"));
  EXPECT_TRUE(non_negative({"for i in 0..(M + 31) / 32"}, "M - 1"));
  EXPECT_TRUE(non_negative({"for i in 0..(M + 31) / 32"}, "(M + 31) / 32 - 1"));
  EXPECT_TRUE(non_negative({"for i in 0..min(M, N)"}, "M + N - 2"));
  EXPECT_FALSE(non_negative({"for i in 0..M + 1"}, "M - 1"));
}

TEST(Proof, TakesAxesToTheirEnds) {
  EXPECT_TRUE(non_negative(matrix, "N - 1 - j"));
  EXPECT_TRUE(non_negative(matrix, "M*N - 1 - i*N - j"));
  EXPECT_FALSE(non_negative(matrix, "M*N - 2 - i*N - j"));
  EXPECT_TRUE(non_negative({"for i in 0..M", "for j in 0..N", "for k in 0..K"},
                           "M*N*K - 1 - (i*N + j)*K - k"));
  EXPECT_TRUE(non_negative({"for i in 0..(M + 31) / 32"}, "M - 1 - i*32"));
  EXPECT_FALSE(non_negative({"for i in 0..(M + 31) / 32", "for j in 0..32"}, "M - 1 - i*32 - j"));
}

TEST(Proof, TakesQuotientsApart) {
  EXPECT_TRUE(non_negative({"for f in 0..M*N"}, "M - 1 - f / N"));
  EXPECT_TRUE(non_negative({"for f in 0..M*N"}, "N - 1 - f % N"));
  EXPECT_TRUE(non_negative({"for f in 0..M*4"}, "M - 1 - f / 4"));
  EXPECT_TRUE(non_negative({}, "M - M / 4 * 4"));
  EXPECT_TRUE(non_negative({}, "M / 4 * 4 + 3 - M"));
  EXPECT_TRUE(non_negative({}, "M - M / N * N"));
  EXPECT_TRUE(non_negative({}, "M - M % N"));
  EXPECT_TRUE(non_negative({}, "(M + 3) / 4 * 4 - M"));
  EXPECT_FALSE(non_negative({}, "M / 4 * 4 - M"));
}

/// (M / 4)*8 iterations are eight for each whole number of fours: f / 8 is no fraction above that.
TEST(Proof, TakesAQuotientAtItsLargest) {
  EXPECT_TRUE(non_negative({"for f in 0..(M / 4)*8"}, "M / 4 - 1 - f / 8"));
  EXPECT_TRUE(non_negative({"for f in 0..(M / 4)*8"}, "M - 4 - (f / 8)*4"));
  EXPECT_TRUE(non_negative({"for f in 0..(M / 4)*8", "for j in 0..4"}, "M - 1 - (f / 8)*4 - j"));
  EXPECT_FALSE(non_negative({"for f in 0..(M / 4)*8", "for j in 0..5"}, "M - 1 - (f / 8)*4 - j"));
  EXPECT_FALSE(non_negative({"for f in 0..(M / 4)*8 + 1"}, "M - 4 - (f / 8)*4"));
}

TEST(Proof, TakesChoicesApart) {
  EXPECT_TRUE(non_negative({}, "max(M - N, 0)"));
  EXPECT_TRUE(non_negative({}, "M - min(M, N)"));
  EXPECT_TRUE(non_negative({}, "min(M + N, N + 1) - N"));
  EXPECT_TRUE(non_negative({}, "max(M, N) - N"));
  EXPECT_TRUE(non_negative({}, "select(M < N, M + 1, N + 1) - 1"));
  EXPECT_FALSE(non_negative({}, "min(M, N) - M"));
}

TEST(Proof, UsesConditions) {
  const Around guarded = {"for i in 0..(M + 31) / 32", "for j in 0..32", "if (i*32 + j < M)"};
  EXPECT_TRUE(non_negative(guarded, "M - 1 - i*32 - j"));
  EXPECT_TRUE(non_negative(guarded, "M - i*32 - j"));
  EXPECT_TRUE(non_negative(guarded, "M*2 - 2 - i*64 - j*2"));
  EXPECT_FALSE(non_negative(guarded, "M - 2 - i*32 - j"));
  EXPECT_TRUE(non_negative({"for i in 0..M", "if (i >= 4)"}, "i - 3"));
  EXPECT_TRUE(non_negative({"if (M == 4)"}, "4 - M"));
  EXPECT_TRUE(non_negative({"if (M >= 3 && N > M)"}, "N - 4"));
  EXPECT_TRUE(non_negative({"if (!(M < N))"}, "M - N"));
  EXPECT_TRUE(non_negative({"for i in 0..8", "for j in 0..4", "if (i <= j)"}, "3 - i"));
}

TEST(Proof, MultipliesAConditionByASize) {
  const Around guarded = {"for i in 0..8", "for j in 0..4", "for k in 0..K", "if (i*4 + j < M)"};
  EXPECT_TRUE(non_negative(guarded, "M*K - 1 - (i*4 + j)*K - k"));
}

TEST(Proof, DoesNotUseAConditionOnMemory) {
  EXPECT_FALSE(non_negative({"if (index(A[0]) < M)"}, "M - 1 - index(A[0])"));
}

}  // namespace bounds_test
}  // namespace hone
