// Consumers that fill registers for the next iteration.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace prefetch_test {

Rewriting prefetches(llvm::StringRef name, int64_t tests_ahead = 0) {
  return [=](const Function& f) { return prefetch(f, axis(f, name), tests_ahead).function; };
}

/// Sums of rows of 64 through a ring of `slots`, whose elements go through registers.
std::string through_registers(int64_t slots, const std::string& registers = R"(
        alloc r: f32[] @registers
        r[] = T[k % 3, 63 - t])",
                              const std::string& loop = "@roles(1)") {
  std::string text =
      fmt::format(R"(func f[K](A: f32[K, 64], C: f32[64, 2]) {{
  for b in 0..2 @block.x {{
    for t in 0..64 @thread.x {{
      alloc T: f32[{}, 64] @shared
      reduce k in 0..K {} {{
        copy T[k % {}, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers){}
        C[t, b] += {}
      }}
    }}
  }}
}})",
                  slots, loop, slots, registers, registers.empty() ? "T[k % 3, 63 - t]" : "r[]");
  return text;
}

TEST(Prefetch, FillsRegistersAheadOfTheirUse) {
  const std::string before = through_registers(3);
  const std::string after = R"(func f[K](A: f32[K, 64], C: f32[64, 2]) {
  for b in 0..2 @block.x {
    for t in 0..64 @thread.x {
      alloc T: f32[3, 64] @shared
      reduce k in 0..K @roles(1) @prefetch {
        copy T[k % 3, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)
        alloc r: f32[] @registers
        r[] = T[k % 3, 63 - t]
        C[t, b] += r[]
      }
    }
  }
})";
  expect_rewrite(before, prefetches("k"), after);
}

TEST(PrefetchRefusals, OfALoopWithoutProducers) {
  expect_refusal("func f(A: f32[8], C: f32[1]) { reduce k in 0..8 { C[0] += A[k] } }",
                 prefetches("k"),
                 R"(error: prefetch: k has no producers, which fill the slot of its next iteration
  reduce k in 0..8 {                 <-- here
    C[0] += A[k]
note: specialize(k) comes first; a pipeline fills ahead by itself)");
}

TEST(PrefetchRefusals, ASecondTime) {
  expect_refusal(
      through_registers(3, "\n        alloc r: f32[] @registers\n        r[] = T[k % 3, 63 - t]",
                        "@roles(1) @prefetch"),
      prefetches("k"), R"(error: prefetch: the registers of k are filled ahead already
  for b in 0..2 @block.x {
    for t in 0..64 @thread.x {
      reduce k in 0..K @roles(1) @prefetch {  <-- here
        copy T[k % 3, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)
        alloc r: f32[] @registers)");
}

TEST(PrefetchRefusals, OfARingOfOneSlot) {
  expect_refusal(
      through_registers(1, "\n        alloc r: f32[] @registers\n        r[] = T[k % 1, 63 - t]"),
      prefetches("k"),
      R"(error: prefetch: the rings of k have one slot, and the next iteration is to be read before this one releases it
  for b in 0..2 @block.x {
    for t in 0..64 @thread.x {
      reduce k in 0..K @roles(1) {   <-- here
        copy T[k % 1, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)
        alloc r: f32[] @registers
note: specialize with 2 stages or more)");
}

TEST(PrefetchRefusals, OfALoopThatFillsNoRegisters) {
  expect_refusal(through_registers(3, ""), prefetches("k"),
                 R"(error: prefetch: no registers are filled from rings at the start of k
  for b in 0..2 @block.x {
    for t in 0..64 @thread.x {
      reduce k in 0..K @roles(1) {   <-- here
        copy T[k % 3, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)
        C[t, b] += T[k % 3, 63 - t]
note: cache_registers under a loop inside of it, and pipeline that loop: its first registers are filled there)");
}

constexpr const char* tile_of_consumers =
    R"(error: prefetch: S is written in k, and threads that wait for each other there do not fill registers ahead
  for t in 0..64 @thread.x {
    reduce k in 0..K @roles(1) {     <-- here
      copy T[k % 3, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)
      alloc r: f32[] @registers
note: tiles of its producers alone)";

TEST(PrefetchRefusals, OfTilesThatConsumersWrite) {
  expect_refusal(
      R"(func f[K](A: f32[K, 64], C: f32[64]) {
  alloc S: f32[64] @shared
  for t in 0..64 @thread.x {
    alloc T: f32[3, 64] @shared
    reduce k in 0..K @roles(1) {
      copy T[k % 3, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)
      alloc r: f32[] @registers
      r[] = T[k % 3, 63 - t]
      S[t] = r[]
      C[t] += S[t]
    }
  }
})",
      prefetches("k"), tile_of_consumers);
}

TEST(PrefetchRefusals, OfTilesThatConsumersAllocateAndWrite) {
  expect_refusal(
      R"(func f[K](A: f32[K, 64], C: f32[64]) {
  for t in 0..64 @thread.x {
    alloc T: f32[3, 64] @shared
    reduce k in 0..K @roles(1) {
      copy T[k % 3, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)
      alloc r: f32[] @registers
      alloc S: f32[64] @shared
      r[] = T[k % 3, 63 - t]
      copy S[0 .. +64] <- A[k, 0 .. +64]
      C[t] += r[] * S[t]
    }
  }
})",
      prefetches("k"), tile_of_consumers);
}

/// Sums of rows of 4 times 64, through a register that a loop inside fills in turn.
constexpr const char* in_turns = R"(func f[K](A: f32[K, 4, 64], C: f32[64]) {
  for t in 0..64 @thread.x {
    alloc T: f32[3, 4, 64] @shared
    reduce k in 0..K @roles(1) {
      copy T[k % 3, 0 .. +4, 0 .. +64] <- A[k, 0 .. +4, 0 .. +64] @async @by(producers)
      alloc r: f32[4] @registers
      copy r[0 .. +4] <- T[k % 3, 0 .. +4, 63 - t]
      reduce l in 0..4 {
        C[t] += r[l]
      }
    }
  }
})";

TEST(Prefetch, TestsTheNextSlotBeforeItWaits) {
  std::string after = in_turns;
  after.insert(after.find(" {\n      copy T"), " @prefetch(3)");
  expect_rewrite(in_turns, prefetches("k", 3), after);
}

TEST(PrefetchRefusals, OfATestInNoIteration) {
  for (const int64_t tests_ahead : {5, -1})
    expect_refusal(
        in_turns, prefetches("k", tests_ahead),
        fmt::format(
            R"(error: prefetch: k waits for its next slot behind 4 iterations of l, and a test is to come {} before the wait
  for t in 0..64 @thread.x {{
    reduce k in 0..K @roles(1) {{     <-- here
      copy T[k % 3, 0 .. +4, 0 .. +64] <- A[k, 0 .. +4, 0 .. +64] @async @by(producers)
      alloc r: f32[4] @registers
note: up to 4)",
            tests_ahead));
}

TEST(PrefetchRefusals, OfATestWhereNoLoopIsInside) {
  expect_refusal(
      through_registers(3), prefetches("k", 1),
      R"(error: prefetch: k waits for its next slot behind no loop of 1 to 64 iterations, and a test is to come 1 of them before the wait
  for b in 0..2 @block.x {
    for t in 0..64 @thread.x {
      reduce k in 0..K @roles(1) {   <-- here
        copy T[k % 3, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)
        alloc r: f32[] @registers
note: prefetch(k), without a test)");
}

}  // namespace prefetch_test
}  // namespace hone
