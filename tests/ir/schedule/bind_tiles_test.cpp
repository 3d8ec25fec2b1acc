// bind where tiles live: shared memory is one per block, registers one per thread.
#include "gtest/gtest.h"
#include "tests/support/ir/steps.h"

namespace hone {
namespace bind_tiles_test {

constexpr const char* rows = R"(func f(A: f32[32, 8], C: f32[32]) {
  for i in 0..32 { reduce j in 0..8 { C[i] += A[i, j] } }
})";

constexpr const char* guarded_rows = R"(func f[N](B: f32[64], C: f32[N]) {
  for b in 0..(N + 31) / 32 { for t in 0..32 { if (b*32 + t < N) {
    reduce k in 0..8 { reduce l in 0..8 { C[b*32 + t] += B[k*8 + l] } }
  } } }
})";

TEST(Bind, TakesThreadsAroundATileThatTheyFillAlike) {
  expect_rewrite(
      R"(func f(B: f32[64], C: f32[32]) {
        for t in 0..32 { reduce k in 0..8 { reduce l in 0..8 { C[t] += B[k*8 + l] } } }
      })",
      [](const Function& f) { return bound(in_shared(f, "B", "k"), "t", thread_x); },
      R"(func f(B: f32[64], C: f32[32]) {
  for t in 0..32 @thread.x {
    reduce k in 0..8 {
      alloc B.shared: f32[8] @shared
      copy B.shared[0 .. +8] <- B[k*8 .. +8]
      reduce l in 0..8 {
        C[t] += B.shared[l]
      }
    }
  }
})");
}

TEST(Bind, TakesBlocksAroundATile) {
  expect_rewrite(
      rows, [](const Function& f) { return bound(in_shared(f, "A", "i"), "i", block_x); },
      R"(func f(A: f32[32, 8], C: f32[32]) {
  for i in 0..32 @block.x {
    alloc A.shared: f32[8] @shared
    copy A.shared[0 .. +8] <- A[i, 0 .. +8]
    reduce j in 0..8 {
      C[i] += A.shared[j]
    }
  }
})");
}

TEST(Bind, TakesThreadsInsideATile) {
  expect_rewrite(
      R"(func f(A: f32[32], C: f32[32]) {
        for b in 0..4 { for t in 0..8 { C[b*8 + t] = A[b*8 + 7 - t] } }
      })",
      [](const Function& f) { return bound(in_shared(f, "A", "b"), "t", thread_x); },
      R"(func f(A: f32[32], C: f32[32]) {
  for b in 0..4 {
    alloc A.shared: f32[8] @shared
    copy A.shared[0 .. +8] <- A[b*8 .. +8]
    for t in 0..8 @thread.x {
      C[b*8 + t] = A.shared[7 - t]
    }
  }
})");
}

