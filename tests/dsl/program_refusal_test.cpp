#include "dsl/program.h"
#include "fmt/format.h"
#include "gtest/gtest.h"
#include "tests/support/dsl/operands.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace program_refusal_test {

/// The message of the DefinitionError of `action`.
std::string refusal(const std::function<void()>& action) {
  return message_of<DefinitionError>(action);
}

TEST(Definition, RefusesNamesThatAreNone) {
  EXPECT_EQ(refusal([] { Param("2N"); }),
            "'2N' is no name for a param: letters, digits and '_', not starting with a digit");
  EXPECT_EQ(refusal([] { Axis("i.0", 4); }),
            "'i.0' is no name for an axis: letters, digits and '_', not starting with a digit");
  EXPECT_EQ(refusal([] { Tensor("", f32, {4}); }),
            "'' is no name for a tensor: letters, digits and '_', not starting with a digit");
}

TEST(Definition, RefusesAReservedName) {
  EXPECT_EQ(refusal([] { Tensor("inf", f32, {4}); }),
            "'inf' is no name for a tensor: it is a constant");
  EXPECT_EQ(refusal([] { Axis("true", 4); }), "'true' is no name for an axis: it is a constant");
  EXPECT_EQ(refusal([] { Param("nan_f16"); }),
            "'nan_f16' is no name for a param: it is a constant");
}

TEST(Definition, RefusesNegativeExtents) {
  EXPECT_EQ(refusal([] { Axis("i", -4); }), "the extent of i must not be negative, got -4");
  EXPECT_EQ(refusal([] {
              Tensor("A", f32, {4, -1});
            }),
            "the extent of A must not be negative, got -1");
}

TEST(Definition, RefusesExtentsOfOtherTypes) {
  EXPECT_EQ(refusal([] { Axis("i", 4.0); }), "the extent 4.0 of i has type f32");
}

TEST(Definition, RefusesExtentsMadeOfAxes) {
  EXPECT_EQ(refusal([] { Axis("j", Axis("i", 4)); }),
            "the extent i of j is not made of params and constants");
}

TEST(Definition, RefusesSizesThatOverflow) {
  EXPECT_EQ(refusal([] {
              Tensor("A", f64, {int64_t{1} << 40, 1 << 20});
            }),
            "A has more bytes than 63 bits count");
}

TEST(Definition, RefusesLayoutsOfSharedMemory) {
  Param M("M"), K("K");
  EXPECT_EQ(refusal([&] {
              Tensor("A", f32, {M, K}, Layout().pad(4));
            }),
            "the layout of A has a padding of 4, which is for shared memory; say how far its rows "
            "lie apart: pitch(K + 4)");
  EXPECT_EQ(refusal([&] {
              Tensor("A", f32, {M, K}, Layout().swizzle({4, 8, 1}));
            }),
            "the layout of A has a swizzle, which is for shared memory");
}

TEST(Definition, RefusesLayoutsThatDoNotFit) {
  Param M("M"), K("K");
  EXPECT_EQ(refusal([&] {
              Tensor("A", f32, {M, K}, Layout::order({2, 1, 0}));
            }),
            "the layout of A: its order (2, 1, 0) does not name each of 2 dimensions once");
  EXPECT_EQ(refusal([&] {
              Tensor("A", f32, {M, 8}, Layout().pitch(7));
            }),
            "the layout of A: the pitch 7 is less than a row of 8 elements");
  EXPECT_EQ(refusal([&] {
              Tensor("A", f32, {8, M}, Layout::column_major().pitch(Axis("i", M)));
            }),
            "the layout of A: the pitch i is not made of params and constants");
  EXPECT_EQ(refusal([] { Tensor("A", f32, {}, Layout().pitch(4)); }),
            "the layout of A: it has no dimensions");
  EXPECT_EQ(refusal([] {
              Tensor("A", f32, {int64_t{1} << 40, 8}, Layout().pitch(1 << 30));
            }),
            "A has more bytes than 63 bits count");
}

TEST(Definition, RefusesTwoReductions) {
  Vectors v;
  const Reduction total = sum(v.k, v.A(v.k)), largest = max(v.k, v.B(v.k));
  const std::string message =
      "a definition has one reduction, and this one has sum(k, A(k)) and max(k, B(k)); define one "
      "of them as a tensor of its own";
  EXPECT_EQ(refusal([&] { total + largest; }), message);
  EXPECT_EQ(refusal([&] { total - largest; }), message);
  EXPECT_EQ(refusal([&] { total* largest; }), message);
  EXPECT_EQ(refusal([&] { total / largest * 2.0; }), message);
  EXPECT_EQ(refusal([&] { max(total, largest); }), message);
  EXPECT_EQ(refusal([&] { min(total, largest); }), message);
}

TEST(Definition, RefusesAnotherNumberOfIndices) {
  Vectors v;
  EXPECT_EQ(refusal([&] { v.C(v.i, v.i) = 1.0; }),
            "C has 1 dimension and is defined with 2 indices");
  EXPECT_EQ(refusal([&] { v.C(v.i) = Expr(v.A(v.i, v.i)); }),
            "A has 1 dimension and is read with 2 indices");
}

