#include <gtest/gtest.h>

#include "fmt/format.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"
#include "ir/verify/verifier.h"

namespace hone {
namespace parse_error_test {

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
            "3:11: expected '=', '+=', '*=', 'min=', 'max=', 'and=', 'or=' or a declared operator, "
            "found '=='\n"
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
  EXPECT_EQ(body_error("A[i ? 0] = 1"), "unexpected character '?'");
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
  EXPECT_EQ(
      body_error("A[i, 0] - 3"),
      "expected '=', '+=', '*=', 'min=', 'max=', 'and=', 'or=' or a declared operator, found '-'");
  EXPECT_EQ(body_error("for 3 in 0..4 { }"), "expected the name of an axis, found '3'");
  EXPECT_EQ(body_error("for j in 1..4 { }"), "expected '0', where every loop starts, found '1'");
  EXPECT_EQ(body_error("copy A[i, 0] = A[i, 0]"), "expected '<-', found '='");
  EXPECT_EQ(body_error("copy 3"), "expected a tensor, found '3'");
  EXPECT_EQ(body_error("copy A[i .. 8, 0] <- A[i, 0]"), "expected '+', found '8'");
  EXPECT_EQ(body_error("alloc T: f32[8]"),
            "expected '@global', '@shared' or '@registers', found '}'");
  EXPECT_EQ(body_error("alloc T: f32[8] @local"),
            "expected 'global', 'shared' or 'registers', found 'local'");
  EXPECT_EQ(body_error("alloc T: f32[8] @order(x) @shared"), "expected an integer, found 'x'");
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
            "unknown binding '@block'; there are @block.x, .y and .z, @cluster.x, @thread.x, .y "
            "and .z, @lane, @warp, @warpgroup, @parallel, @unroll, @unroll(n), @vectorize and "
            "@roles(warps)");
  EXPECT_EQ(body_error("for j in 0..4 @unroll(0) { }"),
            "@unroll(0) makes no copies; @unroll unrolls in full");
  EXPECT_EQ(body_error("alloc T: float[8] @shared"),
            "'float' is no type of elements; there are bool, f64, f32, f16, bf16, tf32, f8e4m3, "
            "f8e5m2, i64, i32, i8 and u8");
  EXPECT_EQ(body_error("alloc T: index[8] @shared"),
            "'index' is no type of elements; there are bool, f64, f32, f16, bf16, tf32, f8e4m3, "
            "f8e5m2, i64, i32, i8 and u8");
  EXPECT_EQ(body_error("A[i, 0] = sinh(A[i, 0])"),
            "unknown function 'sinh'; there are min, max, select, exp, log, sqrt, rsqrt, sin, cos, "
            "tanh, tanh_approx, erf, abs, floor, ceil, round, pow, fma, shuffle_down, "
            "shuffle_exchange and the types");
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
            "'f33' is no type of a number; there are f64, f32, f16, bf16, tf32, f8e4m3, "
            "f8e5m2, i64, i32, i8 and u8");
  EXPECT_EQ(body_error("A[i, 0] = 1bool"),
            "'bool' is no type of a number; there are f64, f32, f16, bf16, tf32, f8e4m3, "
            "f8e5m2, i64, i32, i8 and u8");
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

TEST(ParseError, RefusesLayoutsThatDoNotFitTheTensor) {
  EXPECT_EQ(body_error("alloc T: f32[8, 8] @order(1, 1) @shared"),
            "the layout of T: its order (1, 1) does not name each of 2 dimensions once");
  EXPECT_EQ(body_error("alloc T: f32[8, 8] @order(0) @shared"),
            "the layout of T: its order (0) does not name each of 2 dimensions once");
  EXPECT_EQ(body_error("alloc T: f32[] @pad(4) @shared"), "the layout of T: it has no dimensions");
  EXPECT_EQ(body_error("alloc T: f32[8, 8] @pitch(i) @shared"),
            "the layout of T: the pitch i is not made of params and constants");
  EXPECT_EQ(body_error("alloc T: f32[8, 8] @swizzle(4, 2, 1) @registers"),
            "the layout of T: a swizzle is for shared memory");
  EXPECT_EQ(error_of("func f(A: f32[8] @pad(1) @pitch(9)) { }"),
            "1:8: the layout of A: it has both a pitch and a padding\n"
            "  func f(A: f32[8] @pad(1) @pitch(9)) { }\n"
            "         ^");
}

