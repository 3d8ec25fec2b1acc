// Reductions whose values say which element they are combined into.
#include <gtest/gtest.h>

#include "dsl/schedule.h"
#include "ir/interpret/interpreter.h"
#include "tests/support/ir/expect_rewrite.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace scatter_test {

struct Bins {
  Param N{"N"}, B{"B"};
  Tensor data{"data", i32, {N}}, weight{"weight", f32, {N}}, H{"H", i32, {B}}, W{"W", f32, {B}};
  ReduceAxis k{"k", N};

  Program histogram() const { return {"histogram", H(data(k)) = sum(k, 1)}; }
};

Values values(const Program& program, Buffers buffers, llvm::StringRef output) {
  interpret(program.function(), infer_sizes(program.function(), buffers), buffers);
  return values_of(buffers.at(output.str()));
}

TEST(Scatter, AHistogram) {
  const Bins p;
  EXPECT_EQ(to_string(p.histogram().function()),
            R"(func histogram[N, B](data: i32[N], H: i32[B]) {
  for H.0.init in 0..B {
    H[H.0.init] = 0i32
  }
  reduce k in 0..N {
    H[index(data[k])] += 1i32
  }
})");
  EXPECT_EQ(p.histogram().function().history.front(), "H(index(data(k))) = sum(k, 1)");
  EXPECT_EQ(
      values(p.histogram(),
             {{"data", vector_of({2, 0, 2, 2}, i32)}, {"H", vector_of({9, 9, 9, 9}, i32)}}, "H"),
      (Values{1, 0, 3, 0}));
}

TEST(Scatter, OfAnyOperatorWithAnEpilogue) {
  const Bins p;
  const Program largest("largest", p.W(p.data(p.k) % 2) = 2.0 * max(p.k, p.weight(p.k)));
  EXPECT_EQ(to_string(largest.function()),
            R"(func largest[N, B](data: i32[N], weight: f32[N], W: f32[B]) {
  for W.0.init in 0..B {
    W[W.0.init] = -inf
  }
  reduce k in 0..N {
    W[index(data[k] % 2i32)] max= weight[k]
  }
  for W.0.post in 0..B {
    W[W.0.post] = 2.0 * W[W.0.post]
  }
})");
  EXPECT_EQ(values(largest,
                   {{"data", vector_of({3, 0, 5}, i32)},
                    {"weight", vector_of({-1, 4, -2})},
                    {"W", vector_of({0, 0})}},
                   "W"),
            (Values{8, -2}));
}

TEST(Scatter, BesideSpatialAxes) {
  Param M("M"), N("N"), B("B");
  Tensor data("data", i32, {M, N}), H("H", i32, {M, B});
  Axis i("i", M);
  ReduceAxis k("k", N);
  EXPECT_EQ(to_string(Program("rows", H(i, data(i, k)) = sum(k, 1)).function()),
            R"(func rows[M, N, B](data: i32[M, N], H: i32[M, B]) {
  for i in 0..M {
    for H.1.init in 0..B {
      H[i, H.1.init] = 0i32
    }
    reduce k in 0..N {
      H[i, index(data[i, k])] += 1i32
    }
  }
})");
}

TEST(Scatter, AnIntegerIndexesOperandsToo) {
  Tensor A("A", f32, {8}), at("at", i32, {4}), C("C", f32, {4});
  Axis i("i", 4);
  const Program gather("gather", C(i) = A(at(i)));
  EXPECT_EQ(to_string(gather.function().body), R"(for i in 0..4 {
  C[i] = A[index(at[i])]
})");
}

TEST(Scatter, OfASumByAnAxis) {
  const Bins p;
  Tensor W("W", f32, {p.N});
  EXPECT_EQ(values(Program("copy", W(Expr(p.k)) = sum(p.k, p.weight(p.k))),
                   {{"weight", vector_of({3, 4})}, {"W", vector_of({0, 0})}}, "W"),
            (Values{3, 4}));
}

TEST(Scatter, OutsideOfTheTensorIsAnError) {
  const Bins p;
  const auto error = [&](double bin) {
    return message_of<InterpretError>([&] {
      values(p.histogram(), {{"data", vector_of({bin}, i32)}, {"H", vector_of({0, 0}, i32)}}, "H");
    });
  };
  EXPECT_EQ(error(2), "H[index(data[k])]: index 0 is 2, outside 0..2 (k = 0)");
  EXPECT_EQ(error(-1), "H[index(data[k])]: index 0 is -1, outside 0..2 (k = 0)");
}

TEST(Scatter, SchedulesKeepItsMeaning) {
  Param N("N");
  Tensor data("data", u8, {N}), H("H", i32, {256});
  ReduceAxis k("k", N);
  const Program program("histogram", H(data(k)) = sum(k, 1));
  Schedule s(program);
  auto [chunk, element] = s.split(k, 4);
  auto [partial, chunks, total] = s.rfactor(H, chunk);
  s.bind(chunks, block.x);
  expect_same_values(program.function(), s.function());
}

TEST(Scatter, RefusesIterationsThatMayMeet) {
  const Bins p;
  Param M("M");
  Tensor data("data", i32, {M, p.N}), H("H", i32, {p.B});
  ReduceAxis m("m", M);
  Schedule s(Program("f", H(data(m, p.k)) = sum({m, p.k}, 1)));
  EXPECT_TRUE(llvm::StringRef(message_of<ScheduleError>([&] {
                s.bind(m, block.x);
              })).contains("m is a reduction axis"));
}

TEST(Scatter, TakesAReduction) {
  const Bins p;
  EXPECT_EQ(message_of<DefinitionError>([&] { p.H(p.data(p.k)) = cast(i32, 1); }),
            "the left-hand side of H has an index that is no axis; that takes a reduction, which "
            "combines what comes to one element");
}

TEST(Scatter, RefusesAxesThatNothingRunsThrough) {
  const Bins p;
  Axis i("i", 4);
  EXPECT_EQ(
      message_of<DefinitionError>([&] { Program("f", p.H(p.data(i)) = sum(p.k, 1)); }),
      "H(index(data(i))) = sum(k, 1) uses i, which is neither an index of H nor reduced over");
}

TEST(Scatter, RefusesPlacesThatAreNoIntegers) {
  const Bins p;
  EXPECT_EQ(message_of<DefinitionError>([&] { Program("f", p.H(p.weight(p.k)) = sum(p.k, 1)); }),
            "weight[k] is an index of H and has type f32; use cast(index, ...)");
}

}  // namespace scatter_test
}  // namespace hone