TEST(Bind, RefusesToLetATileGrow) {
  expect_refusal(
      rows, [](const Function& f) { return bound(in_shared(f, "A", "i"), "i", thread_x); },
      R"(error: bind: A.shared holds what one iteration of i touches, and the threads of a block have one A.shared together: it would have to grow
  for i in 0..32 {
    alloc A.shared: f32[8] @shared   <-- here
    copy A.shared[0 .. +8] <- A[i, 0 .. +8]
    reduce j in 0..8 {
note: bind i before caching)");
}

TEST(Bind, RefusesToLetATileGrowWhoseCopyIsInLoops) {
  expect_refusal(
      rows,
      [](const Function& f) {
        return bound(with_copy_loops(in_shared(f, "A", "i"), "A.shared"), "i", thread_x);
      },
      R"(error: bind: A.shared holds what one iteration of i touches, and the threads of a block have one A.shared together: it would have to grow
  for i in 0..32 {
    alloc A.shared: f32[8] @shared   <-- here
    for A.shared.0 in 0..8 {
      A.shared[A.shared.0] = A[i, A.shared.0]
note: bind i before caching)");
}

TEST(Bind, RefusesATileThatIsFilledFromRegistersOfOneThread) {
  expect_refusal(
      rows,
      [](const Function& f) {
        const Function g = with_copy_loops(in_shared(f, "A", "i"), "A.shared");
        return bound(in_registers(g, "A", "A.shared.0"), "i", thread_x);
      },
      R"(error: bind: A.shared holds what one iteration of i touches, and the threads of a block have one A.shared together: it would have to grow
  for i in 0..32 {
    alloc A.shared: f32[8] @shared   <-- here
    for A.shared.0 in 0..8 {
      alloc A.reg: f32[] @registers
note: bind i before caching)");
}

TEST(Bind, RefusesATileUnderAGuardThatThreadsDifferIn) {
  // Bound before, the guard moves inside of what the block does together.
  expect_refusal(
      guarded_rows, [](const Function& f) { return bound(in_shared(f, "B", "k"), "t", thread_x); },
      R"(error: bind: B.shared stands under b*32 + t < N, which differs between iterations of t: the threads of a block fill it together
  for b in 0..(N + 31) / 32 {
    for t in 0..32 {
      if (b*32 + t < N) {
        reduce k in 0..8 {
          alloc B.shared: f32[8] @shared  <-- here
          copy B.shared[0 .. +8] <- B[k*8 .. +8]
          reduce l in 0..8 {
note: bind t before caching)");
  expect_rewrite(
      guarded_rows, [](const Function& f) { return in_shared(bound(f, "t", thread_x), "B", "k"); },
      R"(func f[N](B: f32[64], C: f32[N]) {
  for b in 0..(N + 31) / 32 {
    for t in 0..32 @thread.x {
      reduce k in 0..8 {
        alloc B.shared: f32[8] @shared
        copy B.shared[0 .. +8] <- B[k*8 .. +8]
        if (b*32 + t < N) {
          reduce l in 0..8 {
            C[b*32 + t] += B.shared[l]
          }
        }
      }
    }
  }
})");
}

TEST(Bind, RefusesRegistersOfOneThread) {
  expect_refusal(
      R"(func f(A: f32[4, 8], C: f32[4]) {
        for i in 0..4 { for j in 0..8 { C[i] = A[i, j] } }
      })",
      [](const Function& f) { return bound(in_registers(f, "C", "i"), "j", thread_x); },
      R"(error: bind: C.reg lives outside j, in the registers of one thread
  for i in 0..4 {
    for j in 0..8 {
      C.reg[] = A[i, j]              <-- here
note: bind before caching, or cache under this axis)");
  expect_refusal(
      R"(func f(A: f32[4, 8], C: f32[4, 8]) {
        for i in 0..4 {
          for j in 0..8 { C[i, j] = A[i, j] }
          for l in 0..8 { C[i, l] += A[i, 7 - l] }
        }
      })",
      [](const Function& f) {
        Function g = in_registers(f, "C", "i");
        g = with_copy_loops(g, "C.reg", Direction::write_back);
        return bound(g, "C.reg.0", thread_x);
      },
      R"(error: bind: C.reg.0 is unrolled already
  for i in 0..4 {
    for C.reg.0 in 0..8 @unroll {    <-- here
      C[i, C.reg.0] = C.reg[C.reg.0]
note: a loop is bound, unrolled or vectorised once)");
}

TEST(Bind, RefusesThreadsThatExchangeATileInOneLoop) {
  expect_refusal(
      R"(func f(A: f32[32], T: f32[32], C: f32[32]) {
        for b in 0..4 { for t in 0..8 {
          T[b*8 + t] = A[b*8 + t]
          C[b*8 + t] = T[b*8]
        } }
      })",
      [](const Function& f) { return bound(in_shared(f, "T", "b"), "t", thread_x); },
      R"(error: bind: two iterations of t may touch one element: one writes T.shared[t], one reads T.shared[0]
  for b in 0..4 {
    for t in 0..8 {
      T.shared[t] = A[b*8 + t]       <-- here
note: iterations that run at the same time must not share what they write)");
}

}  // namespace bind_tiles_test
}  // namespace hone
