#include "fmt/format.h"
#include "gtest/gtest.h"
#include "tests/support/ir/combines.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace bind_test {

constexpr Binding block(uint8_t dim) { return {Binding::Kind::block, dim, 0}; }
constexpr Binding thread(uint8_t dim) { return {Binding::Kind::thread, dim, 0}; }
constexpr Binding parallel{Binding::Kind::parallel, 0, 0};

std::string fill_of(const std::string& extent, const std::string& binding = "") {
  return fmt::format("func f(C: f32[{}]) {{ for i in 0..{} {}{{ C[i] = 1.0 }} }}", extent, extent,
                     binding);
}

TEST(Bind, ToBlocks) {
  expect_rewrite(fill_of("8"), binds("i", block(0)), R"(func f(C: f32[8]) {
  for i in 0..8 @block.x {
    C[i] = 1.0
  }
})");
}

TEST(Bind, ToThreads) {
  expect_rewrite(fill_of("8"), binds("i", thread(2)), R"(func f(C: f32[8]) {
  for i in 0..8 @thread.z {
    C[i] = 1.0
  }
})");
}

TEST(Bind, ToCores) {
  expect_rewrite(fill_of("8"), binds("i", parallel), R"(func f(C: f32[8]) {
  for i in 0..8 @parallel {
    C[i] = 1.0
  }
})");
}

TEST(Bind, TheWholeMapping) {
  expect_rewrite(R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
                      for i in 0..M { for j in 0..N {
                        C[i, j] = 0.0
                        reduce k in 0..K { C[i, j] += A[i, k] * B[k, j] }
                      } }
                    })",
                 [](const Function& f) {
                   const Rewrite tiles = tile(f, axes(f, {"i", "j"}), {4, 8}, Tail::guard);
                   Function g = bind(tiles.function, tiles.axes[0], block(1)).function;
                   g = bind(g, tiles.axes[1], block(0)).function;
                   g = bind(g, tiles.axes[2], thread(1)).function;
                   return bind(g, tiles.axes[3], thread(0)).function;
                 },
                 R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i.0 in 0..(M + 3) / 4 @block.y {
    for j.0 in 0..(N + 7) / 8 @block.x {
      for i.1 in 0..4 @thread.y {
        for j.1 in 0..8 @thread.x {
          if (i.0*4 + i.1 < M) {
            if (j.0*8 + j.1 < N) {
              C[i.0*4 + i.1, j.0*8 + j.1] = 0.0
              reduce k in 0..K {
                C[i.0*4 + i.1, j.0*8 + j.1] += A[i.0*4 + i.1, k] * B[k, j.0*8 + j.1]
              }
            }
          }
        }
      }
    }
  }
})");
}

TEST(Bind, AFusedAxis) {
  expect_rewrite(R"(func f[M, N](A: f32[M, N], C: f32[M, N]) {
                      for i in 0..M { for j in 0..N { C[i, j] = A[i, j] } }
                    })",
                 [](const Function& f) {
                   const Rewrite fused = fuse(f, axis(f, "i"), axis(f, "j"));
                   const Rewrite parts = split(fused.function, fused.axes[0], 32, Tail::guard);
                   const Function g = bind(parts.function, parts.axes[0], block(0)).function;
                   return bind(g, parts.axes[1], thread(0)).function;
                 },
                 R"(func f[M, N](A: f32[M, N], C: f32[M, N]) {
  for i_j.0 in 0..(M*N + 31) / 32 @block.x {
    for i_j.1 in 0..32 @thread.x {
      if (i_j.0*32 + i_j.1 < M*N) {
        C[(i_j.0*32 + i_j.1) / N, (i_j.0*32 + i_j.1) % N] =
            A[(i_j.0*32 + i_j.1) / N, (i_j.0*32 + i_j.1) % N]
      }
    }
  }
})");
}

