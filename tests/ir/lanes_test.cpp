#include "ir/threads/lanes.h"

#include <gtest/gtest.h>

#include "ir/algebra/polynomial.h"
#include "ir/text/printer.h"
#include "tests/support/ir/index_scope.h"

namespace hone {
namespace lanes_test {

using Around = std::vector<std::string>;

/// The condition that four lanes v share in place of `text`, or "differs".
std::string uniform(const std::string& text, const Around& around = {}) {
  Around heads = around;
  heads.insert(heads.end(), {"for i in 0..M", "for v in 0..4"});
  const IndexScope scope(heads, {text});
  const Expr result = uniform_condition(scope[0], {AxisPtr(scope.axis("v")), 4}, scope.facts());
  return result.defined() ? to_string(result) : "differs";
}

TEST(UniformCondition, IsThatOfTheFirstLaneWhereBothSidesAreMultiples) {
  EXPECT_EQ(uniform("i*4 + v < 64"), "i*4 < 64");
  EXPECT_EQ(uniform("64 > i*4 + v"), "64 > i*4");
  EXPECT_EQ(uniform("i*4 + v <= 63"), "i*4 <= 63");
  EXPECT_EQ(uniform("i*4 + v >= 8"), "i*4 >= 8");
  EXPECT_EQ(uniform("0 <= i*4 - 4 + v"), "0 <= i*4 - 4");
  EXPECT_EQ(uniform("i*4 + v > 7"), "i*4 > 7");
}

TEST(UniformCondition, DiffersWhereTheLimitLiesWithinAVector) {
  EXPECT_EQ(uniform("i*4 + v < 62"), "differs");
  EXPECT_EQ(uniform("i*4 + v <= 64"), "differs");
  EXPECT_EQ(uniform("i*4 + v > 8"), "differs");
  EXPECT_EQ(uniform("i*2 + v < 64"), "differs");
  EXPECT_EQ(uniform("i*4 + v*2 < 64"), "differs");
  EXPECT_EQ(uniform("i*4 + v != 8"), "differs");
  EXPECT_EQ(uniform("v == 0"), "differs");
}

TEST(UniformCondition, TakesSizesThatAreKnownToBeMultiples) {
  EXPECT_EQ(uniform("i*4 + v < N"), "differs");
  EXPECT_EQ(uniform("i*4 + v < N", {"if (N % 4 == 0)"}), "i*4 < N");
  EXPECT_EQ(uniform("i*4 + v < N*K", {"if (N % 2 == 0 && K % 2 == 0)"}), "i*4 < N*K");
}

TEST(UniformCondition, OfAConjunctionIsThatOfItsParts) {
  EXPECT_EQ(uniform("i < M && i*4 + v < 64"), "i < M && i*4 < 64");
  EXPECT_EQ(uniform("i*4 + v < 64 || !(i*4 + v < 8)"), "i*4 < 64 || !(i*4 < 8)");
  EXPECT_EQ(uniform("i < M && i*4 + v < 63"), "differs");
}

TEST(UniformCondition, KeepsWhatDoesNotMentionTheLanes) {
  EXPECT_EQ(uniform("i*3 == M && true"), "i*3 == M && true");
}

TEST(UniformCondition, TakesQuotientsApart) {
  EXPECT_EQ(uniform("(i*4 + v) / 16 < M"), "i*4 / 16 < M");
  EXPECT_EQ(uniform("(i*4 + v) % N < 8", {"if (N % 4 == 0 && N > 0)"}), "i*4 % N < 8");
  EXPECT_EQ(uniform("(i*4 + v) / N < M"), "differs");
}

/// Every comparison of these, tried for all small sizes.
TEST(UniformCondition, IsNeverClaimedOfLanesThatDiffer) {
  const Around heads = {"for i in 0..M", "for v in 0..4", "if (N % 4 == 0 && N > 0)"};
  const Around starts = {"i*4", "i", "i*2 + 2", "i*4 + 3", "N*i", "(i*4 + v) / 8*4", "N - 4", "1"};
  const Around limits = {"8", "7", "N", "N + 1", "i*4 + 4", "M", "(i*4 + v) % N"};
  int proofs = 0;
  for (const std::string& start : starts)
    for (const std::string& limit : limits)
      for (const char* comparison : {" < ", " <= ", " > ", " >= ", " == "}) {
        const IndexScope scope(heads, {start + " + v" + comparison + limit});
        const Lanes lanes{AxisPtr(scope.axis("v")), 4};
        const Expr result = uniform_condition(scope[0], lanes, scope.facts());
        if (!result.defined()) continue;
        ++proofs;
        ASSERT_FALSE(mentions(result, lanes.axis.get())) << to_string(result);
        scope.for_each_assignment(8, [&](const Assignment& values) {
          ASSERT_EQ(value_of(result, values), value_of(scope[0], values))
              << to_string(scope[0]) << " as " << to_string(result);
        });
      }
  EXPECT_GT(proofs, 40);
}

// ---- Accesses -----------------------------------------------------------------------------------

TensorPtr matrix(const Expr& rows, const Expr& columns, const Layout& layout = {},
                 Scope scope = Scope::global) {
  return make_tensor("A", f32, {rows, columns}, scope, layout);
}

/// The form of A[row, column] for four lanes v, or why it has none.
std::string form(const TensorPtr& tensor, const std::string& row, const std::string& column,
                 const Around& around = {}) {
  Around heads = around;
  heads.insert(heads.end(), {"for i in 0..M", "for k in 0..M", "for v in 0..4"});
  const IndexScope scope(heads, {row, column});
  const LaneAccess access =
      lane_access(*tensor, {scope[0], scope[1]}, {AxisPtr(scope.axis("v")), 4}, scope.facts());
  if (access.form == LaneAccess::Form::invariant) return "invariant";
  if (access.form == LaneAccess::Form::other)
    return access.reason + (access.note.empty() ? "" : "; " + access.note);
  return "vector at " + to_string(access.first[0]) + ", " + to_string(access.first[1]);
}

TEST(LaneAccess, IsAVectorAlongTheFastestDimension) {
  EXPECT_EQ(form(matrix(8, 64), "i", "k*4 + v"), "vector at i, k*4");
  EXPECT_EQ(form(matrix(8, 64), "i", "v"), "vector at i, 0");
  EXPECT_EQ(form(matrix(64, 8, Layout::column_major()), "v + k*8", "i"), "vector at k*8, i");
  EXPECT_EQ(form(matrix(8, 64), "i*4 + k", "3"), "invariant");
}

TEST(LaneAccess, TakesQuotientsOfVectorsApart) {
  EXPECT_EQ(form(matrix(8, 64), "(i*4 + v) / 64", "(i*4 + v) % 64"),
            "vector at i*4 / 64, i*4 % 64");
  EXPECT_EQ(form(matrix(8, 64), "(i*4 + v) / 62", "(i*4 + v) % 64"),
            "A[(i*4 + v) / 62, (i*4 + v) % 64] does not run along the fastest dimension of A; "
            "what lies side by side in A are the elements along dimension 1");
}

TEST(LaneAccess, RefusesAnotherDirection) {
  EXPECT_EQ(form(matrix(64, 64), "k*4 + v", "i"),
            "A[k*4 + v, i] does not run along the fastest dimension of A; what lies side by side "
            "in A are the elements along dimension 1");
  EXPECT_EQ(form(matrix(64, 64, Layout::column_major()), "i", "k*4 + v"),
            "A[i, k*4 + v] does not run along the fastest dimension of A; what lies side by side "
            "in A are the elements along dimension 0");
  EXPECT_EQ(form(matrix(64, 64), "v", "v"),
            "A[v, v] does not run along the fastest dimension of A; what lies side by side in A "
            "are the elements along dimension 1");
}

TEST(LaneAccess, RefusesAnotherStep) {
  EXPECT_EQ(form(matrix(8, 64), "i", "k*8 + v*2"),
            "A[i, k*8 + v*2] moves by 2 elements from one v to the next");
  EXPECT_EQ(form(matrix(8, 64), "i", "4 - v"),
            "A[i, 4 - v] moves by -1 elements from one v to the next");
  EXPECT_EQ(form(matrix(8, 64), "i", "v*v"), "A[i, v*v] is not linear in v");
  EXPECT_EQ(form(matrix(8, 64), "i", "v*N"), "A[i, v*N] is not linear in v");
  EXPECT_EQ(form(matrix(8, 64), "i", "(k*3 + v) % 8"), "A[i, (k*3 + v) % 8] is not linear in v");
}

TEST(LaneAccess, RefusesAStartBetweenVectors) {
  EXPECT_EQ(form(matrix(8, 64), "i", "k*3 + v"),
            "A[i, k*3 + v] starts at k*3, which is not proved to be a multiple of 4");
  EXPECT_EQ(form(matrix(8, 64), "i", "v + 1"),
            "A[i, v + 1] starts at 1, which is not a multiple of 4");
  EXPECT_EQ(form(matrix(8, 64), "i", "N + v"),
            "A[i, N + v] starts at N, which is not proved to be a multiple of 4; "
            "assume(N % 4 == 0) promises it, and launches check it");
  EXPECT_EQ(form(matrix(8, 64), "i", "N + v", {"if (N % 4 == 0)"}), "vector at i, N");
}

TEST(LaneAccess, RefusesRowsBetweenVectors) {
  const Expr n = ParamRef::make(make_param("N"));
  EXPECT_EQ(form(matrix(8, n), "i", "k*4 + v"),
            "rows of A are N elements apart, which is not proved to be a multiple of 4; "
            "assume(N % 4 == 0) promises it, and launches check it");
  EXPECT_EQ(form(matrix(8, 33), "i", "k*4 + v"),
            "rows of A are 33 elements apart, which is not a multiple of 4");
  EXPECT_EQ(form(matrix(8, 32, Layout().pad(1)), "i", "k*4 + v"),
            "the padding 1 makes the rows of A 33 elements apart, which is not a multiple of 4");
  EXPECT_EQ(form(matrix(8, 32, Layout().pitch(n)), "i", "k*4 + v"),
            "rows of A are N elements apart, which is not proved to be a multiple of 4; "
            "assume(N % 4 == 0) promises it, and launches check it");
  EXPECT_EQ(form(matrix(8, 32, Layout().pad(4)), "i", "k*4 + v"), "vector at i, k*4");
  EXPECT_EQ(form(matrix(1, 33), "0", "k*4 + v"), "vector at 0, k*4");
}

TEST(LaneAccess, KeepsVectorsWithinTheChunksOfASwizzle) {
  const auto swizzled = [](int64_t chunk) {
    return matrix(8, 32, Layout().swizzle({chunk, 4, 1}), Scope::shared);
  };
  EXPECT_EQ(form(swizzled(4), "i", "k*4 + v"), "vector at i, k*4");
  EXPECT_EQ(form(swizzled(8), "i", "k*4 + v"), "vector at i, k*4");
  EXPECT_EQ(form(swizzled(2), "i", "k*4 + v"),
            "the swizzle of A moves chunks of 2 elements, which is not a multiple of 4");
}

TEST(LaneAccess, KeepsVectorsWithinTheDigitsOfAnIndex) {
  const IndexDigit column = 1;
  const auto panels = [&](int64_t width) {
    return Layout::order({column / width, 0, column % width});
  };
  const auto form_in = [](const Layout& layout) {
    return form(matrix(8, 96, layout, Scope::shared), "i", "k*4 + v");
  };
  EXPECT_EQ(form_in(panels(32)), "vector at i, k*4");
  EXPECT_EQ(form_in(panels(12).pad(4)), "vector at i, k*4");
  EXPECT_EQ(form_in(panels(6)),
            "elements of A lie side by side in runs of 6, which is not a multiple of 4");
  EXPECT_EQ(form_in(panels(32).pad(2)),
            "the padding 2 makes the rows of A 34 elements apart, which is not a multiple of 4");
  EXPECT_EQ(form_in(Layout::order({0, column % 4, column / 4})),
            "what lies side by side in A are elements 4 apart along dimension 1");
}

TEST(LaneAccess, KeepsVectorsTogetherUnderASwizzleOfAnotherDigit) {
  const IndexDigit column = 1;
  const auto form_of = [&](const Swizzle& swizzle) {
    const Layout layout = Layout::order({column / 32, 0, column % 32}).swizzle(swizzle);
    return form(matrix(8, 64, layout, Scope::shared), "i", "k*4 + v");
  };
  EXPECT_EQ(form_of({1, 8, 4, 1, 2}), "vector at i, k*4");
  EXPECT_EQ(form_of({1, 8, 1, 1, 0}), "vector at i, k*4");
  EXPECT_EQ(form_of({1, 8, 2, 1, 2}),
            "the swizzle of A is another one every 2 elements, which is not a multiple of 4");
  EXPECT_EQ(form_of({2, 2, 1, 2, 0}),
            "the swizzle of A moves chunks of 2 elements, which is not a multiple of 4");
}

}  // namespace lanes_test
}  // namespace hone
