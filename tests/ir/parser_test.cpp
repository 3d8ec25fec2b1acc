#include "ir/text/parser.h"

#include <gtest/gtest.h>

#include "fmt/format.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"
#include "ir/verify/verifier.h"

namespace hone {
namespace parser_test {

// ---- What is read ------------------------------------------------------------------------------

/// `text` is canonical: it prints as it stands, and so does what it is read as.
void expect_canonical(const std::string& text) {
  const Function function = parse_function(text);
  EXPECT_EQ(to_string(function), text);
  EXPECT_TRUE(equal(parse_function(to_string(function)), function)) << text;
}

TEST(RoundTrip, KeepsAWholeProgram) {
  expect_canonical(
      R"(func matmul[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) @may_alias {
  alloc T: f32[M, 8] @global
  for i.0 in 0..(M + 31) / 32 @block.y {
    for j.0 in 0..(N + 31) / 32 @block.x {
      for i.1 in 0..32 @thread.y {
        if (i.0*32 + i.1 < M && !(N == 3)) {
          alloc C.reg: f32[8, 8] @registers
          C[i.0*32 + i.1, j.0] = 0.0
          reduce k in 0..K @unroll(4) {
            C[i.0*32 + i.1, j.0] += A[i.0*32 + i.1, k] * B[k, j.0]
          }
          copy C[i.0*8 .. +8, j.0] <- C.reg[0 .. +8, 3]
        }
      }
    }
  }
})");
}

TEST(RoundTrip, KeepsEveryStatement) {
  expect_canonical(
      R"(func f[M](A: f16[M, M, 2] @order(2, 0, 1), b: bool[M], n: i32[], x: u8[M], y: f64[M]) {
  alloc s: f32[] @registers
  alloc T: f32[8, 8] @order(1, 0) @shared
  s[] = -inf
  for i in 0..M @parallel {
    let i.1.init = (i + 1)*2 % M
    b[i] and= true
    b[i] or= !b[i.1.init] && i != 3 || false
    s[] max= f32(A[i, 0, 1])
    s[] min= exp(s[]) * pow(s[], 1.5e-10)
    s[] *= fma(s[], s[], -1.0)
    n[] += select(i < 3, 3i32, -n[])
    x[i] = 255u8
    y[i] = 0.1f64 + inf_f64
  }
  for j in 0..8 @unroll {
    T[j, thread.x] = 0.0
    if (j <= 4) {
    }
    copy T[0 .. +4, j] <- T[block.z .. +(M + 4), 0]
  }
  barrier
  copy s[] <- s[]
})");
}

TEST(RoundTrip, KeepsEveryIntrinsicAndCast) {
  expect_canonical(R"(func f(x: f32[8], h: f16[], c: i64[], u: i8[], w: bf16[]) {
  x[0] = exp(log(sqrt(rsqrt(tanh(erf(abs(x[0])))))))
  x[1] = pow(x[0], 2.0) + fma(x[0], x[1], nan)
  h[] = f16(x[0]) / 65504.0f16
  w[] = bf16(f64(x[0])) - -inf_bf16
  c[] = abs(i64(u[])) % -5i64
  u[] = min(i8(index(x[2])), -128i8)
  x[index(u[])] = max(x[0], -0.0)
})");
}

TEST(RoundTrip, KeepsLayouts) {
  expect_canonical(
      R"(func f[M, ld](A: f32[M, 8] @pitch(ld), B: f16[M, 8] @order(1, 0) @pitch(M + ld*2)) {
  alloc T: f32[8, 16] @order(1, 0) @pad(4) @shared
  alloc U: f32[8, 16] @pitch(24) @swizzle(2, 8, 4) @shared(1024)
  alloc V: f16[16] @pad(2) @shared(0)
  alloc W: f32[8, 16] @pad(4) @swizzle(4, 4, 1) @shared
  alloc X: f32[8, 16] @order(1/8, 0, 1/2%4, 1%2) @swizzle(1, 4, 2, 2 ^ 1) @shared
})");
}

