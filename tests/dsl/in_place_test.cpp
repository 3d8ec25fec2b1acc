// Definitions of tensors that come with values: C(i, j) += sum(...), X(i) = X(i) * 2.
#include "dsl/schedule.h"
#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/dsl/operands.h"
#include "tests/support/dsl/programs.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace in_place_test {

std::string refusal(const std::function<void()>& action) {
  return message_of<DefinitionError>(action);
}

TEST(InPlace, ASumIsAddedToWhatIsThere) {
  Matrices m;
  const Program program("gemm", m.C(m.i, m.j) += sum(m.k, m.A(m.i, m.k) * m.B(m.k, m.j)));
  expect_text(program, R"(func gemm[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i in 0..M {
    for j in 0..N {
      reduce k in 0..K {
        C[i, j] += A[i, k] * B[k, j]
      }
    }
  }
})");
  EXPECT_EQ(program.function().history.front(), "C(i, j) += sum(k, A(i, k) * B(k, j))");
  const Buffers buffers = {{"A", buffer_of(f32, {1, 2}, {1, 2})},
                           {"B", buffer_of(f32, {2, 2}, {1, 2, 3, 4})},
                           {"C", buffer_of(f32, {1, 2}, {100, 200})}};
  EXPECT_EQ(run(program, buffers, "C"), (Values{107, 210}));
}

TEST(InPlace, EachOperatorGoesOnFromTheElement) {
  Vectors v;
  const Buffers buffers = {{"A", vector_of({1, 2, 3})}, {"S", buffer_of(f32, {}, {2.5})}};
  const auto check = [&](const Definition& definition, llvm::StringRef text, double value) {
    EXPECT_EQ(definition.text(), text.str());
    EXPECT_EQ(run(Program("f", definition), buffers, "S"), (Values{value}));
  };
  check(v.S() += sum(v.k, v.A(v.k)), "S() += sum(k, A(k))", 8.5);
  check(v.S() -= sum(v.k, v.A(v.k)), "S() += sum(k, -A(k))", -3.5);
  check(v.S() *= product(v.k, v.A(v.k)), "S() *= product(k, A(k))", 15);
  check(v.S() = v.S() + sum(v.k, v.A(v.k)), "S() += sum(k, A(k))", 8.5);
  check(v.S() = sum(v.k, v.A(v.k)) + v.S(), "S() += sum(k, A(k))", 8.5);
  check(v.S() = max(v.S(), max(v.k, v.A(v.k))), "S() = max(S(), max(k, A(k)))", 3);
  check(v.S() = min(min(v.k, v.A(v.k)), v.S()), "S() = min(S(), min(k, A(k)))", 1);
}

TEST(InPlace, AnElementMayBeMadeOfItsOldValue) {
  Vectors v;
  const Buffers buffers = {{"A", vector_of({1, 2})}, {"C", vector_of({10, 20})}};
  const auto check = [&](const Definition& definition, llvm::StringRef text, const Values& values) {
    EXPECT_EQ(definition.text(), text.str());
    EXPECT_EQ(run(Program("f", definition), buffers, "C"), values);
  };
  check(v.C(v.i) += v.A(v.i), "C(i) += A(i)", {11, 22});
  check(v.C(v.i) -= v.A(v.i), "C(i) += -A(i)", {9, 18});
  check(v.C(v.i) *= v.A(v.i), "C(i) *= A(i)", {10, 40});
  check(v.C(v.i) = v.A(v.i) - v.C(v.i) * v.C(v.i), "C(i) = A(i) - C(i) * C(i)", {-99, -398});
}

TEST(InPlace, AHistogramGoesOnCounting) {
  Tensor bin("bin", i32, {4}), H("H", i32, {3});
  ReduceAxis k("k", 4);
  const Program program("count", H(bin(k)) += sum(k, cast(i32, 1)));
  expect_text(program, R"(func count(bin: i32[4], H: i32[3]) {
  reduce k in 0..4 {
    H[index(bin[k])] += 1i32
  }
})");
  EXPECT_EQ(
      run(program, {{"bin", vector_of({0, 2, 2, 0}, i32)}, {"H", vector_of({5, 6, 7}, i32)}}, "H"),
      (Values{7, 6, 9}));
}

TEST(InPlace, FollowsADefinitionOfTheSameTensor) {
  Vectors v;
  expect_text(Program("f", v.C(v.i) = v.A(v.i), v.C(v.i) += sum(v.k, v.B(v.k))),
              R"(func f[N](A: f32[N], B: f32[N], C: f32[N]) {
  for i in 0..N {
    C[i] = A[i]
  }
  for i.C in 0..N {
    reduce k in 0..N {
      C[i.C] += B[k]
    }
  }
})");
}

