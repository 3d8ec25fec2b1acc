#include "gtest/gtest.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace swizzle_test {

Rewriting swizzles(llvm::StringRef name) {
  return [=](const Function& f) { return swizzle(f, tensor(f, name)).function; };
}

/// A tile that is filled by rows and read by columns.
constexpr const char* transpose = R"(func f(A: f32[64, 64], C: f32[64, 64]) {
  for b in 0..2 @block.x {
    alloc s: f32[32, 32] @shared
    copy s[0 .. +32, 0 .. +32] <- A[b*32 .. +32, 0 .. +32]
    for t in 0..8 @thread.y {
      for u in 0..32 @thread.x {
        for w in 0..4 {
          C[t*4 + w, b*32 + u] = s[u, t*4 + w]
        }
      }
    }
  }
})";

constexpr const char* swizzled_transpose = R"(func f(A: f32[64, 64], C: f32[64, 64]) {
  for b in 0..2 @block.x {
    alloc s: f32[32, 32] @swizzle(1, 32, 1) @shared
    copy s[0 .. +32, 0 .. +32] <- A[b*32 .. +32, 0 .. +32]
    for t in 0..8 @thread.y {
      for u in 0..32 @thread.x {
        for w in 0..4 {
          C[t*4 + w, b*32 + u] = s[u, t*4 + w]
        }
      }
    }
  }
})";

TEST(Swizzle, SpreadsColumnsOverTheBanks) {
  expect_rewrite(transpose, swizzles("s"), swizzled_transpose);
}

TEST(Swizzle, KeepsPromisedVectorsTogether) {
  expect_rewrite(R"(func f(A: f32[32, 64], C: f32[32, 64]) {
  alloc s: f32[32, 64] @shared
  for t in 0..32 @thread.x {
    for v in 0..4 @vectorize {
      s[t, v] = A[t, v]
    }
    for w in 0..4 @vectorize {
      C[t, w] = s[t, w]
    }
  }
})",
                 swizzles("s"), R"(func f(A: f32[32, 64], C: f32[32, 64]) {
  alloc s: f32[32, 64] @swizzle(4, 8, 1) @shared
  for t in 0..32 @thread.x {
    for v in 0..4 @vectorize {
      s[t, v] = A[t, v]
    }
    for w in 0..4 @vectorize {
      C[t, w] = s[t, w]
    }
  }
})");
}

TEST(Swizzle, TakesTheLanesOfUnits) {
  expect_rewrite(R"(func f(A: f32[16, 16], C: f32[16, 16]) {
  alloc s: f32[16, 16] @shared
  for i in 0..4 @warp {
    for y in 0..4 @lane(8) {
      for x in 0..8 @lane {
        for v in 0..2 {
          s[i*4 + y, x*2 + v] = A[i*4 + y, x*2 + v]
        }
      }
    }
  }
  for k in 0..4 @warp {
    for z in 0..16 @lane(2) {
      for w in 0..2 @lane {
        C[z, k*2 + w] = s[z, k*2 + w]
      }
    }
  }
})",
                 swizzles("s"), R"(func f(A: f32[16, 16], C: f32[16, 16]) {
  alloc s: f32[16, 16] @swizzle(1, 8, 2) @swizzle(4, 4, 1) @shared
  for i in 0..4 @warp {
    for y in 0..4 @lane(8) {
      for x in 0..8 @lane {
        for v in 0..2 {
          s[i*4 + y, x*2 + v] = A[i*4 + y, x*2 + v]
        }
      }
    }
  }
  for k in 0..4 @warp {
    for z in 0..16 @lane(2) {
      for w in 0..2 @lane {
        C[z, k*2 + w] = s[z, k*2 + w]
      }
    }
  }
})");
}

TEST(Swizzle, TakesThePlaceOfTheOneThatThereIs) {
  expect_rewrite(
      transpose,
      [](const Function& f) {
        const Function g = laid_out(f, "s", Layout().swizzle({4, 2, 1}));
        return swizzle(g, tensor(g, "s")).function;
      },
      swizzled_transpose);
}

