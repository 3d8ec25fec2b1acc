#include "ir/interpret/interpreter.h"

#include "fmt/format.h"
#include "gtest/gtest.h"
#include "ir/opcodes/opcodes.h"
#include "ir/text/parser.h"
#include "tests/support/ir/run.h"

namespace hone {
namespace interpreter_test {

const char* const matmul = R"(
  func matmul[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
    for i in 0..M @block.x {
      for j in 0..N @thread.x {
        C[i, j] = 0.0
        reduce k in 0..K @unroll(4) {
          C[i, j] += A[i, k] * B[k, j]
        }
      }
    }
  })";

TEST(Interpreter, MultipliesMatricesAsPlainLoopsDo) {
  constexpr int64_t rows = 5, columns = 7, depth = 3;
  Buffers buffers = {{"A", counting(f32, {rows, depth})},
                     {"B", counting(f32, {depth, columns})},
                     {"C", Buffer(f32, {rows, columns})}};
  Values expected(rows * columns);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j)
      for (int64_t k = 0; k < depth; ++k)
        expected[i * columns + j] +=
            buffers["A"].get(i * depth + k) * buffers["B"].get(k * columns + j);
  EXPECT_EQ(run(matmul, buffers), expected);
}

TEST(Interpreter, RunsALoopOfExtentZeroNotAtAll) {
  EXPECT_EQ(run("func f[N](A: f32[N], C: f32[1]) { for i in 0..N { C[0] += A[i] } }",
                {{"A", Buffer(f32, {0})}, {"C", vector_of({7})}}),
            Values{7});
}

TEST(Interpreter, CombinesAsTheUpdateSays) {
  const auto update = [](const std::string& op, DType type, Values values) {
    const std::string text = "func f[N](A: " + name(type).str() + "[N], C: " + name(type).str() +
                             "[1]) { for i in 0..N { C[0] " + op + " A[i] } }";
    return run(text, {{"A", vector_of(values, type)}, {"C", vector_of({values[0]}, type)}})[0];
  };
  EXPECT_EQ(update("=", f32, {2, 5, 3}), 3);
  EXPECT_EQ(update("+=", f32, {2, 5, 3}), 12);
  EXPECT_EQ(update("*=", i32, {2, 5, 3}), 60);
  EXPECT_EQ(update("min=", f32, {2, 5, -3}), -3);
  EXPECT_EQ(update("max=", i8, {2, 5, -3}), 5);
  EXPECT_EQ(update("and=", boolean, {1, 0, 1}), 0);
  EXPECT_EQ(update("or=", boolean, {0, 0, 1}), 1);
}

TEST(Interpreter, MovesEachTypeUnchanged) {
  for (DType type : {f64, f32, f16, bf16, i64, i32, i8, u8, boolean}) {
    const std::string array = name(type).str() + "[3]";
    const std::string text = "func f(A: " + array + ", C: " + array + R"() {
      alloc T: )" + array + R"( @shared
      for i in 0..3 { T[i] = A[i] }
      for j in 0..3 { C[j] = T[j] }
    })";
    const Buffer source = vector_of({1, 0, 100}, type);
    EXPECT_EQ(run(text, {{"A", source}, {"C", Buffer(type, {3})}}), values_of(source))
        << name(type).str();
  }
}

TEST(Interpreter, RoundsToTheTypeAtEveryStep) {
  const std::string text =
      "func f[N](A: f16[N], C: f16[1]) { for i in 0..N { C[0] = C[0] * f16(1) + A[i] } }";
  EXPECT_EQ(run(text, {{"A", vector_of({2048, 1, 1, 1}, f16)}, {"C", vector_of({0}, f16)}}),
            Values{2048});
}

TEST(Interpreter, GivesALetItsValue) {
  EXPECT_EQ(run(R"(func f(C: f32[6]) {
                     for i in 0..2 {
                       for j in 0..3 {
                         let e = i*3 + j
                         C[e] = f32(e * 10)
                       }
                     }
                   })",
                {{"C", Buffer(f32, {6})}}),
            (Values{0, 10, 20, 30, 40, 50}));
}

TEST(Interpreter, FollowsTheLayoutOfAnArgument) {
  EXPECT_EQ(run(R"(func f(A: f32[2, 3], C: f32[2, 3] @order(1, 0)) {
                     for i in 0..2 { for j in 0..3 { C[i, j] = A[i, j] } }
                   })",
                {{"A", counting(f32, {2, 3})}, {"C", Buffer(f32, {2, 3})}}),
            (Values{1, 4, 2, 5, 3, 6}));
}

