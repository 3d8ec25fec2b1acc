// Regressions that random schedules have found.
#include "gtest/gtest.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace regressions_test {

/// The rest of a tile of two that sticks out of one element.
constexpr const char* half_a_tile = R"(func f(A: f32[1], C: f32[1]) {
  for i.0 in 0..1 { for i.1 in 0..2 {
    if (i.0*2 + i.1 < 1) { C[i.0*2 + i.1] = A[i.0*2 + i.1] }
  } }
})";

TEST(Regressions, AGuardStaysAroundWhatReadsATileThatIsFilledUnderIt) {
  expect_rewrite(
      half_a_tile,
      [](const Function& f) { return in_registers(in_shared(f, "A", "i.1"), "C", "i.1"); },
      R"(func f(A: f32[1], C: f32[1]) {
        for i.0 in 0..1 { for i.1 in 0..2 {
          alloc C.reg: f32[] @registers
          alloc A.shared: f32[] @shared
          if (i.0*2 + i.1 < 1) { A.shared[] = A[i.0*2 + i.1] }
          if (i.0*2 + i.1 < 1) { C.reg[] = A.shared[] }
          if (i.0*2 + i.1 < 1) { C[i.0*2 + i.1] = C.reg[] }
        } }
      })");
}

/// C is larger than what is defined of it.
TEST(Regressions, AGuardStaysAroundAnUpdateOfATileThatIsFilledUnderAnother) {
  expect_rewrite(
      R"(func f(A: f32[1, 1], C: f32[2]) {
        for j in 0..4 {
          if (j < 1) { C[j] = 0.0 }
          reduce k.0 in 0..1 { reduce k.1 in 0..2 {
            if (k.0*2 + k.1 < 1) { if (j < 1) { C[j] += A[j, k.0*2 + k.1] } }
          } }
        }
      })",
      [](const Function& f) { return in_shared(in_registers(f, "C", "j"), "A", "k.0"); },
      R"(func f(A: f32[1, 1], C: f32[2]) {
        for j in 0..4 {
          alloc C.reg: f32[] @registers
          if (j < 2) { C.reg[] = C[j] }
          if (j < 1) { C.reg[] = 0.0 }
          reduce k.0 in 0..1 {
            alloc A.shared: f32[2] @shared
            copy A.shared[0 .. +2] <- A[j, k.0*2 .. +2]
            reduce k.1 in 0..2 { if (j < 1) { C.reg[] += A.shared[k.1] } }
          }
          if (j < 2) { C[j] = C.reg[] }
        }
      })");
}

TEST(Regressions, PadReadsConstantsOfAnOperandsType) {
  expect_rewrite("func f(A: i32[3], C: bool[1]) { reduce k in 0..3 { C[0] and= A[k] > 0 } }",
                 pads("k", 2), R"(func f(A: i32[3], C: bool[1]) {
                   reduce k.0 in 0..2 { reduce k.1 in 0..2 {
                     C[0] and= select(k.0*2 + k.1 < 3, A[k.0*2 + k.1], 1i32) > 0i32
                   } }
                 })");
  expect_refusal("func f(A: i32[3], C: f32[1]) { reduce k in 0..3 { C[0] min= f32(A[k]) } }",
                 pads("k", 2),
                 "error: split: iterations beyond the end would change C: no value to read there "
                 "leaves 'min= f32(A[k])' without effect\n"
                 "  reduce k in 0..3 {\n"
                 "    C[0] min= f32(A[k])              <-- here\n"
                 "note: {.tail = Tail::guard} takes any program");
}

/// A tile of a tile takes what is there, also where that is nothing.
TEST(Regressions, ATileOfATileMovesWhatNothingHasWritten) {
  expect_rewrite(
      R"(func f(A: f32[1], C: f32[2]) {
        for i in 0..2 { reduce k in 0..1 { reduce m in 0..2 { for j in 0..2 {
          if (i + j < 1) { C[j] += A[i] }
        } } } }
      })",
      [](const Function& f) { return in_registers(in_shared(f, "A", "k"), "A.shared", "m"); },
      R"(func f(A: f32[1], C: f32[2]) {
        for i in 0..2 { reduce k in 0..1 {
          alloc A.shared: f32[] @shared
          if (i < 1) { A.shared[] = A[i] }
          reduce m in 0..2 {
            alloc A.reg: f32[] @registers
            A.reg[] = A.shared[]
            for j in 0..2 { if (i + j < 1) { C[j] += A.reg[] } }
          }
        } }
      })");
}

}  // namespace regressions_test
}  // namespace hone
