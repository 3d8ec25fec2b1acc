// Copies that go on while threads do something else.
#include <gtest/gtest.h>

#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace copy_async_test {

Rewriting copies_async(llvm::StringRef name) {
  return [=](const Function& f) { return copy_async(f, tensor(f, name)).function; };
}

TEST(CopyAsync, IsSaidOfTheCopyThatFillsATile) {
  expect_rewrite(R"(func f[M](A: f32[M], C: f32[M]) {
  for i.0 in 0..(M + 31) / 32 {
    alloc T: f32[32] @shared
    copy T[0 .. +32] <- A[i.0*32 .. +32]
    for i.1 in 0..32 {
      if (i.0*32 + i.1 < M) {
        C[i.0*32 + i.1] = T[31 - i.1]
      }
    }
  }
})",
                 copies_async("T"), R"(func f[M](A: f32[M], C: f32[M]) {
  for i.0 in 0..(M + 31) / 32 {
    alloc T: f32[32] @shared
    copy T[0 .. +32] <- A[i.0*32 .. +32] @async
    for i.1 in 0..32 {
      if (i.0*32 + i.1 < M) {
        C[i.0*32 + i.1] = T[31 - i.1]
      }
    }
  }
})");
}

TEST(CopyAsync, IsSaidOfAllCopiesToARing) {
  expect_rewrite(R"(func f(A: f32[4, 8], C: f32[8]) {
  alloc T: f32[2, 8] @shared
  copy T[0, 0 .. +8] <- A[0, 0 .. +8] @vector(4)
  for k in 0..4 {
    if (k + 1 < 4) {
      copy T[(k + 1) % 2, 0 .. +8] <- A[k + 1, 0 .. +8] @vector(4)
    }
    for i in 0..8 {
      C[i] += T[k % 2, i]
    }
  }
})",
                 copies_async("T"), R"(func f(A: f32[4, 8], C: f32[8]) {
  alloc T: f32[2, 8] @shared
  copy T[0, 0 .. +8] <- A[0, 0 .. +8] @vector(4) @async
  for k in 0..4 {
    if (k + 1 < 4) {
      copy T[(k + 1) % 2, 0 .. +8] <- A[k + 1, 0 .. +8] @vector(4) @async
    }
    for i in 0..8 {
      C[i] += T[k % 2, i]
    }
  }
})");
}

TEST(CopyAsync, NarrowElementsMoveInVectors) {
  expect_rewrite(R"(func f(A: f16[8], C: f16[8]) {
  alloc T: f16[8] @shared
  copy T[0 .. +8] <- A[0 .. +8] @vector(8)
  for i in 0..8 {
    C[i] = T[i]
  }
})",
                 copies_async("T"), R"(func f(A: f16[8], C: f16[8]) {
  alloc T: f16[8] @shared
  copy T[0 .. +8] <- A[0 .. +8] @vector(8) @async
  for i in 0..8 {
    C[i] = T[i]
  }
})");
}

std::string tile_of(const char* type, const char* scope, const char* fill) {
  return fmt::format(R"(func f(A: {0}[8], C: {0}[8]) {{
  alloc T: {0}[8] @{1}
  copy T[0 .. +8] <- A[4 .. +8]{2}
  for i in 0..8 @unroll {{ C[i] = T[i] }}
}})",
                     type, scope, fill);
}

TEST(CopyAsyncRefusals, OfArguments) {
  expect_refusal("func f(A: f32[8], C: f32[8]) { for i in 0..8 { C[i] = A[i] } }",
                 copies_async("A"),
                 "error: copy_async: A is an argument, and an asynchronous copy fills a tile\n"
                 "note: cache_shared(A, ...) makes one");
}

