#include <gtest/gtest.h>

#include "ir/algebra/simplify.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

namespace hone {
namespace simplify_stmt_test {

/// `body` in a function over M, N and A: i32[M], simplified; and printed.
std::string simplified(const std::string& body) {
  const Function function = parse_function("func f[M, N](A: i32[M]) {\n" + body + "\n}");
  const Stmt result = simplify(function.body);
  EXPECT_TRUE(simplify(result).same_as(result));
  return to_string(result);
}

void expect_kept(const std::string& body) {
  const Function function = parse_function("func f[M, N](A: i32[M]) {\n" + body + "\n}");
  EXPECT_TRUE(simplify(function.body).same_as(function.body)) << to_string(function.body);
}

TEST(SimplifyStmt, KnowsTheLoopsAround) {
  EXPECT_EQ(simplified("for i in 0..3 { for j in 0..4 { A[(i*4 + j) / 4] += A[(i*4 + j) % 4] } }"),
            "for i in 0..3 {\n"
            "  for j in 0..4 {\n"
            "    A[i] += A[j]\n"
            "  }\n"
            "}");
}

TEST(SimplifyStmt, ForgetsALoopBehindIt) {
  EXPECT_EQ(simplified("for i in 0..M { A[i] = 0 }\nif (M > 0) { A[0] = 1 }"),
            "for i in 0..M {\n"
            "  A[i] = 0i32\n"
            "}\n"
            "if (M > 0) {\n"
            "  A[0] = 1i32\n"
            "}");
}

TEST(SimplifyStmt, DropsAGuardThatAlwaysHolds) {
  EXPECT_EQ(simplified("for i in 0..8 { for j in 0..4 { if (i*4 + j < 32) { A[i*4 + j] = 1 } } }"),
            "for i in 0..8 {\n"
            "  for j in 0..4 {\n"
            "    A[i*4 + j] = 1i32\n"
            "  }\n"
            "}");
}

TEST(SimplifyStmt, KeepsAGuardThatIsOpenAndKnowsItInside) {
  EXPECT_EQ(simplified("for i in 0..8 { if (i < M && i < 9) { if (i <= M) { A[i] = 1 } } }"),
            "for i in 0..8 {\n"
            "  if (i < M) {\n"
            "    A[i] = 1i32\n"
            "  }\n"
            "}");
}

TEST(SimplifyStmt, DropsWhatNeverRuns) {
  EXPECT_EQ(simplified("for i in 0..0 { A[i] = 1 }\nA[0] = 2"), "A[0] = 2i32");
  EXPECT_EQ(simplified("for i in 0..4 { if (i > 4) { A[i] = 1 } }\nA[0] = 2"), "A[0] = 2i32");
  EXPECT_EQ(simplified("for i in 0..M - M {\nalloc B: i32[4] @shared\nB[0] = 1\n}\nA[0] = 2"),
            "A[0] = 2i32");
  EXPECT_EQ(simplified("if (1 > 2) { A[0] = 1 }"), "");
}

TEST(SimplifyStmt, DropsABlockThatBecomesEmpty) {
  EXPECT_EQ(simplified("A[0] = 2\nfor j in 0..4 {\nalloc B: i32[4] @shared\nlet x = j*2\n"
                       "for i in 0..0 { B[x] = 1 }\n}"),
            "A[0] = 2i32");
}

TEST(SimplifyStmt, KeepsALoopOfExtent1) { expect_kept("for i in 0..1 { A[i] = 1 }"); }

TEST(SimplifyStmt, DoesNotRememberAConditionOnMemory) {
  expect_kept("if (A[0] < 3) {\nA[0] = 5\nif (A[0] < 3) { A[0] = 1 }\n}");
  expect_kept(
      "for i in 0..M {\nlet x = index(A[0])\nA[0] = 5\n"
      "if (x == index(A[0])) { A[0] = 1 }\n}");
}

TEST(SimplifyStmt, KnowsLets) {
  EXPECT_EQ(simplified("for i in 0..8 { for j in 0..4 {\nlet x = j + i*3 + i\n"
                       "if (x < 32) { A[x % 32] = 1 }\n} }"),
            "for i in 0..8 {\n"
            "  for j in 0..4 {\n"
            "    let x = j + i*4\n"
            "    A[x] = 1i32\n"
            "  }\n"
            "}");
}

TEST(SimplifyStmt, SimplifiesRegionsAndExtents) {
  EXPECT_EQ(simplified("for i in 0..(M + 0) / 1 {\nalloc B: i32[8] @shared\n"
                       "copy B[0 .. +4*2] <- A[i*4*2 .. +8]\n}"),
            "for i in 0..M {\n"
            "  alloc B: i32[8] @shared\n"
            "  copy B[0 .. +8] <- A[i*8 .. +8]\n"
            "}");
}

TEST(SimplifyStmt, KeepsTheNodesOfWhatDoesNotChange) {
  expect_kept(
      "for i in 0..(M + 31) / 32 { for j in 0..32 { if (i*32 + j < M) {\n"
      "A[i*32 + j] = A[M - i*32 - j - 1] + 0\n} } }");
}

/// The loop `before` counts as simple, and is changed: unrolled, or with a guard i < 4 as well.
std::string simplified_again(const std::string& before, bool is_guarded) {
  const Function function = parse_function("func f[M, N](A: i32[M]) {\n" + before + "\n}");
  const auto& loop = *llvm::cast<For>(function.body);
  const Expr i = AxisRef::make(loop.axis);
  const Stmt body = is_guarded ? If::make(i < 4, loop.body) : loop.body;
  const Stmt changed = For::make(loop.axis, loop.extent, {Binding::Kind::unroll}, body);
  return to_string(simplify(changed, {}, function.body));
}

TEST(SimplifyStmt, LeavesAloneWhatIsSimpleAlready) {
  EXPECT_EQ(simplified_again("for i in 0..8 { A[i % 4 + 0] = 1 }", false),
            "for i in 0..8 @unroll {\n"
            "  A[i % 4 + 0] = 1i32\n"
            "}");
}

TEST(SimplifyStmt, LooksAgainWhereMoreIsKnown) {
  EXPECT_EQ(simplified_again("for i in 0..8 { A[i % 4 + 0] = 1 }", true),
            "for i in 0..8 @unroll {\n"
            "  if (i < 4) {\n"
            "    A[i] = 1i32\n"
            "  }\n"
            "}");
}

}  // namespace simplify_stmt_test
}  // namespace hone