TEST(ParseError, CountsTheNumbersOfALayout) {
  EXPECT_EQ(body_error("alloc T: f32[8, 8] @pad(4, 4) @shared"), "@pad takes 1 integers, found 2");
  EXPECT_EQ(body_error("alloc T: f32[8, 8] @swizzle(4) @shared"),
            "@swizzle takes 3 integers, found 1");
  EXPECT_EQ(body_error("alloc T: f32[8, 8] @swizzle(4, 2, 1, 1) @shared"),
            "@swizzle takes 3 integers, found 4");
  EXPECT_EQ(body_error("alloc T: f32[8, 8] @swizzle(4, 2, 1 ^ 0) @shared"),
            "@swizzle takes 4 integers, found 3");
  EXPECT_EQ(body_error("alloc T: f32[8, 8] @order(1/x, 0) @shared"),
            "expected an integer, found 'x'");
  EXPECT_EQ(body_error("alloc T: f32[8, 8] @order(1/4, 0) @shared"),
            "the layout of T: its order (1/4, 0) does not have each part of the index of "
            "dimension 1 once");
  EXPECT_EQ(body_error("alloc T: f32[8, 8] @pad(M) @shared"), "expected an integer, found 'M'");
  EXPECT_EQ(body_error("alloc T: f32[8] @shared(x)"), "expected an address in bytes, found 'x'");
}

TEST(ParseError, TellsHowACopyGoesOn) {
  EXPECT_EQ(body_error("copy A[i, 0] <- A[i, 0] fill A[i, 0]"), "the fill of a copy is a constant");
  EXPECT_EQ(body_error("copy A[i, 0] <- A[i, 0] fill }"), "expected an expression, found '}'");
  EXPECT_EQ(body_error("copy A[i, 0] <- A[i, 0] @order(1)"),
            "expected 'vector', 'async', 'bulk' or 'by', found 'order'");
  EXPECT_EQ(body_error("copy A[i, 0] <- A[i, 0] @vector(M)"),
            "expected how many elements move together, found 'M'");
  EXPECT_EQ(body_error("copy A[i .. +2 by 0, 0] <- A[i .. +2, 0]"), "a stride is 1 or more");
  EXPECT_EQ(body_error("copy A[i .. +2 by M, 0] <- A[i .. +2, 0]"), "expected a stride, found 'M'");
}

TEST(ParseError, RefusesAssumptionsAboutWhatIsNotInScope) {
  EXPECT_EQ(error_of("func f[M]() where N % 4 == 0 { }"),
            "1:19: unknown axis or param 'N'; in scope: M\n"
            "  func f[M]() where N % 4 == 0 { }\n"
            "                    ^");
}

TEST(ParseError, GivesAPlaceToWhatTheBuildersRefuse) {
  EXPECT_EQ(error_of("func f(A: f32[8], h: f16[]) {\n  A[0] = A[1] * h[]\n}"),
            "2:15: product of A[1] (f32) and h[] (f16); use cast\n"
            "    A[0] = A[1] * h[]\n"
            "                ^");
  EXPECT_EQ(body_error("A[i] = 1"), "A has 2 dimensions and is written with 1 index");
  EXPECT_EQ(body_error("A[i, 0] = A[i]"), "A has 2 dimensions and is read with 1 index");
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

}  // namespace parse_error_test
}  // namespace hone
