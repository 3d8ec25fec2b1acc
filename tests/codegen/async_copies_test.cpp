// Asynchronous copies in kernels: their groups, and how many of these a wait leaves pending.
#include <gmock/gmock.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "fmt/format.h"
#include "ir/opcodes/opcodes.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/traverse/visit.h"
#include "tests/support/codegen/passes.h"

namespace hone {
namespace async_copies_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string in_block(const std::string& statements) {
  return "func f[n](A: f32[8192], C: f32[64]) {\nfor b in 0..1 @block.x {\n" + statements + "} }";
}

/// A ring of `slots` that is filled `ahead` iterations ahead, and used in another order.
std::string ring(int slots, int ahead) {
  return in_block(fmt::format(
      R"(alloc T: f32[{0}, 64] @shared
         for k.ahead in 0..{1} @unroll {{
           if (k.ahead < n) {{ copy T[k.ahead, 0 .. +64] <- A[k.ahead*64 .. +64] @async }} }}
         reduce k in 0..n {{
           if (k + {1} < n) {{
             copy T[(k + {1}) % {0}, 0 .. +64] <- A[k*64 + {1}*64 .. +64] @async }}
           for t in 0..64 @thread.x {{ C[t] += T[k % {0}, 63 - t] }} }})",
      slots, ahead));
}

/// The groups that the waits of the kernel leave pending, in the order of the text.
std::vector<int64_t> pending_in(const std::string& text) {
  std::vector<int64_t> pending;
  walk(lower(parse_function(text)).kernels.front().body, [&](const Stmt& stmt) {
    if (const Instr* wait = as(stmt, op::wait_group)) pending.push_back(wait->constants[0]);
  });
  return pending;
}

TEST(AsyncCopies, OfATileAreWaitedForBeforeItsUse) {
  EXPECT_EQ(lowered_body(in_block(R"(for k in 0..n {
                                       alloc T: f32[64] @shared
                                       copy T[0 .. +64] <- A[k*64 .. +64] @async
                                       for t in 0..64 @thread.x { C[t] += T[63 - t] } })")),
            R"(alloc T: f32[64] @shared(0)
for k in 0..n {
  let T.tx = thread.x
  copy_async T[T.tx] <- select(k*64 + T.tx < 8192, A[k*64 + T.tx], 0.0) of 1
  commit_group
  wait_group 0
  barrier
  let t = thread.x
  C[t] += T[63 - t]
  barrier
})");
}

/// Zeros come as copies do: whoever waits for these has them.
TEST(AsyncCopies, BeyondTheEndOfATensorStayCopies) {
  const std::string text = in_block(R"(alloc T: f32[64] @shared
                                       copy T[0 .. +64] <- A[8192 .. +64] @async
                                       for t in 0..64 @thread.x { C[t] = T[63 - t] })");
  EXPECT_THAT(lowered_body(text), HasSubstr("copy_async T[T.tx] <- select(false, A[0], 0.0) of 1"));
  const KernelFunction kernel = lower(parse_function(text)).kernels.front();
  EXPECT_EQ(to_string(parse_kernel(to_string(kernel))), to_string(kernel));
  EXPECT_THAT(emit_cuda(kernel), HasSubstr("copy_async_4_or_zeros(&T[T_tx], &A[0], false);"));
}

TEST(AsyncCopies, OfARingAreWaitedForInTheOrderOfTheirUse) {
  EXPECT_EQ(lowered_body(ring(3, 2)), R"(alloc T: f32[3, 64] @shared(0)
for k.ahead in 0..2 @unroll {
  if (k.ahead < n) {
    let T.tx = thread.x
    copy_async T[k.ahead, T.tx] <- A[k.ahead*64 + T.tx] of 1
  }
  commit_group
}
reduce k in 0..n {
  wait_group 1
  barrier
  if (k + 2 < n) {
    let T.tx_2 = thread.x
    copy_async T[(k + 2) % 3, T.tx_2] <- select(k*64 + T.tx_2 + 128 < 8192, A[k*64 + T.tx_2 + 128], 0.0) of 1
  }
  commit_group
  let t = thread.x
  C[t] += T[k % 3, 63 - t]
})");
}

TEST(AsyncCopies, LeaveAllStagesPendingButTheNext) {
  EXPECT_THAT(pending_in(ring(2, 1)), ElementsAre(0));
  EXPECT_THAT(pending_in(ring(4, 3)), ElementsAre(2));
  EXPECT_THAT(pending_in(ring(8, 7)), ElementsAre(6));
}

