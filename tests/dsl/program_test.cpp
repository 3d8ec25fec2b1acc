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
namespace program_test {

TEST(Program, AMap) {
  Vectors v;
  expect_text(Program("add", v.C(v.i) = v.A(v.i) + v.B(v.i)),
              R"(func add[N](A: f32[N], B: f32[N], C: f32[N]) {
  for i in 0..N {
    C[i] = A[i] + B[i]
  }
})");
}

TEST(Program, AMatmul) {
  Matrices m;
  expect_text(Program("matmul", m.C(m.i, m.j) = sum(m.k, m.A(m.i, m.k) * m.B(m.k, m.j))),
              R"(func matmul[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i in 0..M {
    for j in 0..N {
      C[i, j] = 0.0
      reduce k in 0..K {
        C[i, j] += A[i, k] * B[k, j]
      }
    }
  }
})");
}

TEST(Program, ConstantSizesTakeNoParams) {
  Tensor A("A", f32, {4, 8}), C("C", f32, {8, 4});
  Axis i("i", 8), j("j", 4);
  expect_text(Program("transpose", C(i, j) = A(j, i)),
              R"(func transpose(A: f32[4, 8], C: f32[8, 4]) {
  for i in 0..8 {
    for j in 0..4 {
      C[i, j] = A[j, i]
    }
  }
})");
}

TEST(Program, SumsOverTwoAxes) {
  Tensor A("A", f32, {4, 8}), S("S", f32, {});
  ReduceAxis k("k", 4), l("l", 8);
  expect_text(Program("total", S() = sum({k, l}, A(k, l))), R"(func total(A: f32[4, 8], S: f32[]) {
  S[] = 0.0
  reduce k in 0..4 {
    reduce l in 0..8 {
      S[] += A[k, l]
    }
  }
})");
}

TEST(Program, EveryReductionStartsFromItsIdentity) {
  Vectors v;
  const auto text = [&](const Reduction& reduction) {
    const std::string all = to_string(Program("f", v.S() = reduction).function());
    return all.substr(all.find("S[]"));
  };
  EXPECT_EQ(text(sum(v.k, v.A(v.k))), "S[] = 0.0\n  reduce k in 0..N {\n    S[] += A[k]\n  }\n}");
  EXPECT_EQ(text(product(v.k, v.A(v.k))),
            "S[] = 1.0\n  reduce k in 0..N {\n    S[] *= A[k]\n  }\n}");
  EXPECT_EQ(text(max(v.k, v.A(v.k))),
            "S[] = -inf\n  reduce k in 0..N {\n    S[] max= A[k]\n  }\n}");
  EXPECT_EQ(text(min(v.k, v.A(v.k))), "S[] = inf\n  reduce k in 0..N {\n    S[] min= A[k]\n  }\n}");
}

TEST(Program, ExtremesOfIntegersStartFromTheirLimits) {
  const auto start = [](DType type, bool is_max) {
    Tensor A("A", type, {4}), S("S", type, {});
    ReduceAxis k("k", 4);
    const Expr element = A(k);
    const Program program("f", S() = is_max ? max(k, element) : min(k, element));
    const std::string text = to_string(program.function());
    const size_t begin = text.find("S[] = ") + 6;
    return text.substr(begin, text.find('\n', begin) - begin);
  };
  EXPECT_EQ(start(i8, true), "-128i8");
  EXPECT_EQ(start(i8, false), "127i8");
  EXPECT_EQ(start(u8, true), "0u8");
  EXPECT_EQ(start(u8, false), "255u8");
  EXPECT_EQ(start(i32, true), "-2147483648i32");
  EXPECT_EQ(start(i32, false), "2147483647i32");
  EXPECT_EQ(start(i64, true), "-9223372036854775808i64");
  EXPECT_EQ(start(i64, false), "9223372036854775807i64");
  EXPECT_EQ(start(f16, true), "-inf_f16");
}

