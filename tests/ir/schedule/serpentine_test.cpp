// Loops that run backwards in every second iteration of one around them.
#include <gtest/gtest.h>

#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace serpentine_test {

Rewriting turns(llvm::StringRef outer, std::initializer_list<llvm::StringRef> inner) {
  const llvm::SmallVector<llvm::StringRef, 2> names(inner);
  return [=](const Function& f) {
    llvm::SmallVector<AxisPtr, 2> turning;
    for (const llvm::StringRef name : names) turning.push_back(axis(f, name));
    return serpentine(f, axis(f, outer), turning).function;
  };
}

constexpr const char* outer_product = R"(func f(A: f32[4], B: f32[6], C: f32[4, 6]) {
  for i in 0..4 {
    for j.0 in 0..2 {
      for j.1 in 0..3 {
        C[i, j.0*3 + j.1] += A[i] * B[j.0*3 + j.1]
      }
    }
  }
})";

TEST(Serpentine, TurnsAtTheEndOfARow) {
  expect_rewrite(R"(func f[N](A: f32[4], B: f32[N], C: f32[4, N]) {
  for i in 0..4 {
    for j in 0..N {
      C[i, j] += A[i] * B[j]
    }
  }
})",
                 turns("i", {"j"}), R"(func f[N](A: f32[4], B: f32[N], C: f32[4, N]) {
  for i in 0..4 {
    for j in 0..N {
      let j.turn = select(i % 2 == 0, j, N - j - 1)
      C[i, j.turn] += A[i] * B[j.turn]
    }
  }
})");
}

TEST(Serpentine, TurnsSeveralLoopsAtOnce) {
  expect_rewrite(outer_product, turns("i", {"j.0", "j.1"}),
                 R"(func f(A: f32[4], B: f32[6], C: f32[4, 6]) {
  for i in 0..4 {
    for j.0 in 0..2 {
      let j.0.turn = select(i % 2 == 0, j.0, 1 - j.0)
      for j.1 in 0..3 {
        let j.1.turn = select(i % 2 == 0, j.1, 2 - j.1)
        C[i, j.0.turn*3 + j.1.turn] += A[i] * B[j.0.turn*3 + j.1.turn]
      }
    }
  }
})");
}

/// Sums are the same in another order, up to rounding.
TEST(Serpentine, TurnsReductions) {
  expect_rewrite(R"(func f(A: f32[3, 5], C: f32[3]) {
  for i in 0..3 {
    reduce k in 0..5 @unroll {
      C[i] += A[i, k]
    }
  }
})",
                 turns("i", {"k"}), R"(func f(A: f32[3, 5], C: f32[3]) {
  for i in 0..3 {
    reduce k in 0..5 @unroll {
      let k.turn = select(i % 2 == 0, k, 4 - k)
      C[i] += A[i, k.turn]
    }
  }
})");
}

TEST(SerpentineRefusals, OfLoopsThatAreNotInside) {
  expect_refusal(outer_product, turns("j.0", {"i"}),
                 R"(error: serpentine: i does not stand inside of j.0
  for i in 0..4 {                    <-- here
    for j.0 in 0..2 {
      for j.1 in 0..3 {
note: name the outer loop first)");
}

TEST(SerpentineRefusals, OfNoLoops) {
  expect_refusal(outer_product, turns("i", {}),
                 R"(error: serpentine: no loop is to turn in i
  for i in 0..4 {                    <-- here
    for j.0 in 0..2 {
      for j.1 in 0..3 {
note: name loops inside of it: s.serpentine(i, {j}))");
}

TEST(SerpentineRefusals, OfLoopsOfThreads) {
  expect_refusal(
      R"(func f(C: f32[4, 8]) {
  for i in 0..4 {
    for j in 0..8 @thread.x {
      C[i, j] = 1.0
    }
  }
})",
      turns("i", {"j"}),
      R"(error: serpentine: j is bound to thread.x, and has no iterations that follow each other
  for i in 0..4 {
    for j in 0..8 @thread.x {        <-- here
      C[i, j] = 1.0
note: turn a loop whose iterations one thread runs)");
}

TEST(SerpentineRefusals, OfIterationsThatDependOnEachOther) {
  expect_refusal(
      R"(func f(C: f32[4, 9]) {
  for i in 0..4 {
    for j in 0..8 {
      C[i, j + 1] = C[i, j]
    }
  }
})",
      turns("i", {"j"}),
      R"(error: serpentine: two iterations of j may touch one element: one writes C[i, j + 1], one reads C[i, j]
  for i in 0..4 {
    for j in 0..8 {
      C[i, j + 1] = C[i, j]          <-- here
note: iterations that depend on each other keep their order)");
}

}  // namespace serpentine_test
}  // namespace hone
