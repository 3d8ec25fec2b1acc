#include "ir/parser.h"

#include <gtest/gtest.h>

#include "fmt/format.h"
#include "ir/equal.h"
#include "ir/printer.h"
#include "ir/verifier.h"

namespace hone {
namespace {

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

TEST(RoundTrip, ReservesFewWords) {
  expect_canonical(R"(func copy[for, min, index](let: f32[for], alloc: f32[], exp: f32[]) {
  for if in 0..for @unroll {
    let in = if*min + index
    let[in] = exp[] + exp(exp[])
    alloc[] min= let[if]
    copy let[if .. +8] <- let[if .. +8]
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

// ---- What is refused ---------------------------------------------------------------------------

std::string error_of(const std::string& text) {
  try {
    return "accepted: " + to_string(parse_function(text));
  } catch (const ParseError& error) {
    return error.what();
  }
}

/// The first line of the error, in a body where A, b, i and M are in scope, without the place.
std::string body_error(const std::string& body) {
  const std::string head = "func f[M](A: f32[M, 8], b: bool[], u: u8[]) { for i in 0..M {\n";
  const std::string error = error_of(head + body + "\n} }");
  return llvm::StringRef(error).split('\n').first.split(": ").second.str();
}

TEST(ParseError, PointsAtThePlace) {
  EXPECT_EQ(error_of("func f(A: f32[8]) {\n  // here\n\tA[1 , 2] == 3\n}"),
            "3:11: expected '=', '+=', '*=', 'min=', 'max=', 'and=' or 'or=', found '=='\n"
            "   A[1 , 2] == 3\n"
            "            ^");
  EXPECT_EQ(error_of("func f(\n\n"),
            "1:8: expected the name of a tensor, found the end of the text\n"
            "  func f(\n"
            "         ^");
  EXPECT_EQ(error_of(""), "1:1: expected 'func', found the end of the text\n  \n  ^");
}

TEST(ParseError, CutsALongLineAroundThePlace) {
  const std::string blanks(200, ' ');
  EXPECT_EQ(error_of(blanks + "func ?" + blanks),
            "1:206: unexpected character '?'\n  " + std::string(65, ' ') + "func ?" +
                std::string(25, ' ') + "\n  " + std::string(70, ' ') + "^");
}

TEST(ParseError, NamesACharacterThatStartsNoToken) {
  EXPECT_EQ(body_error("A[i; 0] = 1"), "unexpected character ';'");
  EXPECT_EQ(body_error("A[i, \xff] = 1"), "unexpected byte 0xff");
  EXPECT_EQ(body_error("A[i, 0] = 1.5.2"), "unexpected character '.'");
}

TEST(ParseError, ListsWhatIsInScopeForAnUnknownName) {
  EXPECT_EQ(body_error("let j = i A[q, j] = 1"), "unknown axis or param 'q'; in scope: i, j, M");
  EXPECT_EQ(body_error("Z[i] = 1"), "unknown tensor 'Z'; in scope: A, b, u");
  EXPECT_EQ(body_error("copy Z[i] <- A[i, 0]"), "unknown tensor 'Z'; in scope: A, b, u");
  EXPECT_EQ(body_error("A[i, 0] = Z[]"), "unknown tensor 'Z'; in scope: A, b, u");
  EXPECT_EQ(error_of("func f() { if (q) { } }"),
            "1:16: unknown axis or param 'q'; in scope: nothing\n"
            "  func f() { if (q) { } }\n"
            "                 ^");
}

TEST(ParseError, EndsAScopeWithItsBlock) {
  EXPECT_EQ(body_error("if (b[]) { let j = 0 } A[j, 0] = 1"),
            "unknown axis or param 'j'; in scope: i, M");
  EXPECT_EQ(body_error("if (b[]) { alloc T: f32[] @shared } T[] = 1"),
            "unknown tensor 'T'; in scope: A, b, u");
  EXPECT_EQ(body_error("for j in 0..j { }"), "unknown axis or param 'j'; in scope: i, M");
  EXPECT_EQ(body_error("let j = j"), "unknown axis or param 'j'; in scope: i, M");
}

TEST(ParseError, TellsATensorFromAnAxis) {
  EXPECT_EQ(body_error("A[A, 0] = 1"), "A is a tensor; its elements are A[...]");
}

TEST(ParseError, TellsWhatWasExpected) {
  EXPECT_EQ(body_error("A[i, 0] = "), "expected an expression, found '}'");
  EXPECT_EQ(body_error("A[i, 0 = 1"), "expected ']', found '='");
  EXPECT_EQ(body_error("if b[] { }"), "expected '(', found 'b'");
  EXPECT_EQ(body_error("i = 3"), "expected a statement, found 'i'");
  EXPECT_EQ(body_error("3"), "expected a statement, found '3'");
  EXPECT_EQ(body_error("A[i, 0] - 3"),
            "expected '=', '+=', '*=', 'min=', 'max=', 'and=' or 'or=', found '-'");
  EXPECT_EQ(body_error("for 3 in 0..4 { }"), "expected the name of an axis, found '3'");
  EXPECT_EQ(body_error("for j in 1..4 { }"), "expected '0', where every loop starts, found '1'");
  EXPECT_EQ(body_error("copy A[i, 0] = A[i, 0]"), "expected '<-', found '='");
  EXPECT_EQ(body_error("copy 3"), "expected a tensor, found '3'");
  EXPECT_EQ(body_error("copy A[i .. 8, 0] <- A[i, 0]"), "expected '+', found '8'");
  EXPECT_EQ(body_error("alloc T: f32[8]"),
            "expected '@global', '@shared' or '@registers', found '}'");
  EXPECT_EQ(body_error("alloc T: f32[8] @local"),
            "expected 'global', 'shared' or 'registers', found 'local'");
  EXPECT_EQ(body_error("alloc T: f32[8] @order(x) @shared"), "expected a dimension, found 'x'");
  EXPECT_EQ(body_error("alloc T: 8 @shared"), "expected a type, found '8'");
  EXPECT_EQ(body_error("for j in 0..4 @ { }"), "expected a binding, found '{'");
  EXPECT_EQ(body_error("for j in 0..4 @unroll(j) { }"), "expected how often to unroll, found 'j'");
  EXPECT_EQ(error_of("func f() { } func g() { }"),
            "1:14: expected the end of the text, found 'func'\n"
            "  func f() { } func g() { }\n"
            "               ^");
}

TEST(ParseError, ListsBindingsTypesAndFunctions) {
  EXPECT_EQ(body_error("for j in 0..4 @block { }"),
            "unknown binding '@block'; there are @block.x, .y and .z, @thread.x, .y and .z, "
            "@parallel, @unroll and @unroll(n)");
  EXPECT_EQ(body_error("for j in 0..4 @unroll(0) { }"),
            "@unroll(0) makes no copies; @unroll unrolls in full");
  EXPECT_EQ(body_error("alloc T: float[8] @shared"),
            "'float' is no type of elements; there are f64, f32, f16, bf16, i64, i32, i8, u8 and "
            "bool");
  EXPECT_EQ(body_error("alloc T: index[8] @shared"),
            "'index' is no type of elements; there are f64, f32, f16, bf16, i64, i32, i8, u8 and "
            "bool");
  EXPECT_EQ(body_error("A[i, 0] = sin(A[i, 0])"),
            "unknown function 'sin'; there are min, max, select, exp, log, sqrt, rsqrt, tanh, erf, "
            "abs, pow, fma and the types");
}

TEST(ParseError, CountsArguments) {
  EXPECT_EQ(body_error("A[i, 0] = exp(A[i, 0], 1.0)"), "exp takes 1 argument, found 2");
  EXPECT_EQ(body_error("A[i, 0] = min(A[i, 0])"), "min takes 2 arguments, found 1");
  EXPECT_EQ(body_error("A[i, 0] = select(b[])"), "select takes 3 arguments, found 1");
  EXPECT_EQ(body_error("A[i, 0] = f32()"), "f32 takes 1 argument, found 0");
  EXPECT_EQ(body_error("A[i, 0] = fma()"), "fma takes 3 arguments, found 0");
}

TEST(ParseError, ChecksNumbers) {
  EXPECT_EQ(body_error("u[] = 256u8"), "256 does not fit u8");
  EXPECT_EQ(body_error("u[] = -1u8"), "-1 does not fit u8");
  EXPECT_EQ(body_error("u[] = 1.5u8"), "1.5 does not fit u8");
  EXPECT_EQ(body_error("let j = 9223372036854775808"), "9223372036854775808 does not fit index");
  EXPECT_EQ(body_error("A[i, 0] = 1e39"), "1e39 does not fit f32");
  EXPECT_EQ(body_error("A[i, 0] = -1e999"), "-1e999 does not fit f32");
  EXPECT_EQ(body_error("A[i, 0] = 1.0f33"),
            "'f33' is no type of a number; there are f64, f32, f16, bf16, i64, i32, i8 and u8");
  EXPECT_EQ(body_error("A[i, 0] = 1bool"),
            "'bool' is no type of a number; there are f64, f32, f16, bf16, i64, i32, i8 and u8");
}

TEST(ParseError, RefusesReservedNames) {
  EXPECT_EQ(body_error("for thread.x in 0..4 { }"),
            "'thread.x' is reserved; it cannot be the name of an axis");
  EXPECT_EQ(body_error("let true = 4"), "'true' is reserved; it cannot be the name of an axis");
  EXPECT_EQ(body_error("alloc nan: f32[] @shared"),
            "'nan' is reserved; it cannot be the name of a tensor");
  EXPECT_EQ(error_of("func f[inf_f16]() { }").substr(0, 66),
            "1:8: 'inf_f16' is reserved; it cannot be the name of a param\n  fun");
}

TEST(ParseError, RefusesALayoutThatIsNoPermutation) {
  EXPECT_EQ(body_error("alloc T: f32[8, 8] @order(1, 1) @shared"),
            "the order does not name each of 2 dimensions once");
  EXPECT_EQ(body_error("alloc T: f32[8, 8] @order(0) @shared"),
            "the order does not name each of 2 dimensions once");
}

TEST(ParseError, GivesAPlaceToWhatTheBuildersRefuse) {
  EXPECT_EQ(error_of("func f(A: f32[8], h: f16[]) {\n  A[0] = A[1] * h[]\n}"),
            "2:15: product of A[1] (f32) and h[] (f16); use cast\n"
            "    A[0] = A[1] * h[]\n"
            "                ^");
  EXPECT_EQ(body_error("A[i] = 1"), "A has 2 dimensions and is written with 1 indices");
  EXPECT_EQ(body_error("A[i, 0] = A[i]"), "A has 2 dimensions and is read with 1 indices");
  EXPECT_EQ(body_error("A[i, 0] = A[1.5, 0]"),
            "1.5 is an index of A and has type f32; use cast(index, ...)");
  EXPECT_EQ(body_error("copy A[i] <- A[i, 0]"), "A has 2 dimensions and is copied with 1 ranges");
  EXPECT_EQ(body_error("b[] = -b[]"), "b[] has type bool, which '-' does not take");
  EXPECT_EQ(body_error("b[] = !i"), "i has type index, which '!' does not take");
}

// ---- Depth -------------------------------------------------------------------------------------

std::string repeat(const std::string& text, int count) {
  std::string result;
  for (int n = 0; n < count; ++n) result += text;
  return result;
}

TEST(ParseError, RefusesExpressionsThatNestTooDeep) {
  const std::string message = "the expression nests deeper than 1000 levels";
  const std::string minus = "let j = " + repeat("-", 100000) + "i";
  EXPECT_EQ(body_error(minus), message);
  EXPECT_EQ(body_error("let j = " + repeat("(", 100000)), message);
  EXPECT_EQ(body_error("let j = " + repeat("min(", 100000)), message);
  EXPECT_EQ(body_error("let j = i" + repeat(" + i", 100000)), message);
  const std::string sums = repeat("(", 900) + "i" + repeat(" + i", 900) + repeat(" + i)", 900);
  EXPECT_EQ(body_error("let j = " + sums), message);
}

TEST(ParseError, RefusesBlocksThatNestTooDeep) {
  const std::string message = "blocks nest deeper than 1000 levels";
  EXPECT_EQ(body_error(repeat("if (b[]) {", 100000)), message);
  EXPECT_EQ(body_error(repeat("let j = i ", 100000)), message);
}

TEST(Parse, TakesWhatNestsLessDeep) {
  const std::string sum = "M" + repeat(" + M", 999);
  const std::string text = fmt::format("func f[M](b: bool[]) {{ {} let j = {} {} }}",
                                       repeat("if (b[]) {", 998), sum, repeat("}", 998));
  const Function function = parse_function(text);
  EXPECT_TRUE(equal(parse_function(to_string(function)), function));
  EXPECT_EQ(hash(function.body), hash(parse_function(text).body));
  EXPECT_EQ(verify(function), std::nullopt);
}

}  // namespace
}  // namespace hone