TEST(Program, AnyAndAll) {
  Tensor A("A", f32, {4}), S("S", boolean, {}), T("T", boolean, {});
  ReduceAxis k("k", 4);
  expect_text(Program("f", S() = any(k, A(k) > 1.0), T() = all(k, A(k) > 0.0)),
              R"(func f(A: f32[4], S: bool[], T: bool[]) {
  S[] = false
  reduce k in 0..4 {
    S[] or= A[k] > 1.0
  }
  T[] = true
  reduce k.T in 0..4 {
    T[] and= A[k.T] > 0.0
  }
})");
}

TEST(Program, AnyAndAllTakeSeveralAxes) {
  Tensor A("A", f32, {4, 8}), S("S", boolean, {}), T("T", boolean, {});
  ReduceAxis k("k", 4), l("l", 8);
  expect_text(Program("f", S() = any({k, l}, A(k, l) > 1.0), T() = all({k, l}, A(k, l) > 0.0)),
              R"(func f(A: f32[4, 8], S: bool[], T: bool[]) {
  S[] = false
  reduce k in 0..4 {
    reduce l in 0..8 {
      S[] or= A[k, l] > 1.0
    }
  }
  T[] = true
  reduce k.T in 0..4 {
    reduce l.T in 0..8 {
      T[] and= A[k.T, l.T] > 0.0
    }
  }
})");
}

TEST(Program, AUsersOwnReduction) {
  Vectors v;
  const Program program("horner", v.S() = reduce({v.k}, 0.5, v.A(v.k),
                                                 [](Expr sum, Expr x) { return sum * 2.0 + x; }));
  expect_text(program, R"(func horner[N](A: f32[N], S: f32[]) {
  S[] = 0.5
  reduce k in 0..N {
    S[] = S[] * 2.0 + A[k]
  }
})");
  EXPECT_EQ(run(program, {{"A", vector_of({1, 2, 3})}, {"S", buffer_of(f32, {}, {0})}}, "S"),
            (Values{15}));
}

TEST(Program, AUsersOwnReductionMayReadMore) {
  Matrices m;
  Tensor bias("bias", f32, {m.N}), scale("scale", f32, {m.K});
  const Program program(
      "f", m.C(m.i, m.j) = reduce({m.k}, bias(m.j), m.A(m.i, m.k),
                                  [&](Expr sum, Expr x) { return sum * scale(m.k) + x; }));
  expect_text(program, R"(func f[M, N, K](bias: f32[N], scale: f32[K], A: f32[M, K], C: f32[M, N]) {
  for i in 0..M {
    for j in 0..N {
      C[i, j] = bias[j]
      reduce k in 0..K {
        C[i, j] = C[i, j] * scale[k] + A[i, k]
      }
    }
  }
})");
}

TEST(Program, TemporariesAreAllocated) {
  Param M("M"), N("N");
  Tensor X("X", f32, {M, N}), top("top", f32, {M}), S("S", f32, {M}), Y("Y", f32, {M, N});
  Axis i("i", M), j("j", N);
  ReduceAxis k("k", N);
  const Program softmax("softmax", top(i) = max(k, X(i, k)), S(i) = sum(k, exp(X(i, k) - top(i))),
                        Y(i, j) = exp(X(i, j) - top(i)) / S(i));
  expect_text(softmax, R"(func softmax[M, N](X: f32[M, N], Y: f32[M, N]) {
  alloc top: f32[M] @global
  alloc S: f32[M] @global
  for i in 0..M {
    top[i] = -inf
    reduce k in 0..N {
      top[i] max= X[i, k]
    }
  }
  for i.S in 0..M {
    S[i.S] = 0.0
    reduce k.S in 0..N {
      S[i.S] += exp(X[i.S, k.S] - top[i.S])
    }
  }
  for i.Y in 0..M {
    for j in 0..N {
      Y[i.Y, j] = exp(X[i.Y, j] - top[i.Y]) / S[i.Y]
    }
  }
})");
  EXPECT_EQ(softmax.function().history,
            (llvm::SmallVector<std::string, 0>{"top(i) = max(k, X(i, k))",
                                               "S(i) = sum(k, exp(X(i, k) - top(i)))",
                                               "Y(i, j) = exp(X(i, j) - top(i)) / S(i)"}));
}

