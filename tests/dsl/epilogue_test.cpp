// Reductions with an epilogue.
#include "dsl/program.h"
#include "gtest/gtest.h"
#include "ir/analysis/site.h"
#include "ir/interpret/interpreter.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/support/dsl/operands.h"
#include "tests/support/dsl/programs.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace epilogue_test {

struct Gemm : Matrices {
  Tensor alpha{"alpha", f32, {}}, beta{"beta", f32, {}}, D{"D", f32, {M, N}};
  Definition definition() const {
    return D(i, j) = alpha() * sum(k, A(i, k) * B(k, j)) + beta() * C(i, j);
  }
};

TEST(Program, AnEpilogueFollowsItsReductionInTheSameNest) {
  Gemm g;
  expect_text(
      Program("gemm", g.definition()),
      R"(func gemm[M, N, K](alpha: f32[], A: f32[M, K], B: f32[K, N], beta: f32[], C: f32[M, N], D: f32[M, N]) {
  for i in 0..M {
    for j in 0..N {
      D[i, j] = 0.0
      reduce k in 0..K {
        D[i, j] += A[i, k] * B[k, j]
      }
      D[i, j] = alpha[] * D[i, j] + beta[] * C[i, j]
    }
  }
})");
}

TEST(Program, AnEpilogueComputesWithTheWholeReduction) {
  Gemm g;
  Buffers buffers = {
      {"alpha", buffer_of(f32, {}, {10})},         {"A", buffer_of(f32, {1, 2}, {1, 2})},
      {"B", buffer_of(f32, {2, 2}, {1, 2, 3, 4})}, {"beta", buffer_of(f32, {}, {-1})},
      {"C", buffer_of(f32, {1, 2}, {5, 6})},       {"D", Buffer(f32, {1, 2})}};
  EXPECT_EQ(run(Program("gemm", g.definition()), buffers, "D"), (Values{65, 94}));
}

TEST(Program, SumsOfAnotherTypeHaveATemporary) {
  Vectors v;
  const Tensor H("H", bf16, {4}), R("R", bf16, {});
  const ReduceAxis n("n", 4);
  const Program program("f", R() = cast(bf16, sum(n, cast(f32, H(n)))));
  EXPECT_EQ(program.function().history.front(), "R() = bf16(sum(n, f32(H(n))))");
  expect_text(program, R"(func f(H: bf16[4], R: bf16[]) {
  alloc R.acc: f32[] @global
  R.acc[] = 0.0
  reduce n in 0..4 {
    R.acc[] += f32(H[n])
  }
  R[] = bf16(R.acc[])
})");
  // A bf16 has 8 bits: 256 + 1 is 256 in it, three times.
  const Buffers buffers = {{"H", buffer_of(bf16, {4}, {256, 1, 1, 2})}, {"R", Buffer(bf16, {})}};
  EXPECT_EQ(run(program, buffers, "R"), (Values{260}));
}

TEST(Program, APartOfAPairMayBeTheResult) {
  Vectors v;
  const Tensor place("place", i32, {});
  const Program program(
      "f", place() = argmax(v.k, v.A(v.k)).then([](Expr best) { return second(best); }));
  EXPECT_EQ(run(program, {{"A", vector_of({1, 7, 5})}, {"place", Buffer(i32, {})}}, "place"),
            (Values{1}));
}

TEST(Program, AnEpilogueMayFollowAUsersOwnReduction) {
  Vectors v;
  const Reduction horner = reduce({v.k}, 0.0, v.A(v.k), [](Expr a, Expr b) { return a * 2.0 + b; });
  const Program program("f", v.S() = 1.0 - horner.then([](Expr x) { return x * x; }));
  EXPECT_EQ(program.function().history.front(), "S() = 1.0 - reduce(k, A(k)) * reduce(k, A(k))");
  EXPECT_EQ(run(program, {{"A", vector_of({1, 2})}, {"S", buffer_of(f32, {}, {0})}}, "S"),
            (Values{-15}));
}

TEST(Program, AnEpilogueMayIgnoreItsReduction) {
  Vectors v;
  const auto constant = [](const Expr&) { return Expr(3.0); };
  const Program program("f", v.S() = sum(v.k, v.A(v.k)).then(constant));
  EXPECT_EQ(run(program, {{"A", vector_of({1, 2})}, {"S", buffer_of(f32, {}, {0})}}, "S"),
            (Values{3}));
}

TEST(Definition, EpiloguesReadAsWritten) {
  Gemm g;
  EXPECT_EQ(g.definition().text(),
            "D(i, j) = alpha() * sum(k, A(i, k) * B(k, j)) + beta() * C(i, j)");
  Vectors v;
  const Reduction total = sum(v.k, v.A(v.k));
  const Expr x = v.S(), two = 2.0;
  const auto text = [&](const Reduction& value) { return (v.C(v.i) = value).text().substr(7); };
  EXPECT_EQ(text(total + x), "sum(k, A(k)) + S()");
  EXPECT_EQ(text(x + total), "S() + sum(k, A(k))");
  EXPECT_EQ(text(total - x), "sum(k, A(k)) - S()");
  EXPECT_EQ(text(x - total), "S() - sum(k, A(k))");
  EXPECT_EQ(text(total * 2.0), "sum(k, A(k)) * 2.0");
  EXPECT_EQ(text(2.0 * total), "2.0 * sum(k, A(k))");
  EXPECT_EQ(text(total / x), "sum(k, A(k)) / S()");
  EXPECT_EQ(text(two / (total + x)), "2.0 / (sum(k, A(k)) + S())");
  EXPECT_EQ(text(-total), "-sum(k, A(k))");
  EXPECT_EQ(text(max(total, 0.0)), "max(sum(k, A(k)), 0.0)");
  EXPECT_EQ(text(max(0.0, total)), "max(0.0, sum(k, A(k)))");
  EXPECT_EQ(text(min(total, x)), "min(sum(k, A(k)), S())");
  EXPECT_EQ(text(min(x, total)), "min(S(), sum(k, A(k)))");
  EXPECT_EQ(text((total * x).then([](Expr e) { return sqrt(e); })), "sqrt(sum(k, A(k)) * S())");
}

TEST(Definition, EveryOperatorOfAnEpilogueComputesWhatItSays) {
  Vectors v;
  const Reduction total = sum(v.k, v.A(v.k));
  const auto value = [&](const Reduction& reduction) {
    const Buffers buffers = {{"A", vector_of({1, 2, 5})}, {"S", buffer_of(f32, {}, {0})}};
    return run(Program("f", v.S() = reduction), buffers, "S").front();
  };
  EXPECT_EQ(value(total + 2.0), 10);
  EXPECT_EQ(value(2.0 + total), 10);
  EXPECT_EQ(value(total - 2.0), 6);
  EXPECT_EQ(value(2.0 - total), -6);
  EXPECT_EQ(value(total * 2.0), 16);
  EXPECT_EQ(value(2.0 * total), 16);
  EXPECT_EQ(value(total / 2.0), 4);
  EXPECT_EQ(value(2.0 / total), 0.25);
  EXPECT_EQ(value(-total), -8);
  EXPECT_EQ(value(max(total, 9.0)), 9);
  EXPECT_EQ(value(max(9.0, total)), 9);
  EXPECT_EQ(value(min(total, 9.0)), 8);
  EXPECT_EQ(value(min(9.0, total)), 8);
}

}  // namespace epilogue_test
}  // namespace hone