/// Fused in either order, they number the same elements.
TEST(Bind, ThreeFusedLoopsOfWhichTheInnerOnesAreFusedFirst) {
  expect_rewrite(R"(func f[L, M, N](A: f32[L, M, N], C: f32[L, M, N]) {
                      for g in 0..L { for i in 0..M { for j in 0..N { C[g, i, j] = A[g, i, j] } } }
                    })",
                 [](const Function& f) {
                   const Rewrite inner = fuse(f, axis(f, "i"), axis(f, "j"));
                   const Rewrite fused =
                       fuse(inner.function, axis(inner.function, "g"), inner.axes[0]);
                   const Rewrite parts = split(fused.function, fused.axes[0], 32, Tail::guard);
                   const Function g = bind(parts.function, parts.axes[0], block(0)).function;
                   return bind(g, parts.axes[1], thread(0)).function;
                 },
                 R"(func f[L, M, N](A: f32[L, M, N], C: f32[L, M, N]) {
  for g_i_j.0 in 0..(L*M*N + 31) / 32 @block.x {
    for g_i_j.1 in 0..32 @thread.x {
      if (g_i_j.0*32 + g_i_j.1 < L*M*N) {
        C[(g_i_j.0*32 + g_i_j.1) / (M*N), (g_i_j.0*32 + g_i_j.1) % (M*N) / N, (g_i_j.0*32 + g_i_j.1) % N] =
            A[(g_i_j.0*32 + g_i_j.1) / (M*N), (g_i_j.0*32 + g_i_j.1) % (M*N) / N, (g_i_j.0*32 + g_i_j.1) % N]
      }
    }
  }
})");
}

TEST(Bind, APartOfAReversedIndex) {
  expect_rewrite(R"(func f[N](A: f32[N], C: f32[N]) { for i in 0..N { C[N - 1 - i] = A[i] } })",
                 binds("i", thread(0)), R"(func f[N](A: f32[N], C: f32[N]) {
  for i in 0..N @thread.x {
    C[N - 1 - i] = A[i]
  }
})");
}

TEST(Bind, TwoNestsToTheSameIndex) {
  expect_rewrite(R"(func f(C: f32[8], D: f32[8]) {
                      for i in 0..8 @block.x { C[i] = 1.0 }
                      for j in 0..8 { D[j] = 1.0 }
                    })",
                 binds("j", block(0)), R"(func f(C: f32[8], D: f32[8]) {
  for i in 0..8 @block.x {
    C[i] = 1.0
  }
  for j in 0..8 @block.x {
    D[j] = 1.0
  }
})");
}

TEST(Bind, PhasesToTheSameThreads) {
  expect_rewrite(R"(func f(C: f32[2, 64], D: f32[2, 32]) {
                      for b in 0..2 @block.x {
                        for i in 0..64 @thread.x { C[b, i] = 1.0 }
                        for j in 0..32 { D[b, j] = C[b, 63 - j] }
                      }
                    })",
                 binds("j", thread(0)), R"(func f(C: f32[2, 64], D: f32[2, 32]) {
  for b in 0..2 @block.x {
    for i in 0..64 @thread.x {
      C[b, i] = 1.0
    }
    for j in 0..32 @thread.x {
      D[b, j] = C[b, 63 - j]
    }
  }
})");
}

TEST(Bind, ALoopThatTouchesAPrivateTensor) {
  expect_rewrite(R"(func f(A: f32[8, 4], C: f32[8]) {
                      for i in 0..8 {
                        alloc s: f32[] @registers
                        s[] = 0.0
                        reduce k in 0..4 { s[] += A[i, k] }
                        C[i] = s[]
                      }
                    })",
                 binds("i", thread(0)), R"(func f(A: f32[8, 4], C: f32[8]) {
  for i in 0..8 @thread.x {
    alloc s: f32[] @registers
    s[] = 0.0
    reduce k in 0..4 {
      s[] += A[i, k]
    }
    C[i] = s[]
  }
})");
}

TEST(MayAlias, MarksTheFunction) {
  expect_rewrite(
      fill_of("8"), [](const Function& f) { return may_alias(f).function; },
      R"(func f(C: f32[8]) @may_alias {
  for i in 0..8 {
    C[i] = 1.0
  }
})");
}