TEST(Interpreter, CallsIntrinsicsAndCasts) {
  EXPECT_EQ(run(R"(func f(A: f32[3], C: i32[3]) {
                     for i in 0..3 { C[i] = i32(sqrt(abs(A[i])) + max(A[i], 0.0)) }
                   })",
                {{"A", vector_of({4, -9, 2})}, {"C", Buffer(i32, {3})}}),
            (Values{6, 3, 3}));
}

// ---- Laziness -----------------------------------------------------------------------------------

TEST(Interpreter, EvaluatesOnlyTheChosenOperandOfSelect) {
  EXPECT_EQ(run(R"(func f(A: f32[2], C: f32[4]) {
                     for i in 0..4 { C[i] = select(i < 2, A[i], 9.0) }
                   })",
                {{"A", vector_of({1, 2})}, {"C", Buffer(f32, {4})}}),
            (Values{1, 2, 9, 9}));
}

TEST(Interpreter, EvaluatesTheRightOfAndOnlyAfterATrueLeft) {
  EXPECT_EQ(run(R"(func f(A: f32[2], C: f32[4]) {
                     for i in 0..4 { if (i < 2 && A[i] > 1.0) { C[i] = 9.0 } }
                   })",
                {{"A", vector_of({1, 2})}, {"C", Buffer(f32, {4})}}),
            (Values{0, 9, 0, 0}));
}

TEST(Interpreter, EvaluatesTheRightOfOrOnlyAfterAFalseLeft) {
  EXPECT_EQ(run(R"(func f(A: f32[2], C: f32[4]) {
                     for i in 0..4 { if (i >= 2 || A[i] > 1.0) { C[i] = 9.0 } }
                   })",
                {{"A", vector_of({1, 2})}, {"C", Buffer(f32, {4})}}),
            (Values{0, 9, 9, 9}));
}

// ---- Indices out of bounds ----------------------------------------------------------------------

TEST(InterpreterBounds, NameTheAccessTheIndexAndTheAxes) {
  EXPECT_EQ(interpret_error(R"(func f(C: f32[10, 2]) {
                                 for i in 0..4 {
                                   for j in 0..4 {
                                     for k in 0..2 {
                                       if (i == 3 && k == 1) { C[i*4 + j, k] = 1.0 }
                                     }
                                   }
                                 }
                               })",
                            {{"C", Buffer(f32, {10, 2})}}),
            "C[i*4 + j, k]: index 0 is 12, outside 0..10 (i = 3, j = 0, k = 1)");
}

TEST(InterpreterBounds, HoldForLoads) {
  EXPECT_EQ(interpret_error("func f(A: f32[2], C: f32[4]) { for i in 0..4 { C[i] = A[i] } }",
                            {{"A", Buffer(f32, {2})}, {"C", Buffer(f32, {4})}}),
            "A[i]: index 0 is 2, outside 0..2 (i = 2)");
}

TEST(InterpreterBounds, HoldForNegativeIndices) {
  EXPECT_EQ(interpret_error("func f(C: f32[2, 4]) { for i in 0..4 { C[0, i - 1] = 0.0 } }",
                            {{"C", Buffer(f32, {2, 4})}}),
            "C[0, i - 1]: index 1 is -1, outside 0..4 (i = 0)");
}

TEST(InterpreterBounds, HoldForEveryIndexEvenWherePositionsExist) {
  EXPECT_EQ(interpret_error("func f(C: f32[2, 4]) { for i in 0..8 { C[0, i] = 0.0 } }",
                            {{"C", Buffer(f32, {2, 4})}}),
            "C[0, i]: index 1 is 4, outside 0..4 (i = 4)");
}

TEST(InterpreterBounds, NameNoAxesWhereThereAreNone) {
  EXPECT_EQ(interpret_error("func f(C: f32[2]) { C[2] = 0.0 }", {{"C", Buffer(f32, {2})}}),
            "C[2]: index 0 is 2, outside 0..2");
}

TEST(InterpreterBounds, NameLetsAmongTheAxes) {
  EXPECT_EQ(interpret_error(R"(func f(C: f32[2]) {
                                 for i in 0..4 {
                                   let e = i*2
                                   C[e] = 0.0
                                 }
                               })",
                            {{"C", Buffer(f32, {2})}}),
            "C[e]: index 0 is 2, outside 0..2 (i = 1, e = 2)");
}