TEST(InPlace, OthersMayReadItBeforeAndAfter) {
  Vectors v;
  Tensor D("D", f32, {v.N});
  expect_text(Program("f", D(v.i) = v.C(v.i) * 2.0, v.C(v.i) += v.A(v.i),
                      v.S() = sum(v.k, v.C(v.k) - D(v.k))),
              R"(func f[N](A: f32[N], C: f32[N], S: f32[]) {
  alloc D: f32[N] @global
  for i in 0..N {
    D[i] = C[i] * 2.0
  }
  for i.C in 0..N {
    C[i.C] += A[i.C]
  }
  S[] = 0.0
  reduce k in 0..N {
    S[] += C[k] - D[k]
  }
})");
}

TEST(InPlace, RefusesOtherReductionsThanItsOwn) {
  Vectors v;
  EXPECT_EQ(refusal([&] { v.S() += max(v.k, v.A(v.k)); }),
            "S() += max(k, A(k)) takes a sum alone; define the right-hand side as a tensor of its "
            "own, and add that");
  EXPECT_EQ(
      refusal([&] { v.S() += 2.0 * sum(v.k, v.A(v.k)); }),
      "S() += 2.0 * sum(k, A(k)) takes a sum alone; define the right-hand side as a tensor of "
      "its own, and add that");
  EXPECT_EQ(refusal([&] { v.S() *= sum(v.k, v.A(v.k)); }),
            "S() *= sum(k, A(k)) takes a product alone; define the right-hand side as a tensor of "
            "its own, and multiply by that");
}

TEST(InPlace, RefusesOtherElementsOfWhatItDefines) {
  Vectors v;
  EXPECT_EQ(refusal([&] { Program("f", v.C(v.i) = v.A(v.i) + v.C(v.N - 1 - v.i)); }),
            "C(i) = A(i) + C(N - 1 - i) reads C[N - 1 - i], which is another element of what it "
            "defines; define C from a tensor of its own");
  EXPECT_EQ(refusal([&] { Program("f", v.C(v.i) += sum(v.k, v.C(v.k))); }),
            "C(i) += sum(k, C(k)) reads C[k], which is another element of what it defines; define "
            "C from a tensor of its own");
}

TEST(InPlace, RefusesItsElementBesideAReduction) {
  Vectors v;
  EXPECT_EQ(refusal([&] { Program("f", v.C(v.i) = 2.0 * sum(v.k, v.A(v.k)) + 3.0 * v.C(v.i)); }),
            "C(i) = 2.0 * sum(k, A(k)) + 3.0 * C(i) reads C[i] beside a reduction into it; define "
            "the reduction as a tensor of its own, and C from that");
  EXPECT_EQ(refusal([&] { Program("f", v.C(v.i) += sum(v.k, v.A(v.k) * v.C(v.i))); }),
            "C(i) += sum(k, A(k) * C(i)) reads C[i] beside a reduction into it; define the "
            "reduction as a tensor of its own, and C from that");
}

TEST(InPlace, RefusesASecondDefinitionFromNothing) {
  Vectors v;
  EXPECT_EQ(refusal([&] { Program("f", v.C(v.i) += v.A(v.i), v.C(v.i) = v.B(v.i)); }),
            "C is defined twice");
}

/// The program whose results the next iteration needs, and how far they have moved.
TEST(Output, IsAnArgumentAlthoughItIsRead) {
  Param N("N");
  Tensor Old("Old", f32, {N + 2}), New("New", f32, {N}), change("change", f32, {});
  Axis i("i", N);
  ReduceAxis k("k", N);
  const Program program("jacobi", output(New(i) = (Old(i) + Old(i + 2)) * 0.5),
                        change() = max(k, abs(New(k) - Old(k + 1))));
  expect_text(program, R"(func jacobi[N](Old: f32[N + 2], New: f32[N], change: f32[]) {
  for i in 0..N {
    New[i] = (Old[i] + Old[i + 2]) * 0.5
  }
  change[] = -inf
  reduce k in 0..N {
    change[] max= abs(New[k] - Old[k + 1])
  }
})");
  const Buffers buffers = {
      {"Old", vector_of({0, 5, 4})}, {"New", vector_of({9})}, {"change", buffer_of(f32, {}, {9})}};
  EXPECT_EQ(run(program, buffers, "New"), (Values{2}));
  EXPECT_EQ(run(program, buffers, "change"), (Values{3}));
}

TEST(Output, IsNoTemporaryThatAStepCouldTakeAway) {
  Vectors v;
  Schedule s(Program("f", output(v.C(v.i) = v.A(v.i)), v.S() = sum(v.k, v.C(v.k))));
  const std::string message = message_of<ScheduleError>([&] { s.inline_tensor(v.C); });
  EXPECT_NE(message.find("C is an argument, not a temporary"), std::string::npos) << message;
}

}  // namespace in_place_test
}  // namespace hone
