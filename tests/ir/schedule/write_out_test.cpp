#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/traverse/equal.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace write_out_test {

Rewriting writes_out(llvm::StringRef name) {
  return [=](const Function& f) { return write_out(f, axis(f, name)).function; };
}

TEST(WriteOut, PutsIterationsSideBySide) {
  expect_rewrite(R"(func f[M](A: f32[M, 3], C: f32[M]) {
                      for i in 0..M { reduce k in 0..3 { C[i] += A[i, k] } }
                    })",
                 writes_out("k"), R"(func f[M](A: f32[M, 3], C: f32[M]) {
  for i in 0..M {
    C[i] += A[i, 0]
    C[i] += A[i, 1]
    C[i] += A[i, 2]
  }
})");
}

TEST(WriteOut, DropsGuardsThatAreDecided) {
  expect_rewrite(R"(func f(A: f32[5], C: f32[5]) {
                      for i in 0..2 { for j in 0..3 { if (i*3 + j < 5) { C[i*3 + j] = A[i*3 + j] } } }
                    })",
                 [](const Function& f) { return writes_out("i")(writes_out("j")(f)); },
                 R"(func f(A: f32[5], C: f32[5]) {
  C[0] = A[0]
  C[1] = A[1]
  C[2] = A[2]
  C[3] = A[3]
  C[4] = A[4]
})");
}

TEST(WriteOut, GivesLoopsInsideNamesOfTheirOwn) {
  expect_rewrite(R"(func f[M](A: f32[2, M], C: f32[2, M]) {
                      for i in 0..2 { for j in 0..M { C[i, j] = A[i, j] } }
                    })",
                 writes_out("i"), R"(func f[M](A: f32[2, M], C: f32[2, M]) {
  for j in 0..M {
    C[0, j] = A[0, j]
  }
  for j.1 in 0..M {
    C[1, j.1] = A[1, j.1]
  }
})");
}

TEST(WriteOut, GivesTilesInsideNamesOfTheirOwn) {
  expect_rewrite(
      R"(func f(A: f32[2, 4], C: f32[2, 4]) {
        for i in 0..2 { for j in 0..4 { C[i, j] = A[i, j] } }
      })",
      [](const Function& f) { return writes_out("i")(in_registers(f, "A", "i")); },
      R"(func f(A: f32[2, 4], C: f32[2, 4]) {
  alloc A.reg: f32[4] @registers
  copy A.reg[0 .. +4] <- A[0, 0 .. +4]
  for j in 0..4 @unroll {
    C[0, j] = A.reg[j]
  }
  alloc A.reg.1: f32[4] @registers
  copy A.reg.1[0 .. +4] <- A[1, 0 .. +4]
  for j.1 in 0..4 @unroll {
    C[1, j.1] = A.reg.1[j.1]
  }
})");
}

TEST(WriteOut, IndexesRegistersWithConstants) {
  expect_rewrite(
      R"(func f[M](A: f32[M, 4], C: f32[M]) {
        for i in 0..M { reduce h in 0..2 { reduce k in 0..2 { C[i] += A[i, h*2 + k] } } }
      })",
      [](const Function& f) { return in_registers(writes_out("h")(writes_out("k")(f)), "A", "i"); },
      R"(func f[M](A: f32[M, 4], C: f32[M]) {
  for i in 0..M {
    alloc A.reg: f32[4] @registers
    copy A.reg[0 .. +4] <- A[i, 0 .. +4]
    C[i] += A.reg[0]
    C[i] += A.reg[1]
    C[i] += A.reg[2]
    C[i] += A.reg[3]
  }
})");
}

TEST(WriteOut, ReturnsNoAxes) {
  const Function f = parse_function("func f(C: f32[2]) { for i in 0..2 { C[i] = 1.0 } }");
  EXPECT_TRUE(write_out(f, axis(f, "i")).axes.empty());
}

TEST(WriteOut, RefusesAnExtentThatIsNotConstant) {
  expect_refusal("func f[M](C: f32[M]) { for i in 0..M { C[i] = 1.0 } }", writes_out("i"),
                 R"(error: write_out: i has the extent M, which is known at launch only
  for i in 0..M {                    <-- here
    C[i] = 1.0
note: split off a constant number of iterations)");
}

TEST(WriteOut, RefusesTooManyStatements) {
  expect_refusal("func f(C: f32[20000]) { for i in 0..20000 { C[i] = 1.0 } }", writes_out("i"),
                 R"(error: write_out: unrolling i would make more than 4096 statements
  for i in 0..20000 {                <-- here
    C[i] = 1.0
note: unroll a part of it, or fewer of the loops around it)");
  expect_refusal(
      R"(func f(C: f32[200, 100]) {
        for i in 0..200 { for j in 0..100 @unroll { C[i, j] = 1.0 } }
      })",
      writes_out("i"), R"(error: write_out: unrolling i would make more than 4096 statements
  for i in 0..200 {                  <-- here
    for j in 0..100 @unroll {
      C[i, j] = 1.0
note: unroll a part of it, or fewer of the loops around it)");
}

TEST(WriteOut, RefusesALoopThatIsBoundOrUnrolled) {
  constexpr const char* text = "func f(C: f32[4]) { for i in 0..4 { C[i] = 1.0 } }";
  expect_refusal(
      text, [](const Function& f) { return writes_out("i")(bound(f, "i", thread_x)); },
      R"(error: write_out: i is bound to thread.x already
  for i in 0..4 @thread.x {          <-- here
    C[i] = 1.0
note: write it out before binding it)");
  expect_refusal(
      text, [](const Function& f) { return writes_out("i")(unroll(f, axis(f, "i"), 0).function); },
      R"(error: write_out: i is unrolled already
  for i in 0..4 @unroll {            <-- here
    C[i] = 1.0
note: write it out before unrolling it)");
}

/// The text of a thousand tiles, each of which lasts to the end of its block, could not be read
/// back.
TEST(WriteOut, RefusesTilesThatNestTooDeepInTheText) {
  const auto text = [](int count) {
    return fmt::format(
        "func f(A: f32[{0}], C: f32[{0}]) {{ for i in 0..{0} {{ "
        "alloc T: f32[] @registers T[] = A[i] C[i] = T[] }} }}",
        count);
  };
  const Function function = writes_out("i")(parse_function(text(998)));
  EXPECT_TRUE(equal(parse_function(to_string(function)), function));
  try {
    writes_out("i")(parse_function(text(1000)));
    FAIL() << "nothing was thrown";
  } catch (const DefinitionError& error) {
    EXPECT_STREQ(error.what(), "statements nest 1001 levels deep, and at most 1000 are taken");
  }
}

TEST(WriteOut, RefusesAnAxisThatHasNoLoop) {
  expect_refusal(
      "func f(C: f32[4]) { for i in 0..4 { C[i] = 1.0 } }",
      [](const Function& f) { return write_out(f, make_axis("j", AxisKind::spatial)).function; },
      R"(error: write_out: f has no axis j
note: its axes are i)");
}

}  // namespace write_out_test
}  // namespace hone
