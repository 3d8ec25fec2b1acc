// The indices that a tile in registers may have, and its largest size.
#include "gtest/gtest.h"
#include "tests/support/ir/cached_matmul.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace register_indices_test {

/// A tile of `shape`, of elements of the type, under i.
std::string tile_of(const std::string& type, int rows, int columns) {
  return fmt::format(R"(func f(A: {0}[{1}, {2}], C: {0}[{1}, {2}]) {{
    for i in 0..1 {{ for j in 0..{1} {{ for l in 0..{2} {{ C[j, l] = A[j, l] }} }} }}
  }})",
                     type, rows, columns);
}

TEST(CacheRegisters, RefusesMoreRegistersThanAThreadHas) {
  expect_refusal(
      tile_of("f32", 16, 16), caches("A", "i"),
      R"(error: cache_registers: the part of A that one iteration of i touches is [16, 16], and a thread has at most 255 registers
  for i in 0..1 {                    <-- here
    for j in 0..16 {
      for l in 0..16 {
note: cache under an inner axis, or split into smaller tiles)");
  expect_refusal(
      tile_of("f64", 8, 16), caches("A", "i"),
      R"(error: cache_registers: the part of A that one iteration of i touches is [8, 16], and a thread has at most 255 registers
  for i in 0..1 {                    <-- here
    for j in 0..8 {
      for l in 0..16 {
note: cache under an inner axis, or split into smaller tiles)");
  expect_refusal(
      tile_of("i8", 128, 2), caches("A", "i"),
      R"(error: cache_registers: the part of A that one iteration of i touches is [128, 2], and a thread has at most 255 registers
  for i in 0..1 {                    <-- here
    for j in 0..128 {
      for l in 0..2 {
note: cache under an inner axis, or split into smaller tiles)");
}

TEST(CacheRegisters, TakesAllRegistersOfAThread) {
  const auto registers_of = [](const std::string& text) {
    const Function f = parse_function(text);
    return cache_registers(f, tensor(f, "A"), axis(f, "i")).tensor->shape.size();
  };
  EXPECT_EQ(registers_of(tile_of("f32", 15, 17)), 2u);
  EXPECT_EQ(registers_of(tile_of("f64", 127, 1)), 1u);
}

TEST(CacheRegisters, UnrollsALoopThatIndexesAQuotient) {
  expect_rewrite(R"(func f(A: f32[4], C: f32[8]) {
                      for i in 0..8 { reduce k in 0..8 { C[i] += A[k / 2] } }
                    })",
                 caches("A", "i"), R"(func f(A: f32[4], C: f32[8]) {
  for i in 0..8 {
    alloc A.reg: f32[4] @registers
    copy A.reg[0 .. +4] <- A[0 .. +4]
    reduce k in 0..8 @unroll {
      C[i] += A.reg[k / 2]
    }
  }
})");
}

TEST(CacheRegisters, LeavesLoopsAloneThatDoNotIndex) {
  expect_rewrite(R"(func f[K](A: f32[4], B: f32[K], C: f32[8, 4]) {
                      for i in 0..8 { for j in 0..4 { reduce k in 0..K { reduce l in 0..3 {
                        C[i, j] += A[j] * B[k]
                      } } } }
                    })",
                 caches("A", "i"), R"(func f[K](A: f32[4], B: f32[K], C: f32[8, 4]) {
  for i in 0..8 {
    alloc A.reg: f32[4] @registers
    copy A.reg[0 .. +4] <- A[0 .. +4]
    for j in 0..4 @unroll {
      reduce k in 0..K {
        reduce l in 0..3 {
          C[i, j] += A.reg[j] * B[k]
        }
      }
    }
  }
})");
}

TEST(CacheRegisters, LeavesAVectorLoopAsItIs) {
  expect_rewrite(
      R"(func f(A: f32[32], C: f32[8, 4]) {
        for i in 0..8 { for v in 0..4 { C[i, v] = A[i*4 + v] } }
      })",
      [](const Function& f) { return in_registers(vectorized(f, "v"), "A", "i"); },
      R"(func f(A: f32[32], C: f32[8, 4]) {
  for i in 0..8 {
    alloc A.reg: f32[4] @registers
    copy A.reg[0 .. +4] <- A[i*4 .. +4]
    for v in 0..4 @vectorize {
      C[i, v] = A.reg[v]
    }
  }
})");
}