TEST(CopyAsyncRefusals, OfTilesThatNoCopyFills) {
  expect_refusal(
      "func f(A: f32[8], C: f32[8]) { alloc T: f32[8] @shared for i in 0..8 { T[i] = A[i] } "
      "for j in 0..8 { C[j] = T[j] } }",
      copies_async("T"),
      R"(error: copy_async: no copy fills T
  alloc T: f32[8] @shared            <-- here
  for i in 0..8 {
    T[i] = A[i]
note: a tile that statements fill has none, and one of a single element moves by one)");
}

TEST(CopyAsyncRefusals, OfRegisters) {
  expect_refusal(
      tile_of("f32", "registers", ""), copies_async("T"),
      R"(error: copy_async: T is copied from global memory to registers, and an asynchronous copy goes from global to shared memory
  copy T[0 .. +8] <- A[4 .. +8]      <-- here
note: cache_shared makes such a copy)");
}

TEST(CopyAsyncRefusals, OfFillsOtherThanZero) {
  expect_refusal(
      tile_of("f32", "shared", " fill -inf"), copies_async("T"),
      R"(error: copy_async: T is -inf beyond the ends of A, and asynchronous copies have zeros there
  copy T[0 .. +8] <- A[4 .. +8] fill -inf  <-- here
note: copy it with loads and stores)");
}

TEST(CopyAsyncRefusals, OfNarrowElements) {
  expect_refusal(
      tile_of("f16", "shared", ""), copies_async("T"),
      R"(error: copy_async: T moves by 2 bytes at a time, and an asynchronous copy by 4, 8 or 16
  copy T[0 .. +8] <- A[4 .. +8]      <-- here
note: cache_shared with {.vectorize = 2})");
}

/// The rows of the tile lie 9 elements apart: loads and stores take a vector apart there.
TEST(CopyAsyncRefusals, OfVectorsThatTheTileTakesApart) {
  expect_refusal(
      R"(func f(A: f32[4, 8], C: f32[8]) {
  alloc T: f32[4, 8] @pad(1) @shared
  copy T[0 .. +4, 0 .. +8] <- A[0 .. +4, 0 .. +8] @vector(2)
  for i in 0..8 { C[i] = T[2, i] }
})",
      copies_async("T"),
      R"(error: copy_async: 2 elements of A and of T do not lie side by side, from a multiple of 8 bytes on, and an asynchronous copy moves them at once
  copy T[0 .. +4, 0 .. +8] <- A[0 .. +4, 0 .. +8] @vector(2)  <-- here
note: a layout of the tile that leaves its vectors whole, or cache_shared without {.vectorize})");
}

TEST(CopyAsyncRefusals, OfSourcesThatTheKernelWrites) {
  expect_refusal(
      R"(func f(A: f32[16]) {
  for b in 0..1 @block.x {
    alloc T: f32[8] @shared
    copy T[0 .. +8] <- A[0 .. +8]
    for i in 0..8 { A[i + 8] = T[i] }
  }
})",
      copies_async("T"),
      R"(error: copy_async: A is written in the same kernel while it is copied to T
  for b in 0..1 @block.x {
    copy T[0 .. +8] <- A[0 .. +8]    <-- here
note: an asynchronous copy reads what nobody writes)");
}

TEST(CopyAsyncRefusals, OfASecondTime) {
  expect_refusal(tile_of("f32", "shared", " @async"), copies_async("T"),
                 R"(error: copy_async: T is copied so already
  copy T[0 .. +8] <- A[4 .. +8] @async  <-- here)");
}

TEST(CopyAsyncRefusals, OfLoopsInThePlaceOfTheCopy) {
  expect_refusal(
      tile_of("f32", "shared", " @async"),
      [](const Function& f) { return copy_loops(f, tensor(f, "T"), Direction::fill).function; },
      R"(error: copy_loops: T is copied asynchronously, and loops would read and write each element
  copy T[0 .. +8] <- A[4 .. +8] @async  <-- here
note: copy_loops instead of copy_async)");
}

/// A later step may not break the promise.
TEST(CopyAsyncRefusals, OfArgumentsThatMayOverlap) {
  expect_refusal(
      tile_of("f32", "shared", " @async"), [](const Function& f) { return may_alias(f).function; },
      R"(error: may_alias: A may be written, as arguments may overlap, while it is copied to T
  copy T[0 .. +8] <- A[4 .. +8] @async  <-- here
note: an asynchronous copy reads what nobody writes)");
}

}  // namespace copy_async_test
}  // namespace hone