TEST(Definition, RefusesAnIndexThatIsNoAxis) {
  Vectors v;
  EXPECT_EQ(refusal([&] { v.C(Expr(v.i) + 1) = 1.0; }),
            "the left-hand side of C has an index that is no axis; that takes a reduction, which "
            "combines what comes to one element");
}

TEST(Definition, RefusesAnAxisTwice) {
  Matrices m;
  Tensor C("C", f32, {m.M, m.M});
  EXPECT_EQ(refusal([&] { C(m.i, m.i) = 1.0; }), "i indexes C twice");
}

TEST(Definition, RefusesAReductionAxisOnTheLeft) {
  Vectors v;
  EXPECT_EQ(refusal([&] { v.C(v.k) = 1.0; }),
            "k is a reduction axis and indexes C, which it defines");
}

TEST(Definition, RefusesAnIndexThatIsOutsideForAllSizes) {
  const Param M("M"), N("N"), S("S");
  const Tensor X("X", f32, {N}), W("W", f32, {M, N + 2}), Y("Y", f32, {N}), F("F", f32, {8});
  const Axis i("i", N), f("f", 8);
  const ReduceAxis k("k", M);
  EXPECT_EQ(refusal([&] { Y(i) = X(i + 1); }),
            "X(i + 1): i + 1 goes up to N, and dimension 0 of X has the extent N; make that N + 1, "
            "or read it under a condition: select(i + 1 < N, X(i + 1), ...)");
  EXPECT_EQ(refusal([&] { Y(i) = X(i) - X(i - 1); }),
            "X(i - 1): i - 1 begins at -1, which is no index of X; read it under a condition: "
            "select(i - 1 >= 0, X(i - 1), ...)");
  EXPECT_EQ(refusal([&] { Y(i) = sum(k, W(k, i + S + 3)); }),
            "W(k, i + S + 3): i + S + 3 goes up to N + S + 2, and dimension 1 of W has the extent "
            "N + 2; make that N + S + 3, or read it under a condition: "
            "select(i + S + 3 < N + 2, W(k, i + S + 3), ...)");
  EXPECT_EQ(refusal([&] { Y(i) = F(8); }), "F(8): dimension 0 of F has the extent 8; make that 9");
  EXPECT_EQ(refusal([&] { Y(i) = F(-1); }), "F(-1): -1 is no index of F; add 1 to the index");
  EXPECT_EQ(refusal([&] { Y(i) = X(i + N); }),
            "X(i + N): i + N goes up to N*2 - 1, and dimension 0 of X has the extent N; make that "
            "N*2");
  EXPECT_EQ(refusal([&] { Y(i) = X(i - N); }),
            "X(i - N): i - N begins at -N, which is no index of X; add N to the index");
  EXPECT_EQ(refusal([&] { F(f) = F(f) + sum(k, X(k - M)); }),
            "X(k - M): k - M begins at -M, which is no index of X; add M to the index");
}

TEST(Definition, RefusesToWriteAnElementThatIsOutsideForAllSizes) {
  const Param N("N");
  const Tensor X("X", f32, {N}), Y("Y", f32, {N});
  const ReduceAxis k("k", N);
  EXPECT_EQ(refusal([&] { Y(k + 1) = sum(k, X(k)); }),
            "Y(k + 1): k + 1 goes up to N, and dimension 0 of Y has the extent N; make that N + 1");
  EXPECT_EQ(refusal([&] { Y(k - 2) = sum(k, X(k)); }),
            "Y(k - 2): k - 2 begins at -2, which is no index of Y; add 2 to the index");
}

TEST(Definition, RefusesAnExtentLargerThanTheShape) {
  Vectors v;
  Axis j("j", v.N + 1), l("l", 8);
  Tensor T("T", f32, {4});
  EXPECT_EQ(refusal([&] { v.C(j) = 1.0; }),
            "j runs to N + 1, and dimension 0 of C has the extent N");
  EXPECT_EQ(refusal([&] { T(l) = 1.0; }), "l runs to 8, and dimension 0 of T has the extent 4");
  EXPECT_EQ(refusal([&] { T(v.i) = 1.0; }), "i runs to N, and dimension 0 of T has the extent 4");
}

TEST(Definition, RefusesAnotherTypeOfElement) {
  Vectors v;
  Tensor D("D", i32, {v.N});
  EXPECT_EQ(refusal([&] { Program("f", v.C(v.i) = D(v.i)); }),
            "C has type f32 and is given a value of type i32; use cast");
  EXPECT_EQ(refusal([&] { Program("f", v.C(v.i) = sum(v.k, D(v.k))); }),
            "C has type f32 and is given a value of type i32; use cast");
  EXPECT_EQ(refusal([&] { v.C(v.i) = v.A(v.i) + D(v.i); }),
            "sum of A[i] (f32) and D[i] (i32); use cast");
}