TEST(CacheRegisters, RefusesALoopThatIsPartlyUnrolled) {
  expect_refusal(
      R"(func f(A: f32[8, 4], C: f32[8, 4]) {
        for i in 0..8 { for j in 0..4 { C[i, j] = A[i, j] } }
      })",
      [](const Function& f) { return in_registers(unroll(f, axis(f, "j"), 2).function, "A", "i"); },
      R"(error: cache_registers: A.reg would be indexed by j, and j is unrolled by 2: registers have no addresses
  for i in 0..8 {
    for j in 0..4 @unroll(2) {
      C[i, j] = A[i, j]              <-- here
note: unroll j in full)");
}

TEST(CacheRegisters, RefusesALoopWhoseExtentIsNotConstant) {
  expect_refusal(
      R"(func f[K](A: f32[4], C: f32[8]) {
                      for i in 0..8 { reduce k in 0..K { C[i] += A[k % 4] } }
                    })",
      caches("A", "i"),
      R"(error: cache_registers: A.reg would be indexed by k % 4, and k has the extent K, which is known at launch only: registers have no addresses
  for i in 0..8 {
    reduce k in 0..K {
      C[i] += A[k % 4]               <-- here
note: split off a constant number of iterations)");
}

TEST(CacheRegisters, RefusesAnIndexThatDependsOnAnOuterAxis) {
  expect_refusal(
      R"(func f(A: f32[4], C: f32[8, 4]) {
                      for i in 0..8 { for j in 0..4 { C[i, j] = A[(i + j) % 4] } }
                    })",
      caches("A", "i"),
      R"(error: cache_registers: A.reg would be indexed by (i + j) % 4, which depends on i: registers have no addresses
  for i in 0..8 {
    for j in 0..4 {
      C[i, j] = A[(i + j) % 4]       <-- here
note: loops inside i may index a tile, and constants)");
}

TEST(CacheRegisters, RefusesAnIndexThatDependsOnAParam) {
  expect_refusal(
      R"(func f[N](A: f32[4], C: f32[8, 4]) {
                      for i in 0..8 { for j in 0..4 { C[i, j] = A[(j + N) % 4] } }
                    })",
      caches("A", "i"),
      R"(error: cache_registers: A.reg would be indexed by (j + N) % 4, which depends on N: registers have no addresses
  for i in 0..8 {
    for j in 0..4 {
      C[i, j] = A[(j + N) % 4]       <-- here
note: loops inside i may index a tile, and constants)");
}

TEST(CacheRegisters, RefusesAnIndexThatIsRead) {
  expect_refusal(
      R"(func f(P: i32[4], A: f32[4], C: f32[8, 4]) {
                      for i in 0..8 { for j in 0..4 { C[i, j] = A[index(P[j]) % 4] } }
                    })",
      caches("A", "i"),
      R"(error: cache_registers: A.reg would be indexed by index(P[j]) % 4, which depends on P[j]: registers have no addresses
  for i in 0..8 {
    for j in 0..4 {
      C[i, j] = A[index(P[j]) % 4]   <-- here
note: loops inside i may index a tile, and constants)");
}

TEST(CacheRegisters, RefusesToUnrollTooMuch) {
  expect_refusal(R"(func f(A: f32[4], C: f32[8]) {
                      for i in 0..8 { reduce k in 0..1000000 { C[i] += A[k % 4] } }
                    })",
                 caches("A", "i"),
                 R"(error: cache_registers: unrolling k would make more than 4096 statements
  for i in 0..8 {
    reduce k in 0..1000000 {         <-- here
      C[i] += A[k % 4]
note: unroll a part of it, or fewer of the loops around it)");
}