TEST(Program, AnAxisNamedLikeATensorGetsANameOfItsOwn) {
  Tensor A("A", f32, {4}), C("C", f32, {4});
  Axis axis("A", 4);
  expect_text(Program("f", C(axis) = A(axis)), R"(func f(A: f32[4], C: f32[4]) {
  for A.C in 0..4 {
    C[A.C] = A[A.C]
  }
})");
}

TEST(Program, NoAxisIsNamedLikeAnIndexOfThreads) {
  const Axis thread("thread", 4);
  const Tensor A("A", f32, {4}), y("y", f32, {4}), x("x", f32, {4});
  const Program program("twice", {y(thread) = A(thread) * 2, x(thread) = y(thread) * 2});
  EXPECT_EQ(loops_of(program.function().body)[1]->axis->name, "thread.x_2");
}

TEST(Program, ArgumentsAreInputsThenOutputs) {
  Vectors v;
  const Program program("f", v.B(v.i) = v.A(v.i) + 1.0, v.C(v.i) = v.A(v.i) * 2.0);
  expect_text(program, R"(func f[N](A: f32[N], B: f32[N], C: f32[N]) {
  for i in 0..N {
    B[i] = A[i] + 1.0
  }
  for i.C in 0..N {
    C[i.C] = A[i.C] * 2.0
  }
})");
}

TEST(Program, AConditionOverAxes) {
  Vectors v;
  expect_text(Program("f", v.C(v.i) = select(Expr(v.i) % 2 == 0, Expr(v.A(v.i)), 0.0)),
              R"(func f[N](A: f32[N], C: f32[N]) {
  for i in 0..N {
    C[i] = select(i % 2 == 0, A[i], 0.0)
  }
})");
}

TEST(Program, WritesPartOfALargerTensor) {
  Param N("N");
  Tensor A("A", f32, {N}), C("C", f32, {N * 2 + 1});
  Axis i("i", N);
  expect_text(Program("f", C(i) = A(i)), R"(func f[N](A: f32[N], C: f32[N*2 + 1]) {
  for i in 0..N {
    C[i] = A[i]
  }
})");
}

TEST(Program, IntrinsicsAreCalls) {
  Tensor A("A", f32, {4}), C("C", f32, {4});
  Axis i("i", 4);
  const Expr x = A(i);
  const auto value = [&](const Expr& e) { return (C(i) = e).text(); };
  EXPECT_EQ(value(exp(x)), "C(i) = exp(A(i))");
  EXPECT_EQ(value(log(x)), "C(i) = log(A(i))");
  EXPECT_EQ(value(sqrt(x)), "C(i) = sqrt(A(i))");
  EXPECT_EQ(value(rsqrt(x)), "C(i) = rsqrt(A(i))");
  EXPECT_EQ(value(tanh(x)), "C(i) = tanh(A(i))");
  EXPECT_EQ(value(erf(x)), "C(i) = erf(A(i))");
  EXPECT_EQ(value(abs(x)), "C(i) = abs(A(i))");
  EXPECT_EQ(value(pow(x, 2.0)), "C(i) = pow(A(i), 2.0)");
  EXPECT_EQ(value(fma(x, x, x)), "C(i) = fma(A(i), A(i), A(i))");
}

TEST(Definition, ReadsAsWritten) {
  Matrices m;
  EXPECT_EQ((m.C(m.i, m.j) = sum(m.k, m.A(m.i, m.k) * m.B(m.k, m.j))).text(),
            "C(i, j) = sum(k, A(i, k) * B(k, j))");
  Tensor S("S", f32, {});
  ReduceAxis l("l", m.M);
  EXPECT_EQ((S() = product({l, m.k}, m.A(l, m.k))).text(), "S() = product({l, k}, A(l, k))");
  EXPECT_EQ((S() = reduce({m.k}, 0.0, m.A(0, m.k), [](Expr a, Expr b) { return a + b; })).text(),
            "S() = reduce(k, A(0, k))");
}

TEST(Program, LayoutsOfArgumentsAreInItsText) {
  Param M("M"), N("N"), lda("lda");
  Tensor A("A", f32, {M, N}, Layout().pitch(lda)), C("C", f32, {M, N}, Layout::column_major());
  Axis i("i", M), j("j", N);
  expect_text(Program("f", C(i, j) = A(i, j)),
              R"(func f[M, N, lda](A: f32[M, N] @pitch(lda), C: f32[M, N] @order(1, 0)) {
  for i in 0..M {
    for j in 0..N {
      C[i, j] = A[i, j]
    }
  }
})");
}

