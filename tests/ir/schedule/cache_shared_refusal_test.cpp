#include "gtest/gtest.h"
#include "tests/support/ir/cached_matmul.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace cache_shared_refusal_test {

constexpr const char* rows = R"(func f(A: f32[64, 32], C: f32[64, 32]) {
  for b in 0..4 { for t in 0..16 { for j in 0..32 { C[b*16 + t, j] = A[b*16 + t, j] } } }
})";

TEST(CacheShared, RefusesATensorThatIsNotUsed) {
  expect_refusal(
      rows,
      [](const Function& f) {
        return cache_shared(f, make_tensor("D", DType::f32, {8}), axis(f, "t")).function;
      },
      R"(error: cache_shared: D is not used here
  for b in 0..4 {
    for t in 0..16 {                 <-- here
      for j in 0..32 {
        C[b*16 + t, j] = A[b*16 + t, j])");
}

TEST(CacheShared, RefusesATileInRegisters) {
  expect_refusal(
      rows, [](const Function& f) { return in_shared(in_registers(f, "A", "t"), "A.reg", "t"); },
      R"(error: cache_shared: A.reg lives in registers already
  for b in 0..4 {
    for t in 0..16 {                 <-- here
      alloc A.reg: f32[32] @registers
      copy A.reg[0 .. +32] <- A[b*16 + t, 0 .. +32])");
}

TEST(CacheShared, RefusesAnAxisThatHasNoLoop) {
  expect_refusal(
      rows,
      [](const Function& f) {
        return cache_shared(f, tensor(f, "A"), make_axis("k", AxisKind::spatial)).function;
      },
      R"(error: cache_shared: f has no axis k
note: its axes are b, t and j)");
}

TEST(CacheShared, RefusesAPartWithoutAConstantSize) {
  expect_refusal(matmul, stages("A", "j"),
                 R"(error: cache_shared: the part of A that A[i, k] touches has no constant size
  for i in 0..M {
    for j in 0..N {
      reduce k in 0..K {
        C[i, j] += A[i, k] * B[k, j]  <-- here
note: loops between the axis and the access must have constant extents; split them, or make their sizes constants)");
}

TEST(CacheShared, RefusesARowThatThreadsChoose) {
  expect_refusal(
      R"(func f[M](P: i32[32], E: f32[M, 4], C: f32[32]) {
                      for t in 0..32 @thread.x { reduce k in 0..4 { C[t] += E[index(P[t]), k] } }
                    })",
      stages("E", "k"),
      R"(error: cache_shared: the part of E that E[index(P[t]), k] touches has no constant size
  for t in 0..32 @thread.x {
    reduce k in 0..4 {
      C[t] += E[index(P[t]), k]      <-- here
note: an element chooses among M places; make that number a constant)");
}

TEST(CacheShared, RefusesATileThatNoBlockHasRoomFor) {
  expect_refusal(
      R"(func f(A: f64[200, 200], C: f64[200, 200]) {
                      for i in 0..1 { for j in 0..200 { for l in 0..200 { C[j, l] = A[j, l] } } }
                    })",
      stages("A", "i"),
      R"(error: cache_shared: the part of A that one iteration of i touches, [200, 200], takes 320000 bytes of shared memory, and no architecture gives a block more than 232448
  for i in 0..1 {                    <-- here
    for j in 0..200 {
      for l in 0..200 {
note: cache under an inner axis, or split into smaller tiles)");
}

TEST(CacheShared, RefusesATileThatNoNumberCounts) {
  expect_refusal(
      R"(func f(A: f32[4611686018427387904], C: f32[1]) {
                      for i in 0..1 { reduce j in 0..4611686018427387904 { C[0] += A[j] } }
                    })",
      stages("A", "i"),
      R"(error: cache_shared: the part of A that one iteration of i touches, [4611686018427387904], takes 9223372036854775807 bytes of shared memory, and no architecture gives a block more than 232448
  for i in 0..1 {                    <-- here
    reduce j in 0..4611686018427387904 {
      C[0] += A[j]
note: cache under an inner axis, or split into smaller tiles)");
}

TEST(CacheShared, RefusesATileThatAThreadWrites) {
  expect_refusal(
      R"(func f(A: f32[32], C: f32[32]) {
                      for b in 0..4 @block.x { for t in 0..8 @thread.x {
                        reduce k in 0..2 { C[b*8 + t] += A[b*8 + t] }
                      } }
                    })",
      stages("C", "k"),
      R"(error: cache_shared: C is written here, and k stands inside t, which is bound to thread.x
  for b in 0..4 @block.x {
    for t in 0..8 @thread.x {
      reduce k in 0..2 {
        C[b*8 + t] += A[b*8 + t]     <-- here
note: a tile that the block writes is cached under an axis around its threads)");
  expect_refusal("func f(A: f32[32], C: f32[32]) { for t in 0..32 @thread.x { C[t] = A[t] } }",
                 stages("C", "t"),
                 R"(error: cache_shared: C is written here, and t is bound to thread.x
  for t in 0..32 @thread.x {
    C[t] = A[t]                      <-- here
note: a tile that the block writes is cached under an axis around its threads)");
}

TEST(CacheShared, RefusesATileOfSeveralBlocks) {
  expect_refusal(
      R"(func f(A: f32[8], C: f32[4, 8]) {
                      for i in 0..4 @block.y { for j in 0..8 @block.x { C[i, j] = A[j] } }
                    })",
      stages("A", "i"),
      R"(error: cache_shared: j is bound to block.x inside i: a tile of A would belong to several blocks
  for i in 0..4 @block.y {
    for j in 0..8 @block.x {         <-- here
      C[i, j] = A[j]
note: cache under j or inside it)");
}

TEST(CacheShared, RefusesTilesThatBlocksWouldShare) {
  // The last tile of 4 reaches into the next 10 elements.
  expect_refusal(
      R"(func f(C: f32[100]) {
                      for i in 0..10 @block.x { for j in 0..3 { for l in 0..4 {
                        if (j*4 + l < 10) { C[i*10 + j*4 + l] = 1.0 }
                      } } }
                    })",
      stages("C", "j"),
      R"(error: cache_shared: two iterations of i may touch one element: one writes C[i*10 + j*4 .. +4], one reads C[i*10 + j*4 .. +4]
  for i in 0..10 @block.x {
    for j in 0..3 {                  <-- here
      for l in 0..4 {
        if (j*4 + l < 10) {
note: i is bound to block.x: its iterations run at the same time)");
}

TEST(CacheShared, RefusesTheCoresOfTheHost) {
  constexpr const char* text = R"(func f(A: f32[8], C: f32[4, 8]) {
    for i in 0..4 { for j in 0..8 @parallel { C[i, j] = A[j] } }
  })";
  expect_refusal(
      text, stages("A", "i"),
      R"(error: cache_shared: j is bound to parallel, and only the threads of a block have shared memory
  for i in 0..4 {
    for j in 0..8 @parallel {        <-- here
      C[i, j] = A[j]
note: registers give each iteration a tile of its own)");
  expect_refusal(
      text, stages("A", "j"),
      R"(error: cache_shared: j is bound to parallel, and only the threads of a block have shared memory
  for i in 0..4 {
    for j in 0..8 @parallel {        <-- here
      C[i, j] = A[j]
note: registers give each iteration a tile of its own)");
}

TEST(CacheShared, RefusesAGuardThatReadsATensor) {
  expect_refusal(
      R"(func f(A: f32[32], B: f32[64], C: f32[32]) {
                      for t in 0..32 @thread.x { if (A[t] > 0.0) {
                        reduce k in 0..8 { reduce l in 0..8 { C[t] += B[k*8 + l] } }
                      } }
                    })",
      stages("B", "k"),
      R"(error: cache_shared: threads of a block differ in A[t] > 0.0, which cannot move inwards: it reads a tensor
  for t in 0..32 @thread.x {
    if (A[t] > 0.0) {                <-- here
      reduce k in 0..8 {
        reduce l in 0..8 {
note: the threads of a block fill a shared tile together)");
}

TEST(CacheShared, RefusesAGuardThatReadsARegister) {
  expect_refusal(
      R"(func f(A: f32[32], B: f32[64], C: f32[32]) {
                      for t in 0..32 @thread.x {
                        alloc a: f32[] @registers
                        a[] = A[t]
                        if (a[] > 0.0) {
                          reduce k in 0..8 { reduce l in 0..8 { C[t] += B[k*8 + l] } }
                        }
                      }
                    })",
      stages("B", "k"),
      R"(error: cache_shared: threads of a block differ in a[] > 0.0, which cannot move inwards: it reads a tensor
  for t in 0..32 @thread.x {
    if (a[] > 0.0) {                 <-- here
      reduce k in 0..8 {
        reduce l in 0..8 {
note: the threads of a block fill a shared tile together)");
}

TEST(CacheShared, RefusesACornerThatHasNoValueBesideItsGuard) {
  expect_refusal(
      R"(func f(A: f32[4], B: f32[4], C: f32[4]) {
           for i in 0..32 { if (i < 4) { C[i] = A[i] * B[(1 << i*3) % 4] } } })",
      [](const Function& f) { return in_shared(f, "B", "i"); },
      R"(error: cache_shared: the part of B that B[(1 << i*3) % 4] touches starts at (1 << i*3) % 4, which may have no value where the access does not happen
  for i in 0..32 {
    if (i < 4) {
      C[i] = A[i] * B[(1 << i*3) % 4]  <-- here
note: only a guard around the whole axis may stand before it)");
}

TEST(CacheShared, RefusesATileForLimitsAtPlacesThatDataName) {
  expect_refusal(
      R"(func f(X: f32[64], I: u8[64], O: f32[256]) {
  reduce k.0 in 0..2 @block.x combine(atomic) {
    reduce k.1 in 0..32 { O[index(I[k.0*32 + k.1])] max= X[k.0*32 + k.1] }
  }
})",
      [](const Function& f) { return in_shared(f, "O", "k.0"); },
      R"(error: cache_shared: the tile of O may have elements that nothing is combined into, and would be combined with the identity: max makes a number of a NaN
  reduce k.0 in 0..2 @block.x combine(atomic) {
    reduce k.1 in 0..32 {
      O[index(I[k.0*32 + k.1])] max= X[k.0*32 + k.1]  <-- here
note: combine into O itself, by atomic updates, without a tile)");
}

}  // namespace cache_shared_refusal_test
}  // namespace hone
