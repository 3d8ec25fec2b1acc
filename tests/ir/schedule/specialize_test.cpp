// Producers and consumers in loop IR: warps of their own fill the tiles of a loop.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "ir/algebra/simplify.h"
#include "ir/schedule/legality/promises.h"
#include "ir/text/parser.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace specialize_test {

Rewriting specializes(llvm::StringRef name, int64_t stages,
                      const WarpRoles& roles = {.producer_warps = 1}) {
  return [=](const Function& f) { return specialize(f, axis(f, name), stages, roles).function; };
}

/// A sum over rows of 64, for `threads` threads, with these statements around the loop.
std::string sum_of_rows(const std::string& threads = "0..64 @thread.x",
                        const std::string& before = "", const std::string& behind = "") {
  return fmt::format(R"(func f[K](A: f32[K, 64], C: f32[64, 2]) {{
  for b in 0..2 @block.x {{
    for t in {} {{
      {}reduce k in 0..K {{
        alloc T: f32[64] @shared
        copy T[0 .. +64] <- A[k, 0 .. +64] @async
        C[t, b] += T[63 - t]
      }}
      {}
    }}
  }}
}})",
                     threads, before, behind);
}

TEST(Specialize, ProducersFillTheSlotsOfARing) {
  expect_rewrite(sum_of_rows(), specializes("k", 3), R"(func f[K](A: f32[K, 64], C: f32[64, 2]) {
  for b in 0..2 @block.x {
    for t in 0..64 @thread.x {
      alloc T: f32[3, 64] @shared
      reduce k in 0..K @roles(1) {
        copy T[k % 3, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)
        C[t, b] += T[k % 3, 63 - t]
      }
    }
  }
})");
}

TEST(Specialize, ConsumersMayTakeRegistersFromProducers) {
  expect_rewrite(R"(func f(A: f32[4, 8], B: f32[4, 8], C: f32[256]) {
  for t in 0..256 @thread.x {
    reduce k in 0..4 {
      alloc S: f32[8] @shared
      copy S[0 .. +8] <- A[k, 0 .. +8] @async
      alloc T: f32[8] @shared
      copy T[0 .. +8] <- B[k, 0 .. +8] @vector(4) @async
      alloc c: f32[] @registers
      c[] = S[t % 8]
      C[t] += c[] * T[t % 8]
    }
  }
})",
                 specializes("k", 2, {4, 40, 232}),
                 R"(func f(A: f32[4, 8], B: f32[4, 8], C: f32[256]) {
  for t in 0..256 @thread.x {
    alloc S: f32[2, 8] @shared
    alloc T: f32[2, 8] @shared
    reduce k in 0..4 @roles(4, 40, 232) {
      copy S[k % 2, 0 .. +8] <- A[k, 0 .. +8] @async @by(producers)
      copy T[k % 2, 0 .. +8] <- B[k, 0 .. +8] @vector(4) @async @by(producers)
      alloc c: f32[] @registers
      c[] = S[k % 2, t % 8]
      C[t] += c[] * T[k % 2, t % 8]
    }
  }
})");
}

TEST(Specialize, ProductsMayGoOnFromOneIterationToTheNext) {
  expect_rewrite(sum_of_rows(), specializes("k", 3, {.producer_warps = 1, .in_flight = 2}),
                 R"(func f[K](A: f32[K, 64], C: f32[64, 2]) {
  for b in 0..2 @block.x {
    for t in 0..64 @thread.x {
      alloc T: f32[3, 64] @shared
      reduce k in 0..K @roles(1, 0, 0, 2) {
        copy T[k % 3, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)
        C[t, b] += T[k % 3, 63 - t]
      }
    }
  }
})");
}