TEST(Bind, RefusesWhatIsNoIndex) {
  expect_refusal(fill_of("8"), binds("i", {Binding::Kind::unroll, 0, 4}),
                 R"(error: bind: unroll(4) is not an index of a device
  for i in 0..8 {                    <-- here
    C[i] = 1.0
note: bind takes block.x, block.y, block.z, thread.x, thread.y, thread.z, lane, warp, warpgroup or parallel)");
}

/// A binding that somebody made of numbers.
TEST(Bind, RefusesADimensionThatThereIsNot) {
  const auto refusal = [](const std::string& what) {
    return "error: bind: " + what +
           "\nnote: bind takes block.x, block.y, block.z, thread.x, thread.y, thread.z, cluster.x, "
           "lane, warp, warpgroup or parallel";
  };
  const auto expect = [&](const Binding& binding, const std::string& what) {
    expect_refusal(fill_of("8"), binds("i", binding), refusal(what));
  };
  expect(dimension(Binding::Kind::thread, 7), "thread has no dimension 7");
  expect(dimension(Binding::Kind::thread, 256), "thread has no dimension 255");
  expect(dimension(Binding::Kind::thread, -1), "thread has no dimension 255");
  expect(dimension(Binding::Kind::block, 3), "block has no dimension 3");
  expect(dimension(Binding::Kind::parallel, 1), "parallel has no dimension 1");
  Binding of_lanes = lane;
  of_lanes.dim = 1;
  expect(of_lanes, "a unit of threads has no dimension 1");
}

TEST(Bind, RefusesABoundAxis) {
  expect_refusal(fill_of("8", "@block.y "), binds("i", block(0)),
                 R"(error: bind: i is bound to block.y already
  for i in 0..8 @block.y {           <-- here
    C[i] = 1.0
note: a loop is bound, unrolled or vectorised once)");
}

TEST(Bind, RefusesAnUnrolledAxis) {
  expect_refusal(fill_of("8", "@unroll "), binds("i", block(0)),
                 R"(error: bind: i is unrolled already
  for i in 0..8 @unroll {            <-- here
    C[i] = 1.0
note: a loop is bound, unrolled or vectorised once)");
}

TEST(Bind, RefusesAReductionAxis) {
  expect_refusal("func f(A: f32[8], C: f32[1]) { reduce k in 0..8 { C[0] += A[k] } }",
                 binds("k", thread(0)),
                 R"(error: bind: k is a reduction axis: all its iterations update C[0]
  reduce k in 0..8 {                 <-- here
    C[0] += A[k]
note: say how threads combine: Combine::sequential, interleaved_modulo or interleaved_strided (a tree), shuffle, two_level or atomic)");
}

TEST(Bind, RefusesTheIndexOfALoopAround) {
  expect_refusal(R"(func f(C: f32[4, 6]) {
                      for i in 0..4 @thread.x { for j in 0..6 { C[i, j] = 1.0 } }
                    })",
                 binds("j", thread(0)),
                 R"(error: bind: i is bound to thread.x already, and j is in the same nest
  for i in 0..4 @thread.x {          <-- here
    for j in 0..6 {
      C[i, j] = 1.0
note: thread has the dimensions x, y and z)");
}

TEST(Bind, RefusesTheIndexOfALoopInside) {
  expect_refusal(R"(func f(C: f32[4, 6]) {
                      for i in 0..4 { for j in 0..6 @block.x { C[i, j] = 1.0 } }
                    })",
                 binds("i", block(0)),
                 R"(error: bind: j is bound to block.x already, and i is in the same nest
  for i in 0..4 {
    for j in 0..6 @block.x {         <-- here
      C[i, j] = 1.0
note: block has the dimensions x, y and z)");
}

TEST(Bind, RefusesBlocksInsideASerialLoop) {
  expect_refusal("func f(C: f32[4, 6]) { for i in 0..4 { for j in 0..6 { C[i, j] = 1.0 } } }",
                 binds("j", block(0)), R"(error: bind: j stands inside i, which is not bound
  for i in 0..4 {                    <-- here
    for j in 0..6 {
      C[i, j] = 1.0
note: only loops bound to blocks enclose one; reorder brings j outside of i, or bind from the outside in)");
}

TEST(Bind, RefusesBlocksInsideThreads) {
  expect_refusal(R"(func f(C: f32[4, 6]) {
                      for i in 0..4 @thread.x { for j in 0..6 { C[i, j] = 1.0 } }
                    })",
                 binds("j", block(0)), R"(error: bind: j stands inside i, which is bound to thread.x
  for i in 0..4 @thread.x {          <-- here
    for j in 0..6 {
      C[i, j] = 1.0
note: only loops bound to blocks enclose one; reorder brings j outside of i, or bind from the outside in)");
}

TEST(Bind, RefusesCoresInsideBlocks) {
  expect_refusal(
      R"(func f(C: f32[4, 6]) {
                      for i in 0..4 @block.x { for j in 0..6 { C[i, j] = 1.0 } }
                    })",
      binds("j", parallel),
      R"(error: bind: i is bound to block.x, and j to parallel would mix CPU and GPU in one nest
  for i in 0..4 @block.x {           <-- here
    for j in 0..6 {
      C[i, j] = 1.0)");
}

TEST(Bind, RefusesThreadsInsideCores) {
  expect_refusal(
      R"(func f(C: f32[4, 6]) {
                      for i in 0..4 @parallel { for j in 0..6 { C[i, j] = 1.0 } }
                    })",
      binds("j", thread(0)),
      R"(error: bind: i is bound to parallel, and j to thread.x would mix CPU and GPU in one nest
  for i in 0..4 @parallel {          <-- here
    for j in 0..6 {
      C[i, j] = 1.0)");
}

TEST(Bind, RefusesStatementsBetweenTheLoopsOfAGrid) {
  expect_refusal(R"(func f(C: f32[4, 6], D: f32[4]) {
                      for i in 0..4 @block.y { D[i] = 1.0 for j in 0..6 { C[i, j] = 1.0 } }
                    })",
                 binds("j", block(0)),
                 R"(error: bind: other statements stand between j and the loop around it
  for i in 0..4 @block.y {
    for j in 0..6 {                  <-- here
      C[i, j] = 1.0
note: the loops of a grid enclose one another directly; fission separates statements)");
}

/// Both nests are one kernel, as both use the tile.
TEST(Bind, RefusesStatementsBesideAGridInsideOfATile) {
  expect_refusal(R"(func f(A: f32[8], C: f32[8]) {
                      alloc T: f32[8] @shared
                      for i in 0..8 { T[i] = A[i] }
                      for j in 0..8 { C[j] = T[j] } })",
                 binds("j", block(0)),
                 R"(error: bind: other statements stand between j and the tile T around it
  for j in 0..8 {                    <-- here
    C[j] = T[j]
note: the loops of a grid enclose one another directly; fission separates statements)");
  expect_refusal(R"(func f[M](A: f32[8], B: f32[8], C: f32[8]) {
                      if (M < 4) {
                        for i in 0..8 { B[i] = A[i] }
                        for j in 0..8 { C[j] = B[j] } } })",
                 binds("i", block(0)),
                 R"(error: bind: other statements stand between i and the guard around it
  if (M < 4) {
    for i in 0..8 {                  <-- here
      B[i] = A[i]
note: the loops of a grid enclose one another directly; fission separates statements)");
}

TEST(Bind, RefusesAGridThatIsTooLarge) {
  expect_refusal(fill_of("65536"), binds("i", block(1)),
                 R"(error: bind: i has the extent 65536, and block.y takes at most 65535
  for i in 0..65536 {                <-- here
    C[i] = 1.0
note: split it first)");
}

TEST(Bind, RefusesABlockThatIsTooDeep) {
  expect_refusal(fill_of("65"), binds("i", thread(2)),
                 R"(error: bind: i has the extent 65, and thread.z takes at most 64
  for i in 0..65 {                   <-- here
    C[i] = 1.0
note: split it first)");
}

TEST(Bind, RefusesTooManyThreads) {
  expect_refusal(R"(func f(C: f32[64, 32]) {
                      for i in 0..64 @thread.y { for j in 0..32 { C[i, j] = 1.0 } }
                    })",
                 binds("j", thread(0)),
                 R"(error: bind: the block would have 2048 threads, and a block takes at most 1024
  for i in 0..64 @thread.y {
    for j in 0..32 {                 <-- here
      C[i, j] = 1.0
note: bind smaller tiles to threads)");
}

TEST(Bind, CountsTheThreadsOfOtherPhases) {
  expect_refusal(R"(func f(C: f32[1024], D: f32[2]) {
                      for b in 0..1 @block.x {
                        for i in 0..1024 @thread.x { C[i] = 1.0 }
                        for j in 0..2 { D[j] = 1.0 }
                      }
                    })",
                 binds("j", thread(1)),
                 R"(error: bind: the block would have 2048 threads, and a block takes at most 1024
  for b in 0..1 @block.x {
    for j in 0..2 {                  <-- here
      D[j] = 1.0
note: bind smaller tiles to threads)");
}

}  // namespace bind_test
}  // namespace hone