TEST(RoundTrip, KeepsWhatCallersPromise) {
  expect_canonical(R"(func f[M, K](A: f32[M, K]) @may_alias where K % 4 == 0, M <= K && M > 0 {
})");
  expect_canonical("func f[M](A: f32[M]) where M != 3 {\n}");
}

TEST(RoundTrip, KeepsLaunchBounds) {
  expect_canonical(R"(func f[M](A: f32[M], S: f32[]) {
  reduce i in 0..M @block.x @resident(2) combine(atomic) {
    for j in 0..M @block.y @resident(16) {
      S[] += A[i]
    }
  }
})");
}

TEST(RoundTrip, KeepsFillsVectorsAndStridesOfCopies) {
  expect_canonical(R"(func f[M](A: f32[M], B: i8[M], C: bool[M]) {
  alloc T: f32[8] @shared
  alloc U: i8[8] @registers
  alloc V: bool[8] @registers
  copy T[0 .. +8] <- A[0 .. +8] fill -inf
  copy T[0 .. +8] <- A[M - 8 .. +8] fill 1.5 @vector(4)
  copy T[0 .. +4 by 2] <- A[3 .. +4 by 32] @vector(2)
  copy U[0 .. +8] <- B[0 .. +8] fill -1i8
  copy V[0 .. +8] <- C[0 .. +8] fill true
})");
}

TEST(RoundTrip, KeepsVectorLoops) {
  expect_canonical(R"(func f(A: f32[32], C: f32[32]) {
  for i in 0..8 {
    for v in 0..4 @vectorize {
      C[i*4 + v] = A[i*4 + v]
    }
  }
})");
}

TEST(RoundTrip, KeepsAFillOfZeroUnsaid) {
  EXPECT_EQ(to_string(parse_function("func f(A: f32[8], C: f32[8]) {"
                                     " copy C[0 .. +8] <- A[0 .. +8] fill 0.0 }")),
            "func f(A: f32[8], C: f32[8]) {\n  copy C[0 .. +8] <- A[0 .. +8]\n}");
}

TEST(RoundTrip, ReservesFewWords) {
  expect_canonical(R"(func copy[for, min, index](let: f32[for], alloc: f32[], exp: f32[]) {
  for if in 0..for @unroll {
    let in = if*min + index
    let[in] = exp[] + exp(exp[])
    alloc[] min= let[if]
    copy let[if .. +8] <- let[if .. +8]
  }
})");
  expect_canonical(
      R"(func where[by, vector](fill: f32[by], pad: f32[by] @pitch(vector)) where by > 1 {
  for order in 0..by {
    copy fill[order .. +by by 2] <- pad[order .. +by]
    fill[order] = 1.0
    copy fill[order] <- pad[order] fill 3.0
    pad[order] = 1.0
  }
})");
}

std::string canonical(const std::string& text) { return to_string(parse_function(text)); }

TEST(Parse, TakesAnyLayoutOfTheTextAndComments) {
  EXPECT_EQ(canonical("// a comment\nfunc f[M](A:f32[M]){for i in 0..M@block.x{A[i]=0 A[i]+=1}}//"),
            R"(func f[M](A: f32[M]) {
  for i in 0..M @block.x {
    A[i] = 0.0
    A[i] += 1.0
  }
})");
}

/// The expression of type f32 or index as it prints when it is read as the value of a store.
std::string reread(const std::string& expr) {
  const Function function = parse_function(fmt::format(
      "func f[M, N](A: f32[], n: i32[], h: f16[], b: bool[]) {{ let x = M if ({}) {{ }} }}", expr));
  const auto* let = llvm::cast<Let>(function.body);
  return to_string(llvm::cast<If>(let->body)->condition);
}

TEST(Parse, GivesALiteralTheTypeOfTheOtherOperand) {
  EXPECT_EQ(reread("A[] < 1"), "A[] < 1.0");
  EXPECT_EQ(reread("3 == n[]"), "3i32 == n[]");
  EXPECT_EQ(reread("h[] < 1.5"), "h[] < 1.5f16");
  EXPECT_EQ(reread("min(2, A[]) > fma(A[], 2, 1)"), "min(2.0, A[]) > fma(A[], 2.0, 1.0)");
  EXPECT_EQ(reread("x < 1"), "x < 1");
}

