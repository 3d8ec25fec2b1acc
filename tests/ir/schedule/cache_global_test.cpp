// cache_global: a copy of an argument in global memory, in another layout.
#include <gtest/gtest.h>

#include "ir/text/parser.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace cache_global_test {

constexpr const char* row_sums = R"(func f[M, K](A: f32[M, K], C: f32[M]) {
  for i in 0..M {
    C[i] = 0.0
    reduce k in 0..K {
      C[i] += A[i, k]
    }
  }
})";

Rewriting copies(llvm::StringRef name, const Layout& layout = {}) {
  return [=](const Function& f) { return cache_global(f, tensor(f, name), layout).function; };
}

/// The layout whose rows are so many elements of param K apart, rounded up.
Rewriting copies_at_pitch(int64_t piece) {
  return [=](const Function& f) {
    const Expr K = tensor(f, "A")->shape[1];
    return copies("A", Layout().pitch((K + (piece - 1)) / piece * piece))(f);
  };
}

TEST(CacheGlobal, RowsLieAtAnotherPitch) {
  expect_rewrite(row_sums, copies_at_pitch(4), R"(func f[M, K](A: f32[M, K], C: f32[M]) {
  alloc A.global: f32[M, K] @pitch(((K + 3) / 4)*4) @global
  for A.global.0 in 0..M {
    for A.global.1 in 0..K {
      A.global[A.global.0, A.global.1] = A[A.global.0, A.global.1]
    }
  }
  for i in 0..M {
    C[i] = 0.0
    reduce k in 0..K {
      C[i] += A.global[i, k]
    }
  }
})");
}

TEST(CacheGlobal, OfCopiesAndConditionsAndIndices) {
  expect_rewrite(R"(func f(A: i32[4, 8], C: i32[4, 8]) {
  for i in 0..4 @block.x {
    alloc T: i32[8] @shared
    copy T[0 .. +8] <- A[i, 0 .. +8]
    for j in 0..8 {
      if (A[i, j] > 2) {
        C[i, index(A[0, j]) % 8] += T[7 - j]
      }
    }
  }
})",
                 copies("A", Layout::order({1, 0})), R"(func f(A: i32[4, 8], C: i32[4, 8]) {
  alloc A.global: i32[4, 8] @order(1, 0) @global
  for A.global.0 in 0..4 {
    for A.global.1 in 0..8 {
      A.global[A.global.0, A.global.1] = A[A.global.0, A.global.1]
    }
  }
  for i in 0..4 @block.x {
    alloc T: i32[8] @shared
    copy T[0 .. +8] <- A.global[i, 0 .. +8]
    for j in 0..8 {
      if (A.global[i, j] > 2) {
        C[i, index(A.global[0, j]) % 8] += T[7 - j]
      }
    }
  }
})");
}

TEST(CacheGlobal, OfAScalar) {
  expect_rewrite("func f(a: f32[], C: f32[3]) { for i in 0..3 { C[i] += a[] } }", copies("a"),
                 R"(func f(a: f32[], C: f32[3]) {
  alloc a.global: f32[] @global
  a.global[] = a[]
  for i in 0..3 {
    C[i] += a.global[]
  }
})");
}

TEST(CacheGlobalRefusals, OfWhatTheProgramWrites) {
  expect_refusal(row_sums, copies("C"),
                 R"(error: cache_global: C is written here, and its copy would not have that
  for i in 0..M {
    C[i] = 0.0                       <-- here
note: cache what the program only reads)");
}

TEST(CacheGlobalRefusals, OfTemporaries) {
  expect_refusal(R"(func f[N](A: f32[N], C: f32[N]) {
  alloc T: f32[N] @global
  for i in 0..N { T[i] = A[i] }
  for i.C in 0..N { C[i.C] = T[i.C] }
})",
                 copies("T"), R"(error: cache_global: T is no argument: the program writes it
  alloc T: f32[N] @global            <-- here
  for i in 0..N {
    T[i] = A[i]
note: layout(T, ...) chooses where the elements of a temporary lie)");
}

TEST(CacheGlobalRefusals, OfWhatNobodyReads) {
  expect_refusal("func f(A: f32[3], C: f32[3]) { for i in 0..3 { C[i] = 0.0 } }", copies("A"),
                 R"(error: cache_global: nothing reads A)");
}

TEST(CacheGlobalRefusals, OfPitchesThatMayNotHoldARow) {
  expect_refusal(
      row_sums, copies("A", Layout().pitch(128)),
      R"(error: cache_global: a pitch of 128 is not proved to hold the rows of A.global, of K elements
note: Layout().pitch((K + 7) / 8 * 8))");
}

TEST(CacheGlobalRefusals, OfOtherLayouts) {
  for (const Layout& layout : {Layout().pad(1), Layout().swizzle({1, 8}),
                               Layout::order({IndexDigit(1) / 4, 0, IndexDigit(1) % 4})})
    expect_refusal(
        row_sums, copies("A", layout),
        R"(error: cache_global: A.global lies in global memory, where a schedule chooses the order of the dimensions and the pitch of the rows alone
note: Layout::order({1, 0}), Layout().pitch(128); a tile in shared memory takes paddings and swizzles)");
}

}  // namespace cache_global_test
}  // namespace hone