TEST(CacheRegisters, RefusesToUnrollTooMuchInsideAnUnrolledLoop) {
  expect_refusal(R"(func f(A: f32[64], C: f32[512, 64]) {
                      for h in 0..512 @unroll { for i in 0..1 { for j in 0..64 {
                        C[h, j] = A[j]
                      } } }
                    })",
                 caches("A", "i"),
                 R"(error: cache_registers: unrolling j would make more than 4096 statements
  for h in 0..512 @unroll {
    for i in 0..1 {
      for j in 0..64 {               <-- here
        C[h, j] = A[j]
note: unroll a part of it, or fewer of the loops around it)");
}

TEST(CacheRegisters, RefusesALayout) {
  expect_refusal(
      tile_of("f32", 8, 8),
      [](const Function& f) { return in_registers(f, "A", "i", {.layout = Layout().pad(1)}); },
      R"(error: cache_registers: registers have no addresses, and no layout
  for i in 0..1 {                    <-- here
    for j in 0..8 {
      for l in 0..8 {)");
}

TEST(CacheRegisters, MovesVectors) {
  expect_rewrite(
      R"(func f(A: f32[8, 8], C: f32[8, 8]) {
        for i in 0..8 { for j in 0..8 { C[i, j] = A[i, j] } }
      })",
      [](const Function& f) { return in_registers(f, "C", "i", {.vectorize = 4}); },
      R"(func f(A: f32[8, 8], C: f32[8, 8]) {
  for i in 0..8 {
    alloc C.reg: f32[8] @registers
    for j in 0..8 @unroll {
      C.reg[j] = A[i, j]
    }
    copy C[i, 0 .. +8] <- C.reg[0 .. +8] @vector(4)
  }
})");
}

TEST(CacheRegisters, RefusesVectorsThatAreNotProved) {
  expect_refusal(
      R"(func f[N](A: f32[8, N], C: f32[8, 4]) {
        for i in 0..8 { for j in 0..4 { C[i, j] = A[i, j] } }
      })",
      [](const Function& f) { return in_registers(f, "A", "i", {.vectorize = 4}); },
      R"(error: cache_registers: A cannot move 4 elements at a time: rows of A are N elements apart, which is not proved to be a multiple of 4
  for i in 0..8 {                    <-- here
    for j in 0..4 {
      C[i, j] = A[i, j]
note: assume(N % 4 == 0) promises it, and launches check it)");
  expect_refusal(
      "func f(A: f32[8], C: f32[8]) { for i in 0..8 { C[i] = A[i] } }",
      [](const Function& f) { return in_registers(f, "A", "i", {.vectorize = 2}); },
      R"(error: cache_registers: the part of A that one iteration of i touches is one element, and 2 cannot move at a time
  for i in 0..8 {                    <-- here
    C[i] = A[i])");
  expect_refusal(
      R"(func f(A: f32[32], C: f32[8, 4]) {
        for i in 0..8 { for j in 0..4 { C[i, j] = A[i + j*8] } }
      })",
      [](const Function& f) { return in_registers(f, "A", "i", {.vectorize = 4}); },
      R"(error: cache_registers: A cannot move 4 elements at a time: A[i + .vector*32 + .lane*8] moves by 8 elements from one .lane to the next
  for i in 0..8 {                    <-- here
    for j in 0..4 {
      C[i, j] = A[i + j*8])");
}

TEST(CacheRegisters, HoldsAStridedBoxOfTwoDimensions) {
  expect_rewrite(R"(func f(A: f32[8, 32], C: f32[4, 8, 2, 4]) {
                      for t in 0..8 { for a in 0..2 { for b in 0..4 {
                        C[0, t, a, b] = A[a*4 + t % 4, t + b*8]
                      } } }
                    })",
                 caches("A", "t"), R"(func f(A: f32[8, 32], C: f32[4, 8, 2, 4]) {
  for t in 0..8 {
    alloc A.reg: f32[2, 4] @registers
    copy A.reg[0 .. +2, 0 .. +4] <- A[t % 4 .. +2 by 4, t .. +4 by 8]
    for a in 0..2 @unroll {
      for b in 0..4 @unroll {
        C[0, t, a, b] = A.reg[a, b]
      }
    }
  }
})");
}

TEST(CacheRegisters, ElementsThatEachThreadFillsOfASharedTile) {
  expect_rewrite(
      R"(func f(A: f32[32], C: f32[32]) {
        for b in 0..4 { for h in 0..2 { for j in 0..4 { C[b*8 + h*4 + j] = A[b*8 + h*4 + j] } } }
      })",
      [](const Function& f) {
        const Function g = with_copy_loops(in_shared(f, "A", "h"), "A.shared");
        return in_registers(bound(g, "A.shared.0", thread_x), "A", "b");
      },
      R"(func f(A: f32[32], C: f32[32]) {
  for b in 0..4 {
    alloc A.reg: f32[8] @registers
    copy A.reg[0 .. +8] <- A[b*8 .. +8]
    for h in 0..2 @unroll {
      alloc A.shared: f32[4] @shared
      for A.shared.0 in 0..4 @thread.x {
        A.shared[A.shared.0] = A.reg[h*4 + A.shared.0]
      }
      for j in 0..4 {
        C[b*8 + h*4 + j] = A.shared[j]
      }
    }
  }
})");
}

}  // namespace register_indices_test
}  // namespace hone