TEST(Parse, FollowsThePrecedencesOfC) {
  EXPECT_EQ(reread("(M*(N)) + ((1)) < ((M))"), "M*N + 1 < M");
  EXPECT_EQ(reread("b[] || b[] && M + 1*2 % 3 < 4 == true"),
            "b[] || b[] && M + 1*2 % 3 < 4 == true");
  EXPECT_EQ(reread("((b[] || b[]) && !(b[] == b[]))"), "(b[] || b[]) && !(b[] == b[])");
  EXPECT_EQ(reread("M - N - 1 < M - (N - 1)"), "M - N - 1 < M - (N - 1)");
  EXPECT_EQ(reread("M / 4*3 < M / (4*3)"), "(M / 4)*3 < M / (4*3)");
  EXPECT_EQ(reread("(M + 1 ^ N*2 ^ 3) == 4 && b[]"), "(M + 1 ^ N*2 ^ 3) == 4 && b[]");
  EXPECT_EQ(reread("(M ^ (N ^ 3)) < (4 ^ N)"), "(M ^ (N ^ 3)) < (4 ^ N)");
  EXPECT_EQ(reread("(n[] ^ 3) == (3 ^ n[])"), "(n[] ^ 3i32) == (3i32 ^ n[])");
}

TEST(Parse, FoldsASignIntoANumber) {
  EXPECT_EQ(reread("M-1<-1"), "M - 1 < -1");
  EXPECT_EQ(reread("-(1) < - 1"), "-(1) < -1");
  EXPECT_EQ(reread("--1 < -M"), "-(-1) < -M");
  EXPECT_EQ(reread("n[] < -2147483648i32"), "n[] < -2147483648i32");
  EXPECT_EQ(reread("A[] < -inf"), "A[] < -inf");
  EXPECT_EQ(reread("A[] < -nan"), "A[] < nan");
}

TEST(Parse, RoundsALiteralToItsType) {
  EXPECT_EQ(reread("A[] < 0.1000000000000001"), "A[] < 0.1");
  EXPECT_EQ(reread("A[] < 1e-60"), "A[] < 0.0");
  EXPECT_EQ(reread("h[] < 2049f16"), "h[] < 2048.0f16");
  EXPECT_EQ(reread("A[] < 1E2"), "A[] < 100.0");
}

TEST(Parse, GivesAnAxisTheRootOfItsName) {
  const Function function = parse_function("func f() { for i.0.init in 0..4 { } }");
  const auto* loop = llvm::cast<For>(function.body);
  ASSERT_EQ(loop->axis->roots.size(), 1u);
  EXPECT_EQ(loop->axis->roots[0], "i");
  EXPECT_EQ(loop->axis->kind, AxisKind::spatial);
}

TEST(Parse, RefersToTheLoopAroundTheUse) {
  const Function function =
      parse_function("func f(A: f32[9]) { for i in 0..9 { A[i] = 0 } for i in 0..9 { A[i] = 1 } }");
  for (const Stmt& stmt : llvm::cast<Seq>(function.body)->stmts) {
    const auto* loop = llvm::cast<For>(stmt);
    const auto* store = llvm::cast<Store>(loop->body);
    EXPECT_EQ(llvm::cast<AxisRef>(store->indices[0])->axis, loop->axis);
  }
}

// ---- All small expressions ---------------------------------------------------------------------

using Exprs = std::vector<Expr>;
using UnaryMaker = Expr (*)(Expr);
using BinaryMaker = Expr (*)(Expr, Expr);

/// All trees with at most `depth` nodes on a way down.
Exprs all_trees(const Exprs& leaves, int depth, UnaryMaker unary,
                const std::vector<BinaryMaker>& binaries) {
  if (depth == 1) return leaves;
  const Exprs smaller = all_trees(leaves, depth - 1, unary, binaries);
  Exprs trees = leaves;
  for (const Expr& operand : smaller) trees.push_back(unary(operand));
  for (BinaryMaker binary : binaries)
    for (const Expr& lhs : smaller)
      for (const Expr& rhs : smaller) trees.push_back(binary(lhs, rhs));
  return trees;
}