TEST(Swizzle, RefusesWhatIsNotInSharedMemory) {
  expect_refusal(transpose, swizzles("A"),
                 R"(error: swizzle: A is not in shared memory, which alone has banks
note: cache_shared makes a tile of it)");
}

TEST(Swizzle, RefusesOneDimension) {
  expect_refusal(
      R"(func f(A: f32[64], C: f32[64]) {
  alloc s: f32[64] @shared
  for t in 0..32 @thread.x { s[t*2] = A[t] }
})",
      swizzles("s"),
      R"(error: swizzle: s has one dimension, and elements of it change places from row to row
  alloc s: f32[64] @shared           <-- here
  for t in 0..32 @thread.x {
    s[t*2] = A[t]
note: take its index apart: Layout::order({IndexDigit(0) / 32, IndexDigit(0) % 32}))");
}

TEST(Swizzle, RefusesRowsWithoutChunks) {
  expect_refusal(
      R"(func f(A: f32[32, 33]) {
  alloc s: f32[32, 33] @shared
  for t in 0..32 @thread.x { s[t, 0] = A[t, 0] }
})",
      swizzles("s"),
      R"(error: swizzle: rows of s are 33 elements long: no power of two of chunks can change places in them
  alloc s: f32[32, 33] @shared       <-- here
  for t in 0..32 @thread.x {
    s[t, 0] = A[t, 0]
note: a padding takes any length: Layout().pad(1))");
}

TEST(Swizzle, RefusesATileThatNoThreadsAccess) {
  expect_refusal(R"(func f(A: f32[32, 32], C: f32[32]) {
  for b in 0..32 @block.x {
    alloc s: f32[32, 32] @shared
    for t in 0..32 @thread.x { C[t] = A[t, b] }
  }
})",
                 swizzles("s"), R"(error: swizzle: no threads access s
  for b in 0..32 @block.x {
    alloc s: f32[32, 32] @shared     <-- here
    for t in 0..32 @thread.x {
      C[t] = A[t, b]
note: bind the loops that do to threads first)");
}

TEST(Swizzle, RefusesWhereThereAreNoConflicts) {
  expect_refusal(
      R"(func f(A: f32[32, 32], C: f32[32, 32]) {
  alloc s: f32[32, 32] @shared
  copy s[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32]
  for t in 0..32 @thread.x { for u in 0..32 { C[u, t] = s[u, t] } }
})",
      swizzles("s"),
      R"(error: swizzle: the accesses to s have no bank conflicts: 64 wavefronts a block are as few as there can be
  alloc s: f32[32, 32] @shared       <-- here
  copy s[0 .. +32, 0 .. +32] <- A[0 .. +32, 0 .. +32]
  for t in 0..32 @thread.x {)");
}

TEST(Swizzle, RefusesWhereNoSwizzleHelps) {
  expect_refusal(
      R"(func f(A: f32[32, 32], C: f32[32, 32]) {
  alloc s: f32[2, 64] @shared
  for t in 0..32 @thread.x { for u in 0..2 { C[u, t] = s[u, t*2] } }
})",
      swizzles("s"),
      R"(error: swizzle: no swizzle of s takes fewer than the 4 wavefronts that a block takes now, of which 2 are conflicts
  alloc s: f32[2, 64] @shared        <-- here
  for t in 0..32 @thread.x {
    for u in 0..2 {
note: a padding may: Layout().pad(1))");
}

TEST(Swizzle, RefusesIndicesThatALaunchDecides) {
  expect_refusal(
      R"(func f[M](A: f32[32, 32], C: f32[32, 32]) {
  alloc s: f32[32, 32] @shared
  for t in 0..32 @thread.x { C[0, t] = s[t, M % 32] }
})",
      swizzles("s"),
      R"(error: swizzle: it is not known before a launch which thread accesses which elements of s
  alloc s: f32[32, 32] @shared       <-- here
  for t in 0..32 @thread.x {
    C[0, t] = s[t, M % 32]
note: blocks of a constant size, and copies inside of thread loops, are known)");
}

}  // namespace swizzle_test
}  // namespace hone
