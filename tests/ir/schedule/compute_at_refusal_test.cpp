#include "gtest/gtest.h"
#include "ir/text/parser.h"
#include "tests/support/ir/placed_programs.h"

namespace hone {
namespace compute_at_refusal_test {

TEST(ComputeAt, RefusesAnArgument) {
  expect_refusal(softmax, computes("X", "i.Y"),
                 R"(error: compute_at: X is an argument, not a temporary
note: the temporaries are m and S)");
}

TEST(ComputeAt, RefusesATile) {
  expect_refusal(
      softmax, [](const Function& f) { return computed_at(computed_at(f, "S", "i.Y"), "S", "j"); },
      R"(error: compute_at: S is a tile, not a temporary
  for i.Y in 0..M {
    alloc S: f32[] @registers        <-- here
    S[] = 0.0
    reduce k.S in 0..N {
note: the temporary is m)");
}

TEST(ComputeAt, RefusesAnArgumentWhereThereAreNoTemporaries) {
  expect_refusal(R"(func f(X: f32[4], Y: f32[4]) { for i in 0..4 { Y[i] = X[i] } })",
                 computes("X", "i"), R"(error: compute_at: X is an argument, not a temporary
note: f defines no tensor that it reads afterwards)");
}

TEST(ComputeAt, RefusesAReaderOutsideAndListsThePlaces) {
  expect_refusal(R"(func f[M, N](X: f32[M, N], Y: f32[M, N]) {
  alloc T: f32[M] @global
  for a in 0..M { T[a] = X[a, 0] }
  for i.0 in 0..M { for i.1 in 0..1 { Y[i.0, 0] = T[i.0] for j in 0..N { Y[i.0, j] = T[i.0] } } }
})",
                 computes("T", "j"), R"(error: compute_at: T[i.0] is read here, outside of j
  for i.0 in 0..M {
    for i.1 in 0..1 {
      Y[i.0, 0] = T[i.0]             <-- here
note: T can be computed at i.0 or i.1)");
}

TEST(ComputeAt, RefusesReadersInSeveralNests) {
  expect_refusal(softmax, computes("m", "i.Y"),
                 R"(error: compute_at: m[i.S] is read here, outside of i.Y
  for i.S in 0..M {
    reduce k.S in 0..N {
      S[i.S] += exp(X[i.S, k.S] - m[i.S])  <-- here
note: none: m is read by the nests of S and Y; compute S there first)");
}

TEST(ComputeAt, RefusesReadersOfSeveralOutputs) {
  expect_refusal(R"(func f(X: f32[4], Y: f32[4], Z: f32[4]) {
  alloc T: f32[4] @global
  for a in 0..4 { T[a] = X[a] }
  for i in 0..4 { Y[i] = T[i] }
  for j in 0..4 { Z[j] = T[j] }
})",
                 computes("T", "j"), R"(error: compute_at: T[i] is read here, outside of j
  for i in 0..4 {
    Y[i] = T[i]                      <-- here
note: none: T is read by the nests of Y and Z)");
}

TEST(ComputeAt, RefusesAReaderWithoutLoops) {
  expect_refusal(R"(func f(X: f32[4], Y: f32[4]) {
  alloc T: f32[4] @global
  for a in 0..4 { T[a] = X[a] }
  Y[0] = T[0]
  for i in 0..4 { Y[i] = T[i] }
})",
                 computes("T", "i"), R"(error: compute_at: T[0] is read here, outside of i
  Y[0] = T[0]                        <-- here
note: no loop encloses all that reads T)");
}

TEST(ComputeAt, RefusesALoopOfTheNestItself) {
  expect_refusal(blur, computes("T", "n"),
                 R"(error: compute_at: n is a loop of the nest that computes T
  for n in 0..N + 2 {                <-- here
    T[n] = X[n] + X[n + 1] + X[n + 2]
note: T can be computed at i)");
}

TEST(ComputeAt, RefusesATensorThatNothingReads) {
  expect_refusal(R"(func f(X: f32[4], Y: f32[4]) {
  alloc T: f32[4] @global
  for a in 0..4 { T[a] = X[a] }
  for i in 0..4 { Y[i] = X[i] }
})",
                 computes("T", "i"), R"(error: compute_at: nothing reads T
  for a in 0..4 {                    <-- here
    T[a] = X[a])");
}

TEST(ComputeAt, RefusesATensorThatNothingComputes) {
  expect_refusal(R"(func f(X: f32[4], Y: f32[4]) {
  alloc T: f32[4] @global
  for i in 0..4 { Y[i] = T[i] }
})",
                 computes("T", "i"), R"(error: compute_at: nothing computes T)");
}

TEST(ComputeAt, RefusesASplitNest) {
  expect_refusal(
      blur, [](const Function& f) { return computed_at(parted(f, "n", 4), "T", "i"); },
      R"(error: compute_at: the nest of T is not as it was defined: T[n.0*4 + n.1] is not indexed by one loop per dimension
  for n.0 in 0..(N + 1) / 4 + 1 {
    for n.1 in 0..4 {
      if (n.0*4 + n.1 < N + 2) {
        T[n.0*4 + n.1] = X[n.0*4 + n.1] + X[n.0*4 + n.1 + 1] + X[n.0*4 + n.1 + 2]  <-- here
note: compute_at comes before other steps on that nest)");
}

TEST(ComputeAt, RefusesABoundNest) {
  expect_refusal(
      blur, [](const Function& f) { return computed_at(bound(f, "n", block_x), "T", "i"); },
      R"(error: compute_at: the nest of T is not as it was defined: n is @block.x
  for n in 0..N + 2 @block.x {       <-- here
    T[n] = X[n] + X[n + 1] + X[n + 2]
note: compute_at comes before other steps on that nest)");
}

TEST(ComputeAt, RefusesAnUnrolledNest) {
  expect_refusal(R"(func f(X: f32[4], Y: f32[4]) {
  alloc T: f32[4] @global
  for a in 0..4 @unroll { T[a] = X[a] }
  for i in 0..4 { Y[i] = T[i] }
})",
                 computes("T", "i"),
                 R"(error: compute_at: the nest of T is not as it was defined: a is @unroll
  for a in 0..4 @unroll {            <-- here
    T[a] = X[a]
note: compute_at comes before other steps on that nest)");
}

TEST(ComputeAt, RefusesANestInSeveralParts) {
  expect_refusal(
      R"(func f(X: f32[4, 4], Y: f32[4]) {
  alloc T: f32[4] @global
  for a in 0..4 { T[a] = 0.0 }
  for b in 0..4 { reduce k in 0..4 { T[b] += X[b, k] } }
  for i in 0..4 { Y[i] = T[i] }
})",
      computes("T", "i"),
      R"(error: compute_at: the nest of T is not as it was defined: several nests compute it
  for b in 0..4 {                    <-- here
    reduce k in 0..4 {
      T[b] += X[b, k]
note: compute_at comes before other steps on that nest)");
}

TEST(ComputeAt, RefusesANestWithAReductionOutside) {
  expect_refusal(
      R"(func f(X: f32[4, 4], Y: f32[4]) {
  alloc T: f32[4] @global
  reduce k in 0..4 { for a in 0..4 { T[a] += X[a, k] } }
  for i in 0..4 { Y[i] = T[i] }
})",
      computes("T", "i"),
      R"(error: compute_at: the nest of T is not as it was defined: the loops of its dimensions do not stand outermost
  reduce k in 0..4 {                 <-- here
    for a in 0..4 {
      T[a] += X[a, k]
note: compute_at comes before other steps on that nest)");
}

TEST(ComputeAt, RefusesANestThatComputesMore) {
  expect_refusal(R"(func f(X: f32[4], Y: f32[4], Z: f32[4]) {
  alloc T: f32[4] @global
  for a in 0..4 { T[a] = X[a] Z[a] = X[a] }
  for i in 0..4 { Y[i] = T[i] }
})",
                 computes("T", "i"),
                 R"(error: compute_at: the nest of T is not as it was defined: it writes Z as well
  for a in 0..4 {
    Z[a] = X[a]                      <-- here
note: compute_at comes before other steps on that nest)");
}

TEST(ComputeAt, RefusesATensorThatIsCached) {
  expect_refusal(
      blur,
      [](const Function& f) {
        return computed_at(in_shared(parted(f, "i", 8), "T", "i.0"), "T", "i.0");
      },
      R"(error: compute_at: T is cached already
  for i.0 in 0..(N + 7) / 8 {
    copy T.shared[0 .. +10] <- T[i.0*8 .. +10]  <-- here
note: compute_at comes before caching)");
}

TEST(ComputeAt, RefusesOperandsThatChangeBetween) {
  expect_refusal(R"(func f(A: f32[4], Y: f32[4]) {
  alloc T: f32[4] @global
  for a in 0..4 { T[a] = A[a] }
  for b in 0..4 { A[b] = 0.0 }
  for i in 0..4 { Y[i] = T[i] }
})",
                 computes("T", "i"),
                 R"(error: compute_at: T is computed from A[a], and A changes before T is read
  for b in 0..4 {
    A[b] = 0.0                       <-- here)");
}

TEST(ComputeAt, RefusesOperandsThatTheReadersChange) {
  expect_refusal(R"(func f(A: f32[4]) {
  alloc T: f32[4] @global
  for a in 0..4 { T[a] = A[3 - a] }
  for i in 0..4 { A[i] = T[i] }
})",
                 computes("T", "i"),
                 R"(error: compute_at: T is computed from A[3 - a], and A changes before T is read
  for i in 0..4 {
    A[i] = T[i]                      <-- here)");
}

TEST(ComputeAt, RefusesAPartWithoutAConstantSize) {
  expect_refusal(R"(func f[M, N](X: f32[M, N], Y: f32[M]) {
  alloc T: f32[M, N] @global
  for a in 0..M { for b in 0..N { T[a, b] = X[a, b] } }
  for i in 0..M { Y[i] = 0.0 reduce k in 0..N { Y[i] += T[i, k] } }
})",
                 computes("T", "i"),
                 R"(error: compute_at: the part of T that T[i, k] touches has no constant size
  for i in 0..M {
    reduce k in 0..N {
      Y[i] += T[i, k]                <-- here
note: loops between the axis and the access must have constant extents; split them, or make their sizes constants)");
}

TEST(ComputeAt, RefusesMoreThanTheRegistersOfAThread) {
  expect_refusal(
      R"(func f(X: f32[4, 300], Y: f32[4, 300]) {
  alloc T: f32[4, 300] @global
  for a in 0..4 { for b in 0..300 { T[a, b] = X[a, b] } }
  for i in 0..4 { for j in 0..300 { Y[i, j] = T[i, j] } }
})",
      computes("T", "i", {.scope = Scope::registers}),
      R"(error: compute_at: the part of T that one iteration of i touches is [1, 300], and a thread has at most 255 registers
  for i in 0..4 {                    <-- here
    for j in 0..300 {
      Y[i, j] = T[i, j]
note: compute it at an inner axis, or split into smaller tiles)");
}

TEST(ComputeAt, RefusesMoreThanTheSharedMemoryOfABlock) {
  expect_refusal(
      R"(func f(X: f32[4, 60000], Y: f32[4, 60000]) {
  alloc T: f32[4, 60000] @global
  for a in 0..4 { for b in 0..60000 { T[a, b] = X[a, b] } }
  for i in 0..4 { for j in 0..60000 { Y[i, j] = T[i, j] } }
})",
      computes("T", "i"),
      R"(error: compute_at: the part of T that one iteration of i reads, [1, 60000], takes 240000 bytes of shared memory, and no architecture gives a block more than 232448
  for i in 0..4 {                    <-- here
    for j in 0..60000 {
      Y[i, j] = T[i, j]
note: compute it at an inner axis, or split into smaller tiles)");
}

TEST(ComputeAt, RefusesSharedMemoryInsideOfThreads) {
  expect_refusal(
      R"(func f(X: f32[4, 8], Y: f32[4, 8]) {
  alloc T: f32[4, 8] @global
  for a in 0..4 { for b in 0..8 { T[a, b] = X[a, b] } }
  for i in 0..4 @block.x { for t in 0..4 @thread.x { for j in 0..2 { Y[i, t*2 + j] = T[i, t*2 + j] } } }
})",
      computes("T", "j", {.scope = Scope::shared}),
      R"(error: compute_at: each thread of t would compute its own part of T, and a block has its shared memory together
  for i in 0..4 @block.x {
    for t in 0..4 @thread.x {
      for j in 0..2 {                <-- here
        Y[i, t*2 + j] = T[i, t*2 + j]
note: compute it around t, or in registers)");
}

TEST(ComputeAt, RefusesRegistersAroundThreads) {
  expect_refusal(
      R"(func f(X: f32[4, 8], Y: f32[4, 8]) {
  alloc T: f32[4, 8] @global
  for a in 0..4 { for b in 0..8 { T[a, b] = X[a, b] } }
  for i in 0..4 @block.x { for t in 0..4 @thread.x { for j in 0..2 { Y[i, t*2 + j] = T[i, t*2 + j] } } }
})",
      computes("T", "i", {.scope = Scope::registers}),
      R"(error: compute_at: T[t*2 + j] and T[b] are not elements of the same thread in thread.x
  for i in 0..4 @block.x {           <-- here
    for t in 0..4 @thread.x {
      for j in 0..2 {
note: T lives outside of the loops of threads, each of which has its own elements of it; threads exchange values in shared memory)");
}

TEST(ComputeAt, RefusesSharedMemoryAroundBlocks) {
  expect_refusal(
      R"(func f(X: f32[4, 8], Y: f32[4, 8]) {
  alloc T: f32[4, 8] @global
  for a in 0..4 { for b in 0..8 { T[a, b] = X[a, b] } }
  for i in 0..4 @block.y { for j in 0..8 @block.x { Y[i, j] = T[i, j] } }
})",
      computes("T", "i"),
      R"(error: compute_at: j is bound to block.x inside i: a tile of T would belong to several blocks
  for i in 0..4 @block.y {
    for j in 0..8 @block.x {         <-- here
      Y[i, j] = T[i, j]
note: compute it at j or inside it)");
}

TEST(ComputeAt, RefusesSharedMemoryOnTheHost) {
  expect_refusal(
      R"(func f(X: f32[4, 8], Y: f32[4, 8]) {
  alloc T: f32[4, 8] @global
  for a in 0..4 { for b in 0..8 { T[a, b] = X[a, b] } }
  for i in 0..4 @parallel { for j in 0..8 { Y[i, j] = T[i, j] } }
})",
      computes("T", "i", {.scope = Scope::shared}),
      R"(error: compute_at: i is bound to parallel, and only the threads of a block have shared memory
  for i in 0..4 @parallel {          <-- here
    for j in 0..8 {
      Y[i, j] = T[i, j]
note: registers give each iteration a tile of its own)");
}

TEST(ComputeAt, RefusesGlobalMemory) {
  expect_refusal(blur, computes("T", "i", {.scope = Scope::global}),
                 R"(error: compute_at: T lives in global memory now, and its part would be a tile
  for i in 0..N {                    <-- here
    Y[i] = T[i] + T[i + 1] + T[i + 2]
note: tiles live in registers or in shared memory)");
}

TEST(ComputeAt, RefusesAnIndexOfRegistersThatIsKnownAtLaunchOnly) {
  expect_refusal(
      R"(func f[M](X: f32[M, 8], Y: f32[M], p: i32[1]) {
  alloc T: f32[M, 8] @global
  for a in 0..M { for b in 0..8 { T[a, b] = X[a, b] } }
  for i in 0..M { Y[i] = 0.0 reduce k in 0..M { Y[i] += T[i, k % 8] } }
})",
      computes("T", "i", {.scope = Scope::registers}),
      R"(error: compute_at: T would be indexed by k % 8, and k has the extent M, which is known at launch only: registers have no addresses
  for i in 0..M {
    reduce k in 0..M {
      Y[i] += T[i, k % 8]            <-- here
note: split off a constant number of iterations)");
}

TEST(ComputeAt, RefusesAGuardThatReadsTheTensor) {
  expect_refusal(R"(func f(X: f32[4], Y: f32[4]) {
  alloc T: f32[4] @global
  for a in 0..4 { T[a] = X[a] }
  for i in 0..4 { if (T[i] > 0.0) { Y[i] = T[i] } }
})",
                 computes("T", "i"), R"(error: compute_at: a guard around all of i reads T
  for i in 0..4 {                    <-- here
    if (T[i] > 0.0) {
      Y[i] = T[i]
note: compute it at a loop around that one)");
}

TEST(ComputeAt, RefusesToGiveEachThreadATileThatTheBlockShares) {
  expect_refusal(
      R"(func f(X: f32[4], Y: f32[4]) {
  alloc T: f32[4] @global
  for a in 0..4 {
    alloc T.shared: f32[] @shared
    T.shared[] = X[a]
    T[a] = T.shared[]
  }
  for i in 0..4 @thread.x { Y[i] = T[i] }
})",
      computes("T", "i"),
      R"(error: compute_at: T.shared holds what one iteration of i touches, and the threads of a block have one T.shared together: it would have to grow
  for i in 0..4 @thread.x {          <-- here
    Y[i] = T[i]
note: keep it in registers, or around the loops of threads)");
}

}  // namespace compute_at_refusal_test
}  // namespace hone