TEST(Definition, RefusesAnyOfNumbers) {
  Vectors v;
  EXPECT_EQ(refusal([&] { any(v.k, v.A(v.k)); }),
            "A[k] has type f32, and any and all reduce bools");
}

TEST(Program, RefusesAnUnknownAxis) {
  Matrices m;
  EXPECT_EQ(refusal([&] { Program("f", m.C(m.i, m.j) = m.A(m.i, m.k)); }),
            "C(i, j) = A(i, k) uses k, which is neither an index of C nor reduced over");
}

TEST(Program, RefusesAnUnknownAxisInAnIdentity) {
  Matrices m;
  Axis l("l", 4);
  EXPECT_EQ(refusal([&] {
              Program("f", m.C(m.i, m.j) = reduce({m.k}, m.A(m.i, l), m.A(m.i, m.k),
                                                  [](Expr a, Expr b) { return a + b; }));
            }),
            "C(i, j) = reduce(k, A(i, k)) uses l, which is neither an index of C nor reduced over");
}

TEST(Program, RefusesAnIdentityThatVariesInTheReduction) {
  Matrices m;
  EXPECT_EQ(refusal([&] {
              Program("f", m.C(m.i, m.j) = reduce({m.k}, m.A(m.i, m.k), m.A(m.i, m.k),
                                                  [](Expr a, Expr b) { return a + b; }));
            }),
            "k is used outside its loop");
}

TEST(Program, RefusesAnEpilogueThatUsesTheReducedAxis) {
  Matrices m;
  EXPECT_EQ(refusal([&] { Program("f", m.C(m.i, m.j) = sum(m.k, m.A(m.i, m.k)) * m.B(m.k, m.j)); }),
            "k is used outside its loop");
}

TEST(Program, RefusesAnEpilogueOfAnotherType) {
  Vectors v;
  Tensor scale("scale", f64, {});
  EXPECT_EQ(refusal([&] { Program("f", v.S() = sum(v.k, v.A(v.k)) * scale()); }),
            "product of S[] (f32) and scale[] (f64); use cast");
  EXPECT_EQ(refusal([&] {
              Program("f", v.S() = sum(v.k, v.A(v.k)).then([](Expr x) { return cast(f64, x); }));
            }),
            "S has type f32 and is given a value of type f64; use cast");
}

TEST(Program, RefusesAnEpilogueThatReadsWhatItDefines) {
  Vectors v;
  EXPECT_EQ(
      refusal([&] { Program("f", v.C(v.i) = sum(v.k, v.A(v.k)) - v.C(v.i)); }),
      "C(i) = sum(k, A(k)) - C(i) reads C[i] beside a reduction into it; define the reduction "
      "as a tensor of its own, and C from that");
}

TEST(Program, RefusesToReduceOverAnAxisTwice) {
  Vectors v;
  EXPECT_EQ(refusal([&] {
              Program("f", v.S() = sum({v.k, v.k}, v.A(v.k)));
            }),
            "S() = sum({k, k}, A(k)) reduces over k twice");
}

TEST(Program, RefusesNoDefinitions) {
  EXPECT_EQ(refusal([] { Program("f", llvm::ArrayRef<Definition>()); }),
            "a program has at least one definition");
}

TEST(Program, RefusesASpatialAxisAsOneOfAReduction) {
  EXPECT_EQ(refusal([] { ReduceAxis(Axis("i", 8)); }), "i is no axis of a reduction");
}

TEST(Program, RefusesATensorDefinedTwice) {
  Vectors v;
  EXPECT_EQ(refusal([&] { Program("f", v.C(v.i) = 1.0, v.C(v.i) = 2.0); }), "C is defined twice");
}

TEST(Program, RefusesATensorReadBeforeItsDefinition) {
  Vectors v;
  EXPECT_EQ(refusal([&] { Program("f", v.C(v.i) = v.B(v.i), v.B(v.i) = v.A(v.i)); }),
            "C(i) = B(i) reads B, which is not defined before it");
}

TEST(Program, RefusesTwoTensorsOfOneName) {
  Vectors v;
  Tensor other("A", f32, {v.N});
  EXPECT_EQ(refusal([&] { Program("f", v.C(v.i) = v.A(v.i) + other(v.i)); }),
            "two tensors are named A");
}

TEST(Program, RefusesTwoParamsOfOneName) {
  Param N("N"), other("N");
  Tensor C("C", f32, {N, other});
  Axis i("i", N), j("j", other);
  EXPECT_EQ(refusal([&] { Program("f", C(i, j) = 1.0); }), "two params are named N");
}

TEST(Program, RefusesANameThatIsNone) {
  Vectors v;
  const auto named = [&](const char* name) {
    return refusal([&] { Program(name, v.C(v.i) = 1.0); });
  };
  for (const char* name : {"", "my program", "f.g", "2f", "a\nb", "a\\", "a/*", "\xe9t\xe9"})
    EXPECT_EQ(named(name),
              fmt::format("'{}' is no name for a program: letters, digits and '_', not "
                          "starting with a digit",
                          name));
}

}  // namespace program_refusal_test
}  // namespace hone