/// Slots beyond those that are filled ahead wait longer, and are no use.
TEST(AsyncCopies, OfARingThatIsFilledLessFarAhead) {
  EXPECT_THAT(pending_in(ring(4, 2)), ElementsAre(1));
  EXPECT_THAT(pending_in(ring(4, 1)), ElementsAre(0));
}

/// The first tile is there when the second one may still be on its way.
TEST(AsyncCopies, OfTwoTilesAreTwoGroups) {
  EXPECT_THAT(pending_in(in_block(R"(alloc T: f32[64] @shared
                                     alloc U: f32[64] @shared
                                     for i in 0..64 @thread.x { C[i] = 0.0 }
                                     copy T[0 .. +64] <- A[0 .. +64] @async
                                     for j in 0..64 @thread.x { C[j] += 1.0 }
                                     copy U[0 .. +64] <- A[64 .. +64] @async
                                     alloc V: f32[64] @shared
                                     for t in 0..64 @thread.x { V[t] = T[63 - t] }
                                     for u in 0..64 @thread.x { C[u] += U[u] * V[63 - u] })")),
              ElementsAre(1, 0));
}

/// Its count differs between runs: all have to be there.
/// Iterations are not looked at one by one where there are many, nor all ways back to a wait.
TEST(AsyncCopies, InManyLoopsAreWaitedForInTime) {
  const std::string text =
      lowered_body(R"(func f(A: f32[9, 9, 9, 9, 9, 32], C: f32[9, 9, 9, 9, 9, 32]) {
  for a in 0..9 { for b in 0..9 { for c in 0..9 { for d in 0..9 { for e in 0..9 {
    alloc T: f32[32] @shared
    copy T[0 .. +32] <- A[a, b, c, d, e, 0 .. +32] @async
    for t in 0..32 @thread.x {
      C[a, b, c, d, e, t] = T[31 - t]
    }
  } } } } }
})");
  EXPECT_THAT(text, HasSubstr("wait_group 0\n"));
}

TEST(AsyncCopies, InALoopOfUnknownLengthAreAllWaitedFor) {
  EXPECT_THAT(pending_in(in_block(R"(alloc T: f32[64] @shared
                                     alloc U: f32[128, 64] @shared
                                     copy T[0 .. +64] <- A[0 .. +64] @async
                                     for k in 0..n {
                                       copy U[k, 0 .. +64] <- A[k*64 .. +64] @async }
                                     for t in 0..64 @thread.x { C[t] = T[63 - t] })")),
              ElementsAre(0));
}

/// Threads that start no copy commit a group without one, or would count otherwise.
TEST(AsyncCopies, UnderAConditionAreCommittedByAll) {
  EXPECT_THAT(lowered_body(in_block(R"(alloc T: f32[64] @shared
                                       if (n > 3) { copy T[0 .. +64] <- A[0 .. +64] @async }
                                       for t in 0..64 @thread.x { C[t] = T[63 - t] })")),
              HasSubstr("}\ncommit_group\nwait_group 0\nbarrier"));
}

TEST(AsyncCopies, OfOneThreadAreWaitedForToo) {
  EXPECT_EQ(
      lowered_body("func f(A: f32[4], C: f32[4]) { alloc T: f32[4] @shared "
                   "copy T[0 .. +4] <- A[0 .. +4] @async for t in 0..4 { C[t] = T[3 - t] } }"),
      R"(alloc T: f32[4] @shared(0)
copy_async T[0] <- A[0] of 4
commit_group
wait_group 0
barrier
for t in 0..4 {
  C[t] = T[3 - t]
})");
}

TEST(AsyncCopies, KernelsOfThemParse) {
  const KernelFunction kernel = lower(parse_function(ring(3, 2))).kernels.front();
  EXPECT_EQ(to_string(parse_kernel(to_string(kernel))), to_string(kernel));
}

TEST(AsyncCopies, AreCpAsyncInCuda) {
  const std::string text = emit_cuda(lower(parse_function(ring(3, 2))).kernels.front());
  EXPECT_THAT(text, HasSubstr(R"(
// Starts a copy of 4 bytes to shared memory.
static __device__ void copy_async_4(void* to, const void* from) {
  const unsigned address = __cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
               :
               : "r"(address), "l"(from)
               : "memory");
}
)"));
  EXPECT_THAT(text, HasSubstr(R"(
  for (int k = 0; k < n; ++k) {
    wait_group<1>();
    __syncthreads();
    if (k + 2 < n) {
      const int T_tx_2 = threadIdx.x;
      copy_async_4_or_zeros(&T[(k + 2) % 3][T_tx_2],
          &A[k * 64 + T_tx_2 + 128], k * 64 + T_tx_2 + 128 < 8192);
    }
    commit_group();
)"));
}

}  // namespace async_copies_test
}  // namespace hone