TEST(InterpreterBounds, NameOnlyTheAxesAroundTheAccess) {
  EXPECT_EQ(interpret_error(R"(func f(C: f32[2]) {
                                 for i in 0..2 { C[i] = 0.0 }
                                 for j in 0..4 { C[j] = 0.0 }
                               })",
                            {{"C", Buffer(f32, {2})}}),
            "C[j]: index 0 is 2, outside 0..2 (j = 2)");
}

// ---- Elements that nothing has written ----------------------------------------------------------

TEST(InterpreterUninitialised, ElementsAreNotLoaded) {
  EXPECT_EQ(interpret_error(R"(func f(C: f32[2, 2]) {
                                 alloc T: f32[2, 2] @registers
                                 for i in 0..2 { T[i, 0] = 1.0 }
                                 for j in 0..2 { for k in 0..2 { C[j, k] = T[j, k] } }
                               })",
                            {{"C", Buffer(f32, {2, 2})}}),
            "T[j, k]: reads T[0, 1], which nothing has written (j = 0, k = 1)");
}

TEST(InterpreterUninitialised, ElementsAreNotUpdated) {
  EXPECT_EQ(interpret_error(R"(func f(C: f32[1]) {
                                 alloc T: f32[4, 5] @order(1, 0) @shared
                                 for i in 0..4 { T[i, i + 1] += 1.0 }
                               })",
                            {{"C", Buffer(f32, {1})}}),
            "T[i, i + 1]: reads T[0, 1], which nothing has written (i = 0)");
}

TEST(InterpreterUninitialised, ElementsAreNotCopied) {
  EXPECT_EQ(interpret_error(R"(func f(C: f32[2]) {
                                 alloc T: f32[2] @registers
                                 T[0] = 1.0
                                 for i in 0..1 { copy C[i .. +2] <- T[0 .. +2] }
                               })",
                            {{"C", Buffer(f32, {2})}}),
            "copy C[i .. +2] <- T[0 .. +2]: reads T[1], which nothing has written (i = 0)");
}

TEST(InterpreterUninitialised, ElementsMayBeClippedAway) {
  EXPECT_EQ(run(R"(func f(C: f32[2]) {
                     alloc T: f32[3] @registers
                     for i in 0..2 { T[i] = 5.0 }
                     copy C[0 .. +3] <- T[0 .. +3]
                   })",
                {{"C", Buffer(f32, {2})}}),
            (Values{5, 5}));
}

TEST(InterpreterUninitialised, ElementsMayMoveBetweenAllocatedTensors) {
  const auto program = [](const char* last, const char* moved) {
    return fmt::format(R"(func f(C: f32[2]) {{
                            alloc T: f32[2] @registers
                            alloc U: f32[2] @shared
                            alloc V: f32[2] @registers
                            T[0] = 1.0
                            U[1] = 2.0
                            copy U[0 .. +2] <- T[0 .. +2]
                            for i in 0..2 {{ V[i] = {} }}
                            {}
                          }})",
                       moved, last);
  };
  const Buffers fives = {{"C", vector_of({5, 5})}};
  for (const char* moved : {"U[i]", "select(i < 2, U[i], 0.0)", "select(i < 0, 0.0, U[i])"}) {
    EXPECT_EQ(run(program("C[0] = V[0] + 1.0", moved), fives), (Values{2, 5}));
    EXPECT_EQ(interpret_error(program("C[1] = V[1] + 1.0", moved), fives),
              "V[1]: reads V[1], which nothing has written");
    EXPECT_EQ(interpret_error(program("C[1] = V[1]", moved), fives),
              "V[1]: reads V[1], which nothing has written");
  }
  EXPECT_EQ(interpret_error(program("C[1] = V[1]", "U[i] + 0.0"), fives),
            "U[i]: reads U[1], which nothing has written (i = 1)");
}

TEST(InterpreterUninitialised, IsATensorEachTimeItIsAllocated) {
  EXPECT_EQ(interpret_error(R"(func f(C: f32[2]) {
                                 for i in 0..2 {
                                   alloc T: f32[1] @registers
                                   if (i == 0) { T[0] = 1.0 }
                                   C[i] = T[0]
                                 }
                               })",
                            {{"C", Buffer(f32, {2})}}),
            "T[0]: reads T[0], which nothing has written (i = 1)");
}

TEST(InterpreterUninitialised, IsNoArgument) {
  EXPECT_EQ(run("func f(C: f32[2]) { for i in 0..2 { C[i] += 1.0 } }", {{"C", vector_of({3, 4})}}),
            (Values{4, 5}));
}

