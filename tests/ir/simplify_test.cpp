#include "ir/algebra/simplify.h"

#include <gtest/gtest.h>

#include "ir/text/printer.h"
#include "tests/support/ir/index_scope.h"

namespace hone {
namespace simplify_test {

using Around = std::vector<std::string>;

/// Simplifies `text` where `around` stands around it, and checks the laws: the value stays, for all
/// sizes up to 5, and a second run changes nothing.
std::string simplified(const Around& around, const std::string& text) {
  const IndexScope scope(around, {text});
  const Expr result = simplify(scope[0], scope.facts());
  EXPECT_TRUE(simplify(result, scope.facts()).same_as(result))
      << text << " -> " << to_string(result);
  scope.for_each_assignment(5, [&](const Assignment& values) {
    const auto value = value_of(scope[0], values);
    if (!value) return;
    ASSERT_EQ(value_of(result, values), value) << text << " -> " << to_string(result);
  });
  return to_string(result);
}

/// `text` stays as it is, and its node too.
void expect_kept(const Around& around, const std::string& text) {
  const IndexScope scope(around, {text});
  EXPECT_TRUE(simplify(scope[0], scope.facts()).same_as(scope[0]))
      << text << " -> " << to_string(simplify(scope[0], scope.facts()));
}

// An i of 0..3 and a j of 0..4: one loop of 12, split.
const Around tiles = {"for i in 0..3", "for j in 0..4"};

TEST(SimplifySum, CollectsLikeTermsInOrderOfFirstAppearance) {
  EXPECT_EQ(simplified(tiles, "j + i + j"), "j*2 + i");
  EXPECT_EQ(simplified(tiles, "i + j - i"), "j");
  EXPECT_EQ(simplified(tiles, "i - i"), "0");
  EXPECT_EQ(simplified(tiles, "1 + i + 2"), "i + 3");
  EXPECT_EQ(simplified({"for i in 0..N"}, "N*i + 3 + i*N"), "N*i*2 + 3");
}

TEST(SimplifySum, DistributesAConstant) {
  EXPECT_EQ(simplified(tiles, "(i*32 + j)*8 + M"), "i*256 + j*8 + M");
  EXPECT_EQ(simplified(tiles, "2*(i - 3)"), "i*2 - 6");
  EXPECT_EQ(simplified(tiles, "4*i"), "i*4");
}

TEST(SimplifySum, KeepsAProductWithAnUnknownFactored) {
  expect_kept(tiles, "(i*32 + j)*K + M");
  expect_kept(tiles, "i*32*K + j");
  expect_kept(tiles, "(i + 1)*(j + 2)");
  EXPECT_EQ(simplified(tiles, "(i*32 + j + j)*K"), "(i*32 + j*2)*K");
  EXPECT_EQ(simplified(tiles, "(i*K)*8 + i*K"), "i*K*9");
}

TEST(SimplifySum, PrintsDifferencesAsTheyAreWritten) {
  expect_kept(tiles, "N - i*4 - 1");
  expect_kept(tiles, "5 - i");
  EXPECT_EQ(simplified(tiles, "i - j*1 - 1"), "i - j - 1");
  EXPECT_EQ(simplified(tiles, "M + j*-1"), "M - j");
  EXPECT_EQ(simplified(tiles, "-j + i"), "i - j");
  EXPECT_EQ(simplified(tiles, "0 - i - j*2"), "-i - j*2");
  EXPECT_EQ(simplified(tiles, "i - 4 + 1"), "i - 3");
  EXPECT_EQ(simplified(tiles, "0 - 1"), "-1");
}

TEST(SimplifySum, DropsZerosAndOnes) {
  EXPECT_EQ(simplified(tiles, "i*1 + 0"), "i");
  EXPECT_EQ(simplified(tiles, "(M + 0) / 1"), "M");
  EXPECT_EQ(simplified(tiles, "M*0 + N % 1 + 0 / N"), "0");
}

TEST(SimplifySum, LeavesWhatDoesNotFitInto64Bits) {
  expect_kept(tiles, "9223372036854775807 + 1");
  expect_kept(tiles, "(i + 9223372036854775807) + 9");
  expect_kept(tiles, "i*4611686018427387904*4");
}

TEST(SimplifyDivision, OfMultiplesOfTheLeastInteger) {
  const Around two = {"for i in 0..2"};
  EXPECT_EQ(simplified(two, "(i*-9223372036854775808 + 50) % 64"), "i*-9223372036854775808 + 50");
  EXPECT_EQ(simplified(two, "(50 - i*-9223372036854775808) / 3"),
            "(50 - i*-9223372036854775808) / 3");
  EXPECT_EQ(simplified(two, "(i*6 - 9223372036854775807 - 1) / 3"), "i*2 - 3074457345618258603");
}

TEST(SimplifyDivision, TakesASplitLoopApart) {
  EXPECT_EQ(simplified(tiles, "(i*4 + j) / 4"), "i");
  EXPECT_EQ(simplified(tiles, "(i*4 + j) % 4"), "j");
  EXPECT_EQ(simplified(tiles, "(j + i*4) / 4"), "i");
  EXPECT_EQ(simplified(tiles, "(i*8 + j*2 + 1) / 8"), "i");
  EXPECT_EQ(simplified(tiles, "(i*8 + j*2 + 1) % 8"), "j*2 + 1");
}

TEST(SimplifyDivision, TakesOutWhatTheDivisorDivides) {
  EXPECT_EQ(simplified({"for i in 0..3", "for j in 0..9"}, "(i*8 + j) / 4"), "i*2 + j / 4");
  EXPECT_EQ(simplified({"for i in 0..3", "for j in 0..9"}, "(i*8 + j) % 4"), "j % 4");
  EXPECT_EQ(simplified({}, "(M*4 + 33) / 4"), "M + 8");
  EXPECT_EQ(simplified({}, "(M*8 + N + 33) / 4"), "M*2 + (N + 1) / 4 + 8");
  EXPECT_EQ(simplified({}, "(M*8) % 4"), "0");
  EXPECT_EQ(simplified({}, "(M*32 + 31) / 32"), "M");
}

TEST(SimplifyDivision, KeepsTheDividendFromBecomingNegative) {
  expect_kept(tiles, "(i*4 - j) / 4");
  expect_kept(tiles, "(i*4 - j) % 4");
  expect_kept({}, "(M - 1) / 32");
  expect_kept({}, "(M*4 - N) / 4");
  expect_kept({"let x = M - N"}, "(M*4 + x) / 4");
}

TEST(SimplifyDivision, RemovesANegativeConstantWhereNoDivisionStays) {
  EXPECT_EQ(simplified({"for i in 0..3"}, "(i*4 + 3) / 4"), "i");
  EXPECT_EQ(simplified({"for i in 0..3"}, "(i*4 - 1) / 4"), "i - 1");
  EXPECT_EQ(simplified({"for i in 0..3"}, "(i*4 - 1) % 4"), "3");
}

TEST(SimplifyDivision, JoinsNestedQuotients) {
  EXPECT_EQ(simplified({}, "(M / 4) / 8"), "M / 32");
  EXPECT_EQ(simplified({}, "(N*8 + M / 4) / 8"), "N + M / 32");
  EXPECT_EQ(simplified({}, "(M + 3) / 4 / 8"), "(M + 3) / 32");
  expect_kept({}, "M / N / P");
  expect_kept({}, "M / 4611686018427387904 / 4");
}

TEST(SimplifyDivision, JoinsNestedRemainders) {
  EXPECT_EQ(simplified({}, "(M % 32) % 4"), "M % 4");
  EXPECT_EQ(simplified({}, "(M % 32 + N) % 4"), "(M + N) % 4");
  EXPECT_EQ(simplified({}, "(M % 16 * 4) % 32"), "M*4 % 32");
  EXPECT_EQ(simplified({}, "(M % (N*4)) % N"), "M % N");
  expect_kept({}, "(M % 6) % 4");
  expect_kept({}, "(N - M % 32) % 4");
  expect_kept({}, "M % 32 / 4");
  EXPECT_EQ(simplified({"for i in 0..9", "for j in 0..4"}, "(i*4 + j) % 32 / 8"), "i / 2 % 4");
}

TEST(SimplifyDivision, CancelsACommonFactor) {
  EXPECT_EQ(simplified({}, "(M*8 + N*4) / 16"), "(M*2 + N) / 4");
  EXPECT_EQ(simplified({"for i in 0..9", "for j in 0..4"}, "(i*4 + j) / 8"), "i / 2");
  EXPECT_EQ(simplified({"for i in 0..9", "for j in 0..N"}, "(i*N + j) / (N*3)"), "i / 3");
  EXPECT_EQ(simplified({"for i in 0..3", "for j in 0..4"}, "(i*16 + j*4 + 3) / 32"), "i / 2");
  expect_kept({"for i in 0..9", "for j in 0..5"}, "(i*4 + j) / 8");
  expect_kept({"for i in 0..9", "for j in 0..4"}, "(i*4 + j) % 8");
}

TEST(SimplifyDivision, KeepsCeilings) {
  expect_kept({}, "(M + 31) / 32");
  expect_kept({"for i in 0..(M + 31) / 32"}, "i / 2");
  EXPECT_EQ(simplified({}, "(M + 63) / 32"), "(M + 31) / 32 + 1");
}

/// x < (K + 7) / 8 says the same as x*8 < K.
TEST(SimplifyDivision, ComparesCeilings) {
  const Around loops = {"for x in 0..P", "for y in 0..8"};
  const auto inside = [&](const std::string& guard) {
    Around around = loops;
    around.push_back(guard);
    return simplified(around, "select(x < (K + 7) / 8, 1, 0)");
  };
  EXPECT_EQ(inside("if (x*8 + y < K)"), "1");
  EXPECT_EQ(inside("if (x*8 < K)"), "1");
  EXPECT_EQ(inside("if (x*8 + y <= K)"), "select(x < (K + 7) / 8, 1, 0)");
}

TEST(SimplifyDivision, DividesBySymbolicSizes) {
  const Around loops = {"for x in 0..M", "for y in 0..N"};
  EXPECT_EQ(simplified(loops, "(x*N + y) / N"), "x");
  EXPECT_EQ(simplified(loops, "(x*N + y) % N"), "y");
  EXPECT_EQ(simplified(loops, "(x*N + y) / N % M"), "x");
  EXPECT_EQ(simplified(loops, "(x*M + y) / M"), "x + y / M");
  EXPECT_EQ(simplified(loops, "(x*(N + 1) + y) / (N + 1)"), "x");
  EXPECT_EQ(simplified(loops, "M*N / N"), "M");
  EXPECT_EQ(simplified(loops, "M % M + N / N"), "1");
  EXPECT_EQ(simplified(loops, "(x*N + y + 1) / N"), "x + (y + 1) / N");
}

TEST(SimplifyDivision, TakesThreeFusedLoopsApart) {
  const Around loops = {"for x in 0..M", "for y in 0..N", "for z in 0..P"};
  const std::string fused = "((x*N + y)*P + z)";
  EXPECT_EQ(simplified(loops, fused + " / P / N"), "x");
  EXPECT_EQ(simplified(loops, fused + " / (N*P)"), "x");
  EXPECT_EQ(simplified(loops, fused + " / P % N"), "y");
  EXPECT_EQ(simplified(loops, fused + " % (N*P) / P"), "y");
  EXPECT_EQ(simplified(loops, fused + " % P"), "z");
}

TEST(SimplifyDivision, PutsQuotientAndRemainderTogether) {
  EXPECT_EQ(simplified({"for f in 0..M*N"}, "(f / N)*N + f % N"), "f");
  EXPECT_EQ(simplified({}, "M % 4 + M / 4 * 4"), "M");
  EXPECT_EQ(simplified({}, "(M / 4)*8 + (M % 4)*2 + 1"), "M*2 + 1");
  EXPECT_EQ(simplified({}, "((M / 4)*4 + M % 4)*K"), "M*K");
  EXPECT_EQ(simplified({}, "M / 4 * 4 * K + M % 4 * K"), "M*K");
  EXPECT_EQ(simplified({}, "(M + 3) / 4 * 4 + (M + 3) % 4"), "M + 3");
  expect_kept({}, "M / 4 * 4 + M % 8");
  expect_kept({}, "M / 4 * 8 + M % 4");
}

TEST(SimplifyDivision, PutsMixedRadixDigitsTogether) {
  EXPECT_EQ(simplified({"for f in 0..M*N*P"}, "f / P / N * (N*P) + f / P % N * P + f % P"), "f");
  EXPECT_EQ(simplified({}, "M / 12 * 12 + M / 4 % 3 * 4 + M % 4"), "M");
  EXPECT_EQ(simplified({}, "M / 4 % 3 * 4 + M % 4"), "M % 12");
  EXPECT_EQ(simplified({}, "M / 12 * 12 + M / 4 % 3 * 4"), "(M / 4)*4");
}

TEST(SimplifyDivision, UsesAnAssumedRemainder) {
  EXPECT_EQ(simplified({"if (M % 4 == 0)"}, "M % 4 + 1"), "1");
}

TEST(SimplifyChoice, IsDecidedByRanges) {
  EXPECT_EQ(simplified(tiles, "min(i*4 + j, 11)"), "i*4 + j");
  EXPECT_EQ(simplified(tiles, "max(i*4 + j, 11)"), "11");
  EXPECT_EQ(simplified(tiles, "min(min(M, 4), 8)"), "min(M, 4)");
  EXPECT_EQ(simplified({"for i in 0..M"}, "min(i, M)"), "i");
  EXPECT_EQ(simplified({}, "max(M, 0) + min(N, N)"), "M + N");
  expect_kept({"for i in 0..(M + 31) / 32"}, "min(32, M - i*32)");
}

TEST(SimplifyCondition, IsDecidedByRanges) {
  EXPECT_EQ(simplified(tiles, "i*4 + j < 12"), "true");
  EXPECT_EQ(simplified(tiles, "i*4 + j >= 12"), "false");
  EXPECT_EQ(simplified(tiles, "i == 3"), "false");
  EXPECT_EQ(simplified(tiles, "i*4 + j != 12"), "true");
  EXPECT_EQ(simplified({}, "M >= 0"), "true");
  EXPECT_EQ(simplified({"for i in 0..M"}, "i < M"), "true");
  EXPECT_EQ(simplified({"for i in 0..M"}, "M > 0"), "true");
  EXPECT_EQ(simplified({"for f in 0..M*N"}, "f / N < M"), "true");
  EXPECT_EQ(simplified({"for i in 0..(M + 31) / 32"}, "i*32 < M"), "true");
}

/// A thread's row of a tile: no more than 15 is f / 16, and not 15.9.
TEST(SimplifyCondition, TakesQuotientsAsWholeNumbers) {
  const Around threads = {"for i in 0..M", "for f in 0..256", "for c in 0..8"};
  EXPECT_EQ(simplified(threads, "i*128 + (f/16)*8 + c < M*128"), "true");
  EXPECT_EQ(simplified(threads, "i*128 - (f/16)*8 + 120 >= 0"), "true");
  expect_kept(threads, "i*128 + (f / 16)*8 + c < M*128 - 1");
  expect_kept({"for i in 0..M", "for f in 0..257", "for c in 0..8"},
              "i*128 + (f / 16)*8 + c < M*128");
}

TEST(SimplifyCondition, StaysReadableWhereItIsOpen) {
  expect_kept(tiles, "i*4 + j < M");
  expect_kept({"for i in 0..(M + 31) / 32", "for j in 0..32"}, "i*32 + j < M");
  expect_kept({}, "M > 0");
  EXPECT_EQ(simplified(tiles, "i*2 + i*2 + j < M + 0"), "i*4 + j < M");
}

TEST(SimplifyCondition, UsesTheGuardsAroundIt) {
  const Around guarded = {"for i in 0..(M + 31) / 32", "for j in 0..32", "if (i*32 + j < M)"};
  EXPECT_EQ(simplified(guarded, "i*32 + j < M"), "true");
  EXPECT_EQ(simplified(guarded, "i*32 + j < M + 1"), "true");
  EXPECT_EQ(simplified(guarded, "i*32 + j >= M"), "false");
  EXPECT_EQ(simplified(guarded, "M > i*32 + j"), "true");
  EXPECT_EQ(simplified({"for i in 0..8", "if (i != 3)"}, "i == 3"), "false");
  expect_kept(guarded, "i*32 + j + 1 < M");
}

TEST(SimplifyCondition, FoldsLogic) {
  EXPECT_EQ(simplified(tiles, "M > 0 && i < 3"), "M > 0");
  EXPECT_EQ(simplified(tiles, "i < 3 && M > 0"), "M > 0");
  EXPECT_EQ(simplified(tiles, "i > 3 && M > 0"), "false");
  EXPECT_EQ(simplified(tiles, "M > 0 || i < 3"), "true");
  EXPECT_EQ(simplified(tiles, "M > 0 || i > 3"), "M > 0");
  EXPECT_EQ(simplified({}, "!(M < N)"), "M >= N");
  EXPECT_EQ(simplified({}, "!!(M < N)"), "M < N");
  EXPECT_EQ(simplified({}, "!(M == N)"), "M != N");
  EXPECT_EQ(simplified({}, "M < N && M < N"), "M < N");
  EXPECT_EQ(simplified({}, "M < N && M < N + 2"), "M < N");
  EXPECT_EQ(simplified({}, "M < N || M >= N"), "true");
  expect_kept({}, "A[0] < 3 && A[0] < 3 + A[1]");
}

TEST(SimplifyCondition, UsesTheConditionInsideASelect) {
  EXPECT_EQ(simplified({}, "select(M < 4, M / 4, M)"), "select(M < 4, 0, M)");
  EXPECT_EQ(simplified({}, "select(M >= 4, M, min(M, 4))"), "M");
  EXPECT_EQ(simplified(tiles, "select(i < 3, M, N)"), "M");
  EXPECT_EQ(simplified({}, "select(M < 4, N + 0, N)"), "N");
}

TEST(SimplifyValue, LeavesOtherTypesAsWritten) {
  expect_kept({}, "A[0]*1 + 0*A[1]");
  expect_kept({}, "A[0] - A[0]");
  EXPECT_EQ(simplified(tiles, "A[i*4 + j + 0] + 0"), "A[i*4 + j] + 0i32");
  expect_kept({}, "!(f32(A[0]) < 1.0)");
  EXPECT_EQ(simplified({}, "!(A[0] < 1)"), "A[0] >= 1i32");
}

TEST(SimplifyLet, KnowsTheValueOfALet) {
  const Around let = {"for i in 0..3", "for j in 0..4", "let x = i*4 + j"};
  EXPECT_EQ(simplified(let, "x < 12"), "true");
  EXPECT_EQ(simplified(let, "x % 12"), "x");
  EXPECT_EQ(simplified({"for i in 0..M", "let x = i"}, "x < M"), "true");
  EXPECT_EQ(simplified({"for i in 0..M", "let x = M - i - 1"}, "x % M"), "x");
}

TEST(SimplifyValue, OrdersNothingByAddress) {
  // Axes that share a name but are different loops stay apart.
  const Expr first = AxisRef::make(make_axis("i", AxisKind::spatial));
  const Expr second = AxisRef::make(make_axis("i", AxisKind::spatial));
  EXPECT_EQ(to_string(simplify(first - second)), "i - i");
  EXPECT_EQ(to_string(simplify(first - first)), "0");
}

/// k + 2 < K / 16 leaves room for a whole tile of 16 behind the next two.
TEST(Proves, KnowsTheDividendOfABoundedQuotient) {
  const Expr K = ParamRef::make(make_param("K")), k = AxisRef::make(make_variable());
  Facts facts;
  facts.assume(k + 2 < K / 16);
  EXPECT_TRUE(proves(k * 16 + 47 < K, facts));
  EXPECT_FALSE(proves(k * 16 + 48 < K, facts));
}

TEST(Proves, SaysTrueOnlyForWhatHolds) {
  const IndexScope scope({"for i in 0..M"}, {"i < M", "i < N", "i >= 0 && i <= M - 1"});
  EXPECT_TRUE(proves(scope[0], scope.facts()));
  EXPECT_FALSE(proves(scope[1], scope.facts()));
  EXPECT_TRUE(proves(scope[2], scope.facts()));
}

}  // namespace simplify_test
}  // namespace hone