TEST(SpecializeRefusals, OfMoreInFlightThanSlotsAllow) {
  for (const int64_t in_flight : {-1, 3, 4})
    expect_refusal(
        sum_of_rows(), specializes("k", 3, {.producer_warps = 1, .in_flight = in_flight}),
        fmt::format(
            R"(error: specialize: products of {} iterations are to go on in rings of 3 stages, and producers fill one meanwhile
  for b in 0..2 @block.x {{
    for t in 0..64 @thread.x {{
      reduce k in 0..K {{             <-- here
        alloc T: f32[64] @shared
        copy T[0 .. +64] <- A[k, 0 .. +64] @async
note: .in_flight is 0 to 2)",
            in_flight));
}

/// A loop that is shorter than the ring has its iterations for slots.
TEST(Specialize, OfAShortLoop) {
  expect_rewrite(R"(func f(A: f32[2, 64], C: f32[64]) {
  for t in 0..64 @thread.x {
    for k in 0..2 {
      alloc T: f32[64] @shared
      copy T[0 .. +64] <- A[k, 0 .. +64] @async
      alloc U: f32[64] @shared
      copy U[0 .. +64] <- A[k, 0 .. +64] @async
      C[t] += T[63 - t] * U[t]
    }
  }
})",
                 [](const Function& f) {
                   const Function result = specializes("k", 4)(f);
                   return result.with_body(simplify(result.body));
                 },
                 R"(func f(A: f32[2, 64], C: f32[64]) {
  for t in 0..64 @thread.x {
    alloc T: f32[4, 64] @shared
    alloc U: f32[4, 64] @shared
    for k in 0..2 @roles(1) {
      copy T[k, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)
      copy U[k, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)
      C[t] += T[k, 63 - t] * U[k, t]
    }
  }
})");
  check_function(parse_function(R"(func f(A: f32[2, 64], C: f32[64]) {
  for t in 0..64 @thread.x {
    alloc T: f32[4, 64] @shared
    for k in 0..2 @roles(1) {
      copy T[k, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)
      C[t] += T[k, 63 - t]
    }
  }
})"));
}

TEST(SpecializeRefusals, OfBoundLoops) {
  expect_refusal(sum_of_rows(), specializes("b", 3),
                 R"(error: specialize: b is bound to block.x already
  for b in 0..2 @block.x {           <-- here
    for t in 0..64 @thread.x {
      reduce k in 0..K {
note: specialize it before binding it)");
}

TEST(SpecializeRefusals, OfNoStages) {
  expect_refusal(sum_of_rows(), specializes("k", 0),
                 R"(error: specialize: rings have a stage or more, got 0
  for b in 0..2 @block.x {
    for t in 0..64 @thread.x {
      reduce k in 0..K {             <-- here
        alloc T: f32[64] @shared
        copy T[0 .. +64] <- A[k, 0 .. +64] @async
note: 4: producers are up to four iterations ahead)");
}

TEST(SpecializeRefusals, OfLoopsWithoutAsynchronousCopies) {
  expect_refusal(R"(func f(A: f32[4, 64], C: f32[64]) {
  for t in 0..64 @thread.x {
    for k in 0..4 {
      alloc T: f32[64] @shared
      copy T[0 .. +64] <- A[k, 0 .. +64]
      C[t] += T[63 - t]
    }
  }
})",
                 specializes("k", 3),
                 R"(error: specialize: no asynchronous copy fills a tile at the start of k
  for t in 0..64 @thread.x {
    for k in 0..4 {                  <-- here
      alloc T: f32[64] @shared
      copy T[0 .. +64] <- A[k, 0 .. +64]
note: cache_shared under it and copy_async first)");
}

TEST(SpecializeRefusals, OfALoopThatIsPipelined) {
  expect_refusal(R"(func f(A: f32[4, 64], C: f32[64]) {
  for t in 0..64 @thread.x {
    alloc T: f32[2, 64] @shared
    copy T[0, 0 .. +64] <- A[0, 0 .. +64] @async
    for k in 0..4 {
      if (k + 1 < 4) { copy T[(k + 1) % 2, 0 .. +64] <- A[k + 1, 0 .. +64] @async }
      C[t] += T[k % 2, 63 - t]
    }
  }
})",
                 specializes("k", 3),
                 R"(error: specialize: no asynchronous copy fills a tile at the start of k
  for t in 0..64 @thread.x {
    for k in 0..4 {                  <-- here
      if (k + 1 < 4) {
        copy T[(k + 1) % 2, 0 .. +64] <- A[k + 1, 0 .. +64] @async
note: it is pipelined already: a loop is pipelined or specialised)");
}

TEST(SpecializeRefusals, ASecondTime) {
  expect_refusal(R"(func f(A: f32[4, 64], C: f32[64]) {
  for t in 0..64 @thread.x {
    alloc T: f32[2, 64] @shared
    for k in 0..4 @roles(1) {
      copy T[k % 2, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)
      C[t] += T[k % 2, 63 - t]
    }
  }
})",
                 specializes("k", 3), R"(error: specialize: k is specialised already
  for t in 0..64 @thread.x {
    for k in 0..4 @roles(1) {        <-- here
      copy T[k % 2, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)
      C[t] += T[k % 2, 63 - t]
note: its tiles are cached, and copied by copy_async, before that)");
}

/// All threads of a block come to the loop, or none.
TEST(Specialize, TakesALoopUnderAConditionOfTheBlock) {
  expect_rewrite(sum_of_rows("0..64 @thread.x", "if (b < 1) { ", "}"), specializes("k", 3),
                 R"(func f[K](A: f32[K, 64], C: f32[64, 2]) {
  for b in 0..2 @block.x {
    for t in 0..64 @thread.x {
      if (b < 1) {
        alloc T: f32[3, 64] @shared
        reduce k in 0..K @roles(1) {
          copy T[k % 3, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)
          C[t, b] += T[k % 3, 63 - t]
        }
      }
    }
  }
})");
}

TEST(SpecializeRefusals, OfLoopsUnderConditions) {
  expect_refusal(
      sum_of_rows("0..64 @thread.x", "if (A[0, b] < 1.0) { ", "}"), specializes("k", 3),
      R"(error: specialize: k stands under A[0, b] < 1.0, which may differ between threads, and all of a block come to it
  for b in 0..2 @block.x {
    for t in 0..64 @thread.x {
      if (A[0, b] < 1.0) {
        reduce k in 0..K {           <-- here
          alloc T: f32[64] @shared
          copy T[0 .. +64] <- A[k, 0 .. +64] @async
note: specialize a loop that is no part of one)");
}

TEST(SpecializeRefusals, OfLoopsThatSomeThreadsDoNotRun) {
  expect_refusal(
      R"(func f(A: f32[4, 64], C: f32[64]) {
  for b in 0..1 @block.x {
    for t in 0..32 @thread.x {
      for k in 0..4 {
        alloc T: f32[64] @shared
        copy T[0 .. +64] <- A[k, 0 .. +64] @async
        C[t] += T[63 - t]
      }
    }
    for u in 0..64 @thread.x {
      C[u] *= 2.0
    }
  }
})",
      specializes("k", 3),
      R"(error: specialize: t has 32 iterations, and the block has 64 threads for it: the others would not come to k
  for b in 0..1 @block.x {
    for t in 0..32 @thread.x {
      for k in 0..4 {                <-- here
        alloc T: f32[64] @shared
        copy T[0 .. +64] <- A[k, 0 .. +64] @async
note: specialize a loop that all threads of the block run)");
}

TEST(SpecializeRefusals, OfCopiesThatDifferBetweenThreads) {
  expect_refusal(
      R"(func f(A: f32[2, 4, 64], C: f32[2, 64]) {
  for w in 0..2 @warp {
    for t in 0..32 @lane {
      for k in 0..4 {
        alloc T: f32[64] @shared
        copy T[0 .. +64] <- A[w, k, 0 .. +64] @async
        C[w, t] += T[63 - t]
      }
    }
  }
})",
      specializes("k", 3),
      R"(error: specialize: T holds what one iteration of w touches, and the threads of a block have one T together: it would have to grow
  for w in 0..2 @warp {
    for t in 0..32 @lane {
      for k in 0..4 {                <-- here
        alloc T: f32[64] @shared
        copy T[0 .. +64] <- A[w, k, 0 .. +64] @async
note: keep it in registers, or around the loops of threads)");
}

TEST(SpecializeRefusals, OfBlocksWithoutWholeWarps) {
  expect_refusal(
      sum_of_rows("0..48 @thread.x"), specializes("k", 3),
      R"(error: specialize: the block of k has 48 x 1 x 1 threads, and the warps of producers follow on whole warps along x
  for b in 0..2 @block.x {
    for t in 0..48 @thread.x {
      reduce k in 0..K {             <-- here
        alloc T: f32[64] @shared
        copy T[0 .. +64] <- A[k, 0 .. +64] @async
note: bind to lanes and warps, or to thread.x alone, a multiple of 32 in all)");
}

TEST(SpecializeRefusals, OfMoreThreadsThanABlockHas) {
  expect_refusal(
      sum_of_rows("0..64 @thread.x"), specializes("k", 3, {.producer_warps = 31}),
      R"(error: specialize: k has 64 threads and 31 producer warps, and a block has 1024 threads at most, and a warp of producers at least
  for b in 0..2 @block.x {
    for t in 0..64 @thread.x {
      reduce k in 0..K {             <-- here
        alloc T: f32[64] @shared
        copy T[0 .. +64] <- A[k, 0 .. +64] @async)");
  expect_refusal(
      sum_of_rows("0..64 @thread.x"), specializes("k", 3, {.producer_warps = 0}),
      R"(error: specialize: k has 64 threads and 0 producer warps, and a block has 1024 threads at most, and a warp of producers at least
  for b in 0..2 @block.x {
    for t in 0..64 @thread.x {
      reduce k in 0..K {             <-- here
        alloc T: f32[64] @shared
        copy T[0 .. +64] <- A[k, 0 .. +64] @async)");
}

TEST(SpecializeRefusals, OfRegistersThatDoNotGoRound) {
  const std::string threads = "0..256 @thread.x";
  expect_refusal(
      sum_of_rows("0..64 @thread.x"), specializes("k", 3, {4, 40, 232}),
      R"(error: specialize: k has 64 consumers and 128 producers, and registers go from warpgroup to warpgroup, 128 threads each
  for b in 0..2 @block.x {
    for t in 0..64 @thread.x {
      reduce k in 0..K {             <-- here
        alloc T: f32[64] @shared
        copy T[0 .. +64] <- A[k, 0 .. +64] @async
note: multiples of that many, or no numbers of registers)");
  expect_refusal(
      sum_of_rows(threads), specializes("k", 3, {4, 20, 232}),
      R"(error: specialize: 20 registers for a producer and 232 for a consumer: a thread has 24 to 256, a multiple of 8
  for b in 0..2 @block.x {
    for t in 0..256 @thread.x {
      reduce k in 0..K {             <-- here
        alloc T: f32[64] @shared
        copy T[0 .. +64] <- A[k, 0 .. +64] @async)");
  expect_refusal(
      sum_of_rows(threads), specializes("k", 3, {4, 40, 240}),
      R"(error: specialize: 384 threads start with 168 registers each, and 40 for each producer and 240 for each consumer is no exchange among them
  for b in 0..2 @block.x {
    for t in 0..256 @thread.x {
      reduce k in 0..K {             <-- here
        alloc T: f32[64] @shared
        copy T[0 .. +64] <- A[k, 0 .. +64] @async
note: producers give some of theirs to consumers: 64512 registers in all)");
}

TEST(SpecializeRefusals, OfTwoLoopsOfABlock) {
  expect_refusal(
      R"(func f(A: f32[4, 64], C: f32[64]) {
  for b in 0..1 @block.x {
    for t in 0..64 @thread.x {
      alloc S: f32[2, 64] @shared
      for n in 0..4 @roles(1) {
        copy S[n % 2, 0 .. +64] <- A[n, 0 .. +64] @async @by(producers)
        C[t] += S[n % 2, 63 - t]
      }
      for k in 0..4 {
        alloc T: f32[64] @shared
        copy T[0 .. +64] <- A[k, 0 .. +64] @async
        C[t] += T[63 - t]
      }
    }
  }
})",
      specializes("k", 3),
      R"(error: specialize: n and k both have producers, and those of a block serve one loop
  for b in 0..1 @block.x {
    for t in 0..64 @thread.x {
      for k in 0..4 {                <-- here
        alloc T: f32[64] @shared
        copy T[0 .. +64] <- A[k, 0 .. +64] @async
note: pipeline one of them)");
}

/// The first line of the refusal of a text: it is asked for all that lowering takes for granted.
std::string problem_of_text(const std::string& text) {
  try {
    check_function(parse_function(text));
  } catch (const ScheduleError& error) {
    return llvm::StringRef(error.what()).split('\n').first.str();
  }
  return "";
}

/// Of a loop with roles over this copy and this use of a ring of two.
std::string problem_of(const std::string& copy, const std::string& use) {
  return problem_of_text(fmt::format(R"(func f(A: f32[4, 64], C: f32[64]) {{
  for t in 0..64 @thread.x {{
    alloc T: f32[2, 64] @shared
    for k in 0..4 @roles(1) {{
      {}
      {}
    }}
    C[t] = 1.0
  }}
}})",
                                     copy, use));
}

TEST(Roles, AreCheckedInTexts) {
  const std::string copy = "copy T[k % 2, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)";
  EXPECT_EQ(problem_of(copy, "C[t] += T[k % 2, t]"), "");
  EXPECT_EQ(problem_of(copy, "C[t] += T[(k + 1) % 2, t]"),
            "error: check: T is used in slot (k + 1) % 2, and an iteration of k has slot k % 2");
  EXPECT_EQ(problem_of(copy, "T[k % 2, 0] = 1.0"),
            "error: check: T is written beside the copy that fills it, which producers make");
  EXPECT_EQ(
      problem_of("copy T[k % 2, 0 .. +64] <- A[k, 0 .. +64] @by(producers)", ""),
      "error: check: T is copied by loads and stores, and producers make asynchronous copies");
  EXPECT_EQ(problem_of("copy T[0, k] <- A[k, 0] @async @by(producers)", "C[t] += T[0, t]"),
            "error: check: T is used in slot 0, and an iteration of k has slot k % 2");
  EXPECT_EQ(problem_of("", "C[t] += 1.0"),
            "error: check: no copy by producers is left at the start of k");
  EXPECT_EQ(problem_of("C[t] = 0.0", copy),
            "error: check: no copy by producers is left at the start of k");
  EXPECT_EQ(problem_of("copy T[k % 3, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)", ""),
            "error: check: T is used in slot k % 3, and an iteration of k has slot k % 2");
}

TEST(Roles, AreCheckedInTextsOfAnyForm) {
  EXPECT_EQ(problem_of_text(R"(func f(A: f32[4], C: f32[64]) { for t in 0..64 @thread.x {
    alloc T: f32[] @shared
    for k in 0..4 @roles(1) { copy T[] <- A[k] @async @by(producers) C[t] += T[] } } })"),
            "error: check: T is no ring: its first dimension counts slots, a constant number");
  EXPECT_EQ(
      problem_of_text(R"(func f[M](A: f32[4, 64], B: f32[M, 64], C: f32[64]) {
    for t in 0..64 @thread.x { for k in 0..4 @roles(1) {
      copy B[k, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers) C[t] += 1.0 } } })"),
      "error: check: B is copied from global memory to global memory, and an asynchronous copy "
      "goes from global to shared memory");
  EXPECT_EQ(problem_of_text(R"(func f(A: f32[4, 64], C: f32[64]) { for t in 0..64 @thread.x {
    alloc T: f32[2, 64] @shared
    let n = t + 1
    for k in 0..4 @roles(1) {
      copy T[k % 2, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)
      C[n - 1] += T[k % 2, t] } } })"),
            "error: check: k stands behind the value of n, which producers do not compute");
  EXPECT_EQ(problem_of_text(R"(func f(A: f32[4, 64], C: f32[64]) { for t in 0..64 @thread.x {
    alloc T: f32[2, 64] @shared
    for k in 0..4 @roles(900000000000000000) {
      copy T[k % 2, 0 .. +64] <- A[k, 0 .. +64] @async @by(producers)
      C[t] += T[k % 2, t] } } })"),
            "error: check: k has 64 threads and 900000000000000000 producer warps, and a block has "
            "1024 threads at most, and a warp of producers at least");
}

}  // namespace specialize_test
}  // namespace hone