TEST(InterpreterUninitialised, IsNotWhatACopyFilledWithZeros) {
  EXPECT_EQ(run(R"(func f(A: f32[2], C: f32[4]) {
                     alloc T: f32[4] @shared
                     copy T[0 .. +4] <- A[0 .. +4]
                     for i in 0..4 { C[i] = T[i] }
                   })",
                {{"A", vector_of({1, 2})}, {"C", Buffer(f32, {4})}}),
            (Values{1, 2, 0, 0}));
}

// ---- Arithmetic without a value -----------------------------------------------------------------

TEST(InterpreterArithmetic, RefusesToDivideANegativeIndex) {
  EXPECT_EQ(interpret_error("func f(C: f32[8]) { for i in 0..8 { C[(i - 3)/4] = 0.0 } }",
                            {{"C", Buffer(f32, {8})}}),
            "(i - 3) / 4: -3 / 4 is a division of a negative index (i = 0)");
  EXPECT_EQ(interpret_error("func f(C: f32[8]) { for i in 0..8 { C[(i - 3)%4] = 0.0 } }",
                            {{"C", Buffer(f32, {8})}}),
            "(i - 3) % 4: -3 % 4 is a division of a negative index (i = 0)");
}

TEST(InterpreterArithmetic, RefusesToDivideByZero) {
  EXPECT_EQ(interpret_error("func f(A: i32[2], C: i32[2]) { for i in 0..2 { C[i] = 7 / A[i] } }",
                            {{"A", vector_of({1, 0}, i32)}, {"C", Buffer(i32, {2})}}),
            "7i32 / A[i]: 7 / 0 is a division by zero (i = 1)");
}

TEST(InterpreterArithmetic, RefusesAnIndexThatOverflows) {
  EXPECT_EQ(
      interpret_error("func f(C: f32[1]) { for i in 0..4 { C[0] = f32(i * 4611686018427387904) } }",
                      {{"C", Buffer(f32, {1})}}),
      "i*4611686018427387904: 2 * 4611686018427387904 overflows a 64-bit index (i = 2)");
}

TEST(InterpreterArithmetic, RefusesANegativeLoopExtent) {
  EXPECT_EQ(interpret_error(R"(func f[N](C: f32[N]) {
                                 for i in 0..2 { for j in 0..N - 5 { C[0] = 1.0 } }
                               })",
                            {{"C", Buffer(f32, {3})}}),
            "for j in 0..N - 5: the extent is -2 (i = 0)");
}

TEST(InterpreterArithmetic, RefusesANegativeShape) {
  EXPECT_EQ(interpret_error(R"(func f[N](C: f32[N]) {
                                 alloc T: f32[2, N - 5] @shared
                                 C[0] = 1.0
                               })",
                            {{"C", Buffer(f32, {3})}}),
            "alloc T: f32[2, -2] has a negative extent");
}

// ---- What is not loop IR ------------------------------------------------------------------------

TEST(Interpreter, RefusesKernelIr) {
  const TensorPtr tensor = make_tensor("C", f32, {Expr(4)});
  Function function;
  function.arguments = {tensor};
  Buffers buffers = {{"C", Buffer(f32, {4})}};
  const auto error = [&](Stmt body) {
    function.body = std::move(body);
    return message_of<InterpretError>([&] { interpret(function, {}, buffers); });
  };
  EXPECT_EQ(
      error(Store::make(tensor, {ThreadIndex::make(IndexSpace::thread, 0)}, Update::set, 1.0)),
      "thread.x: has no value in loop IR, which is what the interpreter runs");
  EXPECT_EQ(error(make_barrier()),
            "barrier: has no meaning in loop IR, which is what the interpreter runs");
}

TEST(Interpreter, RefusesATensorOutOfScope) {
  const TensorPtr argument = make_tensor("C", f32, {Expr(4)});
  const TensorPtr local = make_tensor("T", f32, {Expr(4)}, Scope::registers);
  const Stmt inside = Alloc::make(local, Store::make(local, {Expr(0)}, Update::set, 1.0));
  const Stmt after = Store::make(argument, {Expr(0)}, Update::set, Load::make(local, {Expr(0)}));
  Function function;
  function.arguments = {argument};
  function.body = Seq::make({inside, after});
  Buffers buffers = {{"C", Buffer(f32, {4})}};
  EXPECT_EQ(message_of<std::invalid_argument>([&] { interpret(function, {}, buffers); }),
            "T is not in scope");
}

}  // namespace interpreter_test
}  // namespace hone