const AxisPtr i = make_axis("i", AxisKind::spatial);
const ParamPtr M = make_param("M");
const TensorPtr X = make_tensor("X", f32, {ParamRef::make(M)});

/// `statement`, in which i, M and X are in scope, reads back to the same tree; what it prints.
std::string expect_read_back(const Stmt& statement) {
  Function function;
  function.name = "f";
  function.params = {M};
  function.arguments = {X};
  function.body = For::make(i, ParamRef::make(M), {}, statement);
  const std::string text = to_string(function);
  const Function again = parse_function(text);
  EXPECT_TRUE(equal(again, function)) << text;
  EXPECT_EQ(to_string(again), text);
  return text;
}

TEST(RoundTrip, KeepsAllIndexTreesOfDepthThree) {
  const Exprs leaves = {AxisRef::make(i), 2, IntConst::make(-1)};
  const Exprs trees =
      all_trees(leaves, 3, [](Expr x) { return -x; },
                {[](Expr x, Expr y) { return x + y; }, [](Expr x, Expr y) { return x - y; },
                 [](Expr x, Expr y) { return x * y; }, [](Expr x, Expr y) { return x / y; }});
  EXPECT_EQ(trees.size(), 3 + 42 + 4 * 42 * 42u);
  const AxisPtr value = make_axis("value", AxisKind::spatial);
  for (const Expr& tree : trees) expect_read_back(Let::make(value, tree, Seq::make({})));
}

TEST(RoundTrip, KeepsAllBoolTreesOfDepthThree) {
  const Exprs leaves = {AxisRef::make(i) < 2, true};
  const Exprs trees =
      all_trees(leaves, 3, [](Expr x) { return !x; },
                {[](Expr x, Expr y) { return x && y; }, [](Expr x, Expr y) { return x || y; },
                 [](Expr x, Expr y) { return x == y; }});
  EXPECT_EQ(trees.size(), 2 + 16 + 3 * 16 * 16u);
  for (const Expr& tree : trees) expect_read_back(If::make(tree, Seq::make({})));
}

TEST(RoundTrip, KeepsAllFloatTreesOfDepthThree) {
  const Exprs leaves = {Load::make(X, {AxisRef::make(i)}), 1.0, -0.5};
  const Exprs trees =
      all_trees(leaves, 3, [](Expr x) { return -x; },
                {[](Expr x, Expr y) { return x - y; }, [](Expr x, Expr y) { return x * y; },
                 [](Expr x, Expr y) { return min(x, y); }});
  EXPECT_EQ(trees.size(), 3 + 33 + 3 * 33 * 33u);
  for (const Expr& tree : trees)
    expect_read_back(Store::make(X, {AxisRef::make(i)}, Update::set, tree));
}

TEST(RoundTrip, DropsNoParenthesesThatTheTreeNeedsAndKeepsNoOthers) {
  // Without any pair of its parentheses a text must read as another tree, or not at all.
  const Exprs leaves = {AxisRef::make(i), 2};
  const Exprs trees =
      all_trees(leaves, 3, [](Expr x) { return -x; },
                {[](Expr x, Expr y) { return x + y; }, [](Expr x, Expr y) { return x - y; },
                 [](Expr x, Expr y) { return x * y; }});
  for (const Expr& tree : trees) {
    std::string text = to_string(tree);
    const size_t open = text.find('('), close = text.find(')');
    if (open == std::string::npos || text.find('(', open + 1) < close) continue;
    if (open > 0 && text[open - 1] == '-' && text[open + 1] == '-') continue;  // not C's --
    text.erase(close, 1).erase(open, 1);
    const Function bare = parse_function("func f[i]() { let x = " + text + "}");
    EXPECT_NE(to_string(llvm::cast<Let>(bare.body)->value), to_string(tree));
  }
}

}  // namespace parser_test
}  // namespace hone
