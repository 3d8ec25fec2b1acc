// Programs that are read from text.
#include "dsl/program.h"
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace program_text_test {

std::string read(llvm::StringRef text) { return to_string(parse_program(text).function()); }

std::string text_of(const Program& program) { return to_string(program.function()); }

std::string error(llvm::StringRef text) {
  return message_of<ParseError>([&] { parse_program(text); });
}

const Param M("M"), N("N"), K("K");
const Axis i("i", M), j("j", N);
const ReduceAxis k("k", K);

TEST(ProgramText, IsReadAsItPrints) {
  const Tensor A("A", f32, {M, K}), B("B", f32, {K, N}), C("C", f32, {M, N});
  const Program matmul("matmul", C(i, j) = sum(k, A(i, k) * B(k, j)));
  EXPECT_EQ(read("matmul(A: f32[M, K], B: f32[K, N]) -> C(i, j) = sum(k, A(i, k) * B(k, j))"),
            text_of(matmul));
  EXPECT_EQ(read("matmul(A: f32[M, K], B: f32[K, N], C: f32[M, N]) ->\n" +
                 matmul.function().history.front() + ";"),
            text_of(matmul));
}

TEST(ProgramText, HasStepsBehindAReduction) {
  const Tensor A("A", f32, {M, K}), B("B", f32, {K, N}), D("D", f32, {M, N}),
      bias("bias", f32, {N}), alpha("alpha", f32, {});
  EXPECT_EQ(
      read("gemm(alpha: f32[], A: f32[M, K], B: f32[K, N], bias: f32[N]) -> "
           "D(i, j) = max(alpha() * sum(k, A(i, k) * B(k, j)) + bias(j), 0.0)"),
      text_of(Program("gemm", D(i, j) = max(alpha() * sum(k, A(i, k) * B(k, j)) + bias(j), 0.0))));
}

TEST(ProgramText, HasSeveralDefinitions) {
  const Tensor X("X", f32, {M, N}), m("m", f32, {M}), e("e", f32, {M, N}), s("s", f32, {M}),
      Y("Y", f32, {M, N});
  const ReduceAxis l("l", N);
  EXPECT_EQ(read(R"(softmax(X: f32[M, N]) ->
                    m(i) = max(l, X(i, l))      // in any order of lines
                    s(i) = sum(l, exp(X(i, l) - m(i)));
                    Y(i, j) = exp(X(i, j) - m(i)) / s(i))"),
            text_of(Program("softmax", m(i) = max(l, X(i, l)), s(i) = sum(l, exp(X(i, l) - m(i))),
                            Y(i, j) = exp(X(i, j) - m(i)) / s(i))));
  EXPECT_EQ(read("both(X: f32[M, N]) -> output(m(i) = max(l, X(i, l))); Y(i, j) = X(i, j) - m(i)"),
            text_of(Program("both", output(m(i) = max(l, X(i, l))), Y(i, j) = X(i, j) - m(i))));
}

TEST(ProgramText, SaysExtentsAndTypesThatNothingElseSays) {
  const Tensor X("X", f32, {N}), Y("Y", f32, {N - 2});
  const Axis x("i", N - 2);
  const ReduceAxis r("r", 3);
  EXPECT_EQ(read("blur(X: f32[N]) -> Y(i): f32[N - 2] = sum(r: 3, X(i + r)) / 3"),
            text_of(Program("blur", Y(x) = sum(r, X(x + r)) / 3)));
  const Tensor Z("Z", f32, {M});
  EXPECT_EQ(read("first(X: f32[N]) -> Z(i): f32[M] = X(i)"),
            text_of(Program("first", Z(i) = X(i))));
  const Tensor data("data", i32, {N}), bins("bins", i32, {M});
  const ReduceAxis n("n", N);
  EXPECT_EQ(read("histogram(data: i32[N]) -> bins(index(data(n))): i32[M] = sum(n, 1i32)"),
            text_of(Program("histogram", bins(data(n)) = sum(n, cast(i32, 1)))));
}

TEST(ProgramText, UpdatesInPlace) {
  const Tensor A("A", f32, {M, K}), x("x", f32, {K}), y("y", f32, {M});
  EXPECT_EQ(read("mv(A: f32[M, K], x: f32[K], y: f32[M]) -> y(i) += sum(k, A(i, k) * x(k))"),
            text_of(Program("mv", y(i) += sum(k, A(i, k) * x(k)))));
}

TEST(ProgramText, HasLayoutsAndTuples) {
  const Param ld("ld");
  const Tensor A("A", f16, {M, K}, Layout().pitch(ld)), best("best", f32_i32, {M});
  EXPECT_EQ(read("largest(A: f16[M, K] @pitch(ld)) -> best(i) = argmax(k, A(i, k))"),
            text_of(Program("largest", best(i) = argmax(k, A(i, k)))));
  const Tensor C("C", f32, {M, N}), B("B", f32, {M, N, K});
  const ReduceAxis l("l", N);
  const Tensor total("total", f32, {M});
  EXPECT_EQ(read("total(B: f32[M, N, K]) -> total(i) = sum({l, k}, B(i, l, k))"),
            text_of(Program("total", total(i) = sum({l, k}, B(i, l, k)))));
}

TEST(ProgramText, TellsTheDefinitionWhoseIndexIsOutside) {
  EXPECT_EQ(error("shift(X: f32[N]) ->\n  Y(i) = X(i);\n  Z(i): f32[N] = Y(i + 1)"),
            "3:3: Y(i + 1): i + 1 goes up to N, and dimension 0 of Y has the extent N; make that "
            "N + 1, or read it under a condition: select(i + 1 < N, Y(i + 1), ...)\n"
            "    Z(i): f32[N] = Y(i + 1)\n"
            "    ^");
  EXPECT_EQ(error("shift(X: f32[N]) -> Y(i): f32[N] = select(i + 1 < N, X(i + 1), 0)"), "no error");
}

TEST(ProgramText, TellsPlacesOfErrors) {
  EXPECT_EQ(error("f(A: f32[N]) -> B(i) = A(q)"),
            "1:26: unknown axis or param 'q'; in scope: N\n  f(A: f32[N]) -> B(i) = A(q)\n"
            "                           ^");
  EXPECT_EQ(error("f(A: f32[N]) -> B(i) = sum(k, A(i + k))"),
            "1:19: nothing says how far i runs: it is no index by itself; say it: sum(i: N, ...), "
            "or C(i): f32[N] = ...\n  f(A: f32[N]) -> B(i) = sum(k, A(i + k))\n"
            "                    ^");
  EXPECT_EQ(error("f(A: f32[M, N]) -> B(i) = A(i, i)"),
            "1:22: i runs to M, and to N as an index of A\n  f(A: f32[M, N]) -> B(i) = A(i, i)\n"
            "                       ^");
  EXPECT_EQ(error("f(A: f32[N]) -> B(i) = sum(k, A(k)) * max(k, A(k))"),
            "1:39: a definition has one reduction\n"
            "  f(A: f32[N]) -> B(i) = sum(k, A(k)) * max(k, A(k))\n"
            "                                        ^");
  EXPECT_EQ(error("f(A: f32[N], A: f32[N]) -> B(i) = A(i)"),
            "1:14: there is a tensor A already\n  f(A: f32[N], A: f32[N]) -> B(i) = A(i)\n"
            "               ^");
  EXPECT_EQ(error("f(A: f32[N]) -> B(0) = A(0)"),
            "1:17: the type and the shape of B are not known; say them: B(...): f32[M, N] = ...\n"
            "  f(A: f32[N]) -> B(0) = A(0)\n                  ^");
  EXPECT_EQ(error("f(A: f32[N]) -> B(i) - A(i)"),
            "1:22: expected '=', '+=' or '*='\n  f(A: f32[N]) -> B(i) - A(i)\n"
            "                       ^");
  EXPECT_EQ(error("f(A: f32[N]) B(i) = A(i)"),
            "1:14: expected '-', found 'B'\n  f(A: f32[N]) B(i) = A(i)\n               ^");
}

}  // namespace program_text_test
}  // namespace hone
