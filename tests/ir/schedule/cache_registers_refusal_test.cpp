#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/cached_matmul.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace cache_registers_refusal_test {

TEST(CacheRegisters, RefusesATensorThatIsNotUsed) {
  expect_refusal(
      matmul,
      [](const Function& f) {
        return cache_registers(f, make_tensor("D", DType::f32, {8}), axis(f, "j")).function;
      },
      R"(error: cache_registers: D is not used here
  for i in 0..M {
    for j in 0..N {                  <-- here
      C[i, j] = 0.0
      reduce k in 0..K {)");
}

TEST(CacheRegisters, RefusesTheLoopThatMakesTheTile) {
  expect_refusal(R"(func f(in: f32[8, 8], C: f32[8]) {
                      for i in 0..8 {
                        alloc in.shared: f32[8] @shared
                        copy in.shared[0 .. +8] <- in[i, 0 .. +8]
                        for j in 0..1 { C[i] = in.shared[3] } } })",
                 caches("in.shared", "i"),
                 R"(error: cache_registers: in.shared is made anew in each iteration of i
  for i in 0..8 {                    <-- here
    alloc in.shared: f32[8] @shared
    copy in.shared[0 .. +8] <- in[i, 0 .. +8]
note: name an axis inside of i that uses it)");
}

TEST(CacheRegisters, RefusesATensorThatAGuardAroundAllOfTheLoopReads) {
  expect_refusal(R"(func f(G: f32[8], C: f32[8]) {
                      for i in 0..8 { if (G[i] > 0.0) { C[i] = 1.0 } } })",
                 caches("G", "i"),
                 R"(error: cache_registers: of i, only guards around all of it read G
  for i in 0..8 {                    <-- here
    if (G[i] > 0.0) {
      C[i] = 1.0
note: name an axis around i)");
}

TEST(CacheRegisters, RefusesElementsThatThreadsShare) {
  expect_refusal(R"(func f(A: f32[8, 8], C: f32[8, 8]) {
                      for i in 0..8 { for j in 0..8 @thread.x { C[i, j] = A[i, j % 4] } } })",
                 caches("A", "i"),
                 R"(error: cache_registers: no thread in thread.x has A.reg[j % 4] to itself
  for i in 0..8 {                    <-- here
    for j in 0..8 @thread.x {
      C[i, j] = A[i, j % 4]
note: A.reg lives outside of the loops of threads, each of which has its own elements of it; threads exchange values in shared memory)");
}

TEST(CacheRegisters, RefusesRegisters) {
  expect_refusal(R"(func f(A: f32[8], C: f32[8]) {
                      for i in 0..8 { alloc s: f32[] @registers s[] = A[i] C[i] = s[] }
                    })",
                 caches("s", "i"), R"(error: cache_registers: s lives in registers already
  for i in 0..8 {                    <-- here
    alloc s: f32[] @registers
    s[] = A[i])");
}

TEST(CacheRegisters, RefusesATileOfSeveralCores) {
  expect_refusal(
      R"(func f(C: f32[8, 8]) {
                      for i in 0..8 { for j in 0..8 @parallel { C[i, j] = 1.0 } }
                    })",
      caches("C", "i"),
      R"(error: cache_registers: j is bound to parallel inside i: a tile of C would belong to several cores
  for i in 0..8 {
    for j in 0..8 @parallel {        <-- here
      C[i, j] = 1.0
note: cache under j or inside it)");
}

TEST(CacheRegisters, RefusesElementsThatSeveralThreadsTouch) {
  expect_refusal(
      R"(func f(A: f32[8, 32], C: f32[8, 32], D: f32[8, 32]) {
           for i in 0..8 @block.x {
             for j in 0..32 @thread.x { C[i, j] = A[i, j] }
             for k in 0..32 @thread.x { D[i, k] = A[i, 31 - k] }
           }
         })",
      caches("A", "i"),
      R"(error: cache_registers: A.reg[j] and A.reg[31 - k] are not elements of the same thread in thread.x
  for i in 0..8 @block.x {           <-- here
    for j in 0..32 @thread.x {
      C[i, j] = A[i, j]
note: A.reg lives outside of the loops of threads, each of which has its own elements of it; threads exchange values in shared memory)");
}

/// The thread of k.0 has the sum, and those of j have registers of their own.
TEST(CacheRegisters, RefusesWhatOneThreadSetsAndOthersRead) {
  expect_refusal(
      R"(func f(A: f32[8, 6], C: f32[8, 5], S: f32[8]) {
           for i in 0..8 {
             S[i] = 0.0
             reduce k.0 in 0..1 @thread.x combine(sequential) {
               reduce k.1 in 0..2 {
                 alloc R: f32[] @registers
                 R[] = S[i]
                 reduce k.2 in 0..3 { R[] += A[i, k.0*6 + k.1*3 + k.2] }
                 S[i] = R[]
               }
             }
             for j in 0..5 @thread.x { C[i, j] = S[i] }
           }
         })",
      caches("S", "i"),
      R"(error: cache_registers: one thread of thread.x sets S.reg[], and others read S.reg[]
  for i in 0..8 {                    <-- here
    S[i] = 0.0
    reduce k.0 in 0..1 @thread.x combine(sequential) {
note: S.reg lives outside of the loops of threads, each of which has its own elements of it; threads exchange values in shared memory)");
}

TEST(CacheRegisters, RefusesVectorsThatSeveralThreadsWouldShare) {
  expect_refusal(
      R"(func f(A: f32[8, 32], C: f32[8, 32]) {
           for i in 0..8 @block.x { for j in 0..32 @thread.x { C[i, j] = A[i, j] } }
         })",
      [](const Function& f) {
        return cache_registers(f, tensor(f, "A"), axis(f, "i"), {.vectorize = 4}).function;
      },
      R"(error: cache_registers: each thread has 1 neighbouring elements of A.reg at a time, of 32, and 4 cannot move at once
  for i in 0..8 @block.x {           <-- here
    for j in 0..32 @thread.x {
      C[i, j] = A[i, j]
note: split the axis of the threads by the length of the vector first)");
}

TEST(CacheRegisters, RefusesMoreThanTheRegistersOfEachThread) {
  expect_refusal(
      R"(func f(A: f32[8, 16384], C: f32[8, 16384]) {
           for i in 0..8 @block.x {
             for o in 0..512 { for t in 0..32 @thread.x { C[i, o*32 + t] = A[i, o*32 + t] } }
           }
         })",
      caches("A", "i"),
      R"(error: cache_registers: the part of A that one iteration of i touches is [512], and a thread has at most 255 registers
  for i in 0..8 @block.x {           <-- here
    for o in 0..512 {
      for t in 0..32 @thread.x {
note: cache under an inner axis, or split into smaller tiles)");
}

TEST(CacheRegisters, RefusesATensorThatIsCachedInside) {
  expect_refusal(
      matmul,
      [](const Function&) {
        const Function g = caches("C", "j.0")(tiled_matmul());
        return caches("C", "i.0")(g);
      },
      R"(error: cache_registers: C is cached inside this axis already
  for i.0 in 0..(M + 1) / 2 {
    for j.0 in 0..(N + 3) / 4 {
      copy C[i.0*2 .. +2, j.0*4 .. +4] <- C.reg[0 .. +2, 0 .. +4]  <-- here)");
}

TEST(CacheRegisters, RefusesAPartWithoutAConstantSize) {
  expect_refusal(matmul, caches("C", "i"),
                 R"(error: cache_registers: the part of C that C[i, j] touches has no constant size
  for i in 0..M {
    for j in 0..N {
      C[i, j] = 0.0                  <-- here
note: loops between the axis and the access must have constant extents; split them, or make their sizes constants)");
}

TEST(CacheRegisters, RefusesCornersAtDistancesThatChange) {
  expect_refusal("func f(A: f32[18], C: f32[8]) { for i in 0..8 { C[i] = A[i] + A[i*2 + 1] } }",
                 caches("A", "i"),
                 R"(error: cache_registers: A[i] and A[i*2 + 1] do not start at the same element
  for i in 0..8 {
    C[i] = A[i] + A[i*2 + 1]         <-- here
note: one tile holds accesses whose corners lie a constant distance apart; an element picks some of them: cache_registers(A(...), ...))");
}

TEST(CacheRegisters, RefusesACornerThatChanges) {
  expect_refusal(
      R"(func f(P: i32[1], C: f32[16]) {
                      for i in 0..3 { C[index(P[0])] += 1.0 P[0] += 1i32 C[index(P[0])] += 2.0 }
                    })",
      caches("C", "i"),
      R"(error: cache_registers: the part of C that C[index(P[0])] touches starts at index(P[0]), which P[0] changes
  for i in 0..3 {
    P[0] += 1i32                     <-- here)");
}

TEST(CacheRegisters, RefusesACornerThatIsReadConditionally) {
  expect_refusal(
      R"(func f(P: i32[4], C: f32[16], D: f32[8]) {
                      for i in 0..8 { if (i < 4) { C[index(P[i])] = 1.0 } D[i] = 2.0 }
                    })",
      caches("C", "i"),
      R"(error: cache_registers: the part of C that C[index(P[i])] touches starts at index(P[i]), which is read under a condition
  for i in 0..8 {
    if (i < 4) {
      C[index(P[i])] = 1.0           <-- here
note: only a guard around the whole axis may stand before it)");
}

TEST(CacheRegisters, RefusesTilesThatThreadsWouldShare) {
  // A tile of t holds the elements from i*4 + t to i*4 + t + 3, also those of the other thread.
  expect_refusal(
      R"(func f(C: f32[32]) {
           for i in 0..8 {
             for t in 0..2 @thread.x { for j in 0..2 { C[i*4 + j*2 + t] = 1.0 C[i*4 + j*3 + t] = 2.0 } }
           }
         })",
      caches("C", "t"),
      R"(error: cache_registers: two iterations of t may touch one element: one writes C[i*4 + t .. +4], one reads C[i*4 + t .. +4]
  for i in 0..8 {
    for t in 0..2 @thread.x {        <-- here
      for j in 0..2 {
        C[i*4 + j*2 + t] = 1.0
note: t is bound to thread.x: its iterations run at the same time)");
}

TEST(CacheRegisters, RefusesTilesThatBlocksWouldShare) {
  // The last tile of 4 reaches into the next 10 elements.
  expect_refusal(
      R"(func f(C: f32[100]) {
                      for i in 0..10 @block.x { for j in 0..3 { for l in 0..4 {
                        if (j*4 + l < 10) { C[i*10 + j*4 + l] = 1.0 }
                      } } }
                    })",
      caches("C", "j"),
      R"(error: cache_registers: two iterations of i may touch one element: one writes C[i*10 + j*4 .. +4], one reads C[i*10 + j*4 .. +4]
  for i in 0..10 @block.x {
    for j in 0..3 {                  <-- here
      for l in 0..4 {
        if (j*4 + l < 10) {
note: i is bound to block.x: its iterations run at the same time)");
}

/// C[1] is nobody's, and absmax with 0 would make -1 of it 1.
TEST(CacheRegisters, RefusesPartsThatMayChangeWhatNothingIsCombinedInto) {
  expect_refusal(
      R"(operator absmax(x: f32, y: f32) = max(abs(x[]), abs(y[])) identity 0.0
         func f(A: f32[4], C: f32[2]) {
           reduce k in 0..4 @block.x combine(last_block) {
             for i in 0..2 { if (i < 1) { C[i] absmax= A[k] } } } })",
      [](const Function& f) { return in_registers(f, "C", "k"); },
      R"(error: cache_registers: the tile of C may have elements that nothing is combined into, and would be combined with the identity: absmax keeps what it has combined, and promises nothing of other values
  reduce k in 0..4 @block.x combine(last_block) {
    for i in 0..2 {
      if (i < 1) {
        C[i] absmax= A[k]            <-- here
note: choose factors that divide, or cache before combining)");
}

TEST(CacheRegisters, RefusesAnAxisThatHasNoLoop) {
  expect_refusal(
      "func f(C: f32[8]) { for i in 0..8 { C[i] = 1.0 } }",
      [](const Function& f) {
        return cache_registers(f, tensor(f, "C"), make_axis("j", AxisKind::spatial)).function;
      },
      R"(error: cache_registers: f has no axis j
note: its axes are i)");
}

}  // namespace cache_registers_refusal_test
}  // namespace hone
