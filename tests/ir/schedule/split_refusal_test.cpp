#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/support/ir/copies.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace split_refusal_test {

TEST(Split, RefusesAFactorOfZero) {
  expect_refusal(copy_of("10"), splits("i", 0), R"(error: split: the factor must be positive, got 0
  for i in 0..10 {                   <-- here
    C[i] = A[i])");
}

TEST(Split, RefusesANegativeFactor) {
  expect_refusal(copy_of("10"), splits("i", -4),
                 R"(error: split: the factor must be positive, got -4
  for i in 0..10 {                   <-- here
    C[i] = A[i])");
}

TEST(Split, RefusesAFactorThatIsNoIndex) {
  expect_refusal(copy_of("10"), splits("i", 4.0),
                 R"(error: split: the factor 4.0 has type f32, not index
  for i in 0..10 {                   <-- here
    C[i] = A[i])");
}

TEST(Split, RefusesAFactorMadeOfAxes) {
  expect_refusal(
      "func f(C: f32[4, 8]) { for j in 0..4 { for i in 0..8 { C[j, i] = 1.0 } } }",
      [](const Function& f) {
        const Expr j = AxisRef::make(axis(f, "j"));
        return split(f, axis(f, "i"), j + 1, Tail::guard).function;
      },
      R"(error: split: the factor j + 1 is not made of params and constants
  for j in 0..4 {
    for i in 0..8 {                  <-- here
      C[j, i] = 1.0)");
}

TEST(Split, RefusesAParamWithTheNameOfATensor) {
  expect_refusal(copy_of("10"), splits("i", ParamRef::make(make_param("A"))),
                 R"(error: split: the param A of the factor has a name that is taken
  for i in 0..10 {                   <-- here
    C[i] = A[i])");
}

TEST(Split, RefusesAnInexactFactor) {
  expect_refusal(R"(func f(A: f32[128, 100], C: f32[128]) {
                      for i in 0..128 @block.x { reduce k in 0..100 { C[i] += A[i, k] } }
                    })",
                 splits("k", 24, Tail::exact),
                 R"(error: split: 24 does not divide the extent 100 of k and the tail is 'exact'
  for i in 0..128 @block.x {
    reduce k in 0..100 {             <-- here
      C[i] += A[i, k]
note: 2, 4, 5, 10, 20, 25 and 50 divide it; {.tail = Tail::guard} takes any factor)");
}

TEST(Split, RefusesAnInexactFactorOfAPrime) {
  expect_refusal(copy_of("13"), splits("i", 4, Tail::exact),
                 R"(error: split: 4 does not divide the extent 13 of i and the tail is 'exact'
  for i in 0..13 {                   <-- here
    C[i] = A[i]
note: {.tail = Tail::guard} takes any factor)");
}

TEST(Split, NamesTheOnlyDivisor) {
  expect_refusal(copy_of("9"), splits("i", 4, Tail::exact),
                 R"(error: split: 4 does not divide the extent 9 of i and the tail is 'exact'
  for i in 0..9 {                    <-- here
    C[i] = A[i]
note: 3 divides it; {.tail = Tail::guard} takes any factor)");
}

TEST(Split, RefusesAFactorThatIsNotProvedToDivide) {
  expect_refusal(
      copy_of("N"), splits("i", 4, Tail::exact),
      R"(error: split: 4 is not proved to divide the extent N of i and the tail is 'exact'
  for i in 0..N {                    <-- here
    C[i] = A[i]
note: sizes known at launch only prove nothing; {.tail = Tail::guard} takes any factor)");
}

TEST(Split, RefusesToPeelEverything) {
  expect_refusal(
      copy_of("10"), splits("i", 16, Tail::peel),
      R"(error: split: 16 is more than the extent 10 of i, so that all iterations would be in the peeled loop
  for i in 0..10 {                   <-- here
    C[i] = A[i]
note: {.tail = Tail::guard} takes any factor)");
}

TEST(Split, RefusesToPeelEverythingOfASymbolicExtent) {
  expect_refusal(
      copy_of("N"),
      [](const Function& f) {
        const Rewrite once = split(f, axis(f, "i"), 4, Tail::peel);
        return split(once.function, once.axes[2], 4, Tail::peel).function;
      },
      R"(error: split: 4 is more than the extent N % 4 of i.tail, so that all iterations would be in the peeled loop
  for i.tail in 0..N % 4 {           <-- here
    C[(N / 4)*4 + i.tail] = A[(N / 4)*4 + i.tail]
note: {.tail = Tail::guard} takes any factor)");
}

TEST(Split, RefusesABoundAxis) {
  expect_refusal("func f(C: f32[8]) { for i in 0..8 @thread.x { C[i] = 1.0 } }", splits("i", 4),
                 R"(error: split: i is bound to thread.x already
  for i in 0..8 @thread.x {          <-- here
    C[i] = 1.0
note: split it before binding it)");
}

TEST(Split, RefusesAnUnrolledAxis) {
  expect_refusal("func f(C: f32[8]) { for i in 0..8 @unroll(2) { C[i] = 1.0 } }", splits("i", 4),
                 R"(error: split: i is unrolled already
  for i in 0..8 @unroll(2) {         <-- here
    C[i] = 1.0
note: split it before unrolling it)");
}

TEST(Split, RefusesAnUnrolledAxisToPartsOfASize) {
  expect_refusal(
      "func f[S](C: f32[8]) where S > 0 { for i in 0..8 @unroll { C[i] = f32(S) } }",
      [](const Function& f) {
        return split(f, axis(f, "i"), ParamRef::make(f.params[0]), Tail::guard).function;
      },
      R"(error: split: i is unrolled already
  for i in 0..8 @unroll {            <-- here
    C[i] = f32(S)
note: split it before unrolling it)");
}

TEST(Split, RefusesAnAxisThatHasNoLoop) {
  expect_refusal(
      "func f(C: f32[8, 4]) { for i in 0..8 { for j in 0..4 { C[i, j] = 1.0 } } }",
      [](const Function& f) {
        return split(f, make_axis("k", AxisKind::spatial), 4, Tail::guard).function;
      },
      R"(error: split: f has no axis k
note: its axes are i and j)");
}

TEST(Split, RefusesAnAxisWhereNoLoopIsLeft) {
  expect_refusal(
      "func f(C: f32[1]) { C[0] = 1.0 }",
      [](const Function& f) {
        return split(f, make_axis("k", AxisKind::spatial), 4, Tail::guard).function;
      },
      R"(error: split: f has no axis k
note: there are no loops left)");
}

TEST(Split, RefusesAMainLoopThatHasNothingToDo) {
  expect_refusal("func f(C: f32[8]) { for i in 0..8 { if (i >= 6) { C[i] = 1.0 } } }",
                 splits("i", 3, Tail::peel),
                 R"(error: split: i.0 would have no iteration that does anything
  for i in 0..8 {                    <-- here
    if (i >= 6) {
      C[i] = 1.0)");
}

}  // namespace split_refusal_test
}  // namespace hone