TEST(Program, ReadsAndWritesWhereTheLayoutSays) {
  Tensor A("A", f32, {2, 3}, Layout::column_major()), C("C", f32, {2, 3}, Layout().pitch(5));
  Axis i("i", 2), j("j", 3);
  const Program program("f", C(i, j) = A(i, j));
  Buffers buffers = {{"A", counting(f32, {2, 3})}, {"C", Buffer(f32, {2, 3}, 1, 5)}};
  EXPECT_EQ(run(program, buffers, "C"), (Values{1, 3, 5, 0, 0, 2, 4, 6, 0, 0}));
}

TEST(Program, TemporariesHaveLayoutsAndSizesOfTheirOwn) {
  Param N("N"), room("room"), pitch("pitch");
  Tensor A("A", f32, {N}), T("T", f32, {N, N + room}, Layout::order({1, 0}).pitch(pitch)),
      C("C", f32, {N});
  Axis i("i", N), j("j", N);
  expect_text(Program("f", T(i, j) = A(i) * A(j), C(i) = T(i, i)),
              R"(func f[N, room, pitch](A: f32[N], C: f32[N]) {
  alloc T: f32[N, N + room] @order(1, 0) @pitch(pitch) @global
  for i in 0..N {
    for j in 0..N {
      T[i, j] = A[i] * A[j]
    }
  }
  for i.C in 0..N {
    C[i.C] = T[i.C, i.C]
  }
})");
}

// ---- Indices that sizes alone decide
// --------------------------------------------------------------

/// The conditions on sizes that a launch checks.
std::string conditions(const Definition& definition) {
  const Program program("f", definition);
  std::string text;
  for (const Expr& condition : program.function().assumptions)
    text += (text.empty() ? "" : ", ") + to_string(condition);
  return text;
}

TEST(Program, PromisesThatIndicesLieWithinTheirTensors) {
  const Param E("E"), M("M"), N("N"), S("S");
  const Tensor X("X", f32, {E}), Z("Z", f32, {M, E}), y("y", f32, {}), Y("Y", f32, {N});
  const Axis i("i", N);
  const ReduceAxis k("k", N), l("l", M);
  EXPECT_EQ(conditions(y() = sum(k, X(S + k))), "N <= 0 || N + S <= E");
  EXPECT_EQ(conditions(Y(i) = X(S)), "N <= 0 || S + 1 <= E");
  EXPECT_EQ(conditions(Y(i) = X(i * 2)), "N*2 - 1 <= E");
  EXPECT_EQ(conditions(Y(i) = X(E - 1 - i)), "E - N >= 0");
  EXPECT_EQ(conditions(y() = sum({l, k}, Z(l, k + l * 3))), "M <= 0 || N <= 0 || M*3 + N - 3 <= E");
  EXPECT_EQ(conditions(Y(i) = X(i)), "N <= E");
  EXPECT_EQ(conditions(y() = sum({l, k}, X(l * N + k))), "M*N <= E");
  EXPECT_EQ(conditions(Y(i) = X(i * M + S)), "N <= 0 || M*N + S - M + 1 <= E");
}

TEST(Program, PromisesNothingOfOtherIndices) {
  const Param E("E"), N("N"), S("S");
  const Tensor X("X", f32, {E}), P("P", i32, {N}), Y("Y", f32, {N}), W("W", f32, {N + 2});
  const Axis i("i", N);
  EXPECT_EQ(conditions(Y(i) = W(i) + W(i + 2)), "");                   // proved
  EXPECT_EQ(conditions(Y(i) = select(S + i < E, X(S + i), 0.0)), "");  // chosen
  EXPECT_EQ(conditions(Y(i) = X(P(i))), "");                           // by elements
  EXPECT_EQ(conditions(Y(i) = X(i / 2)), "");                          // no sum
  EXPECT_EQ(conditions(Y(i) = Y(i) * 2.0), "");
}

}  // namespace program_test
}  // namespace hone
