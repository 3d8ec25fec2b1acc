// The blocks of a kernel that a multiprocessor holds at least.
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "ir/schedule/legality/promises.h"
#include "ir/text/parser.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {
namespace launch_bounds_test {

Rewriting bounds(llvm::StringRef name, int64_t blocks) {
  return [=](const Function& f) { return launch_bounds(f, axis(f, name), blocks).function; };
}

/// A block doubles a row of 1024, in `threads` threads; `options` are those of the loop of blocks.
std::string doubled_rows(const char* options, const char* threads = "0..1024 @thread.x") {
  return fmt::format(R"(func f[M](A: f32[M, 1024], C: f32[M, 1024]) {{
  for i in 0..M @block.x{} {{
    for t in {} {{
      C[i, t] = A[i, t] * 2.0
    }}
  }}
}})",
                     options, threads);
}

TEST(LaunchBounds, AreSaidOfALoopOfBlocks) {
  expect_rewrite(doubled_rows(""), bounds("i", 2), doubled_rows(" @resident(2)"));
}

TEST(LaunchBounds, StandBeforeTheWayToCombine) {
  const auto total = [](const char* options) {
    return fmt::format(R"(func f[M](A: f32[M], S: f32[]) {{
  S[] = 0.0
  reduce i in 0..M @block.x{} combine(atomic) {{
    S[] += A[i]
  }}
}})",
                       options);
  };
  expect_rewrite(total(""), bounds("i", 32), total(" @resident(32)"));
}

TEST(LaunchBounds, AreOfOneOfSeveralDimensions) {
  const auto rows = [](const char* options) {
    return fmt::format(R"(func f[M, N](C: f32[M, N]) {{
  for i in 0..M @block.y {{
    for j in 0..N @block.x{} {{
      C[i, j] = 1.0
    }}
  }}
}})",
                       options);
  };
  expect_rewrite(rows(""), bounds("j", 3), rows(" @resident(3)"));
}

/// Each kernel has its own.
TEST(LaunchBounds, AreOfOneKernel) {
  const auto two = [](const char* options) {
    return fmt::format(R"(func f[M](C: f32[M], D: f32[M]) {{
  for i in 0..M @block.x @resident(2) {{
    C[i] = 1.0
  }}
  for j in 0..M @block.x{} {{
    D[j] = C[j]
  }}
}})",
                       options);
  };
  expect_rewrite(two(""), bounds("j", 4), two(" @resident(4)"));
}

TEST(LaunchBoundsRefusals, OfLoopsThatAreNotOfBlocks) {
  expect_refusal(doubled_rows(""), bounds("t", 2),
                 R"(error: launch_bounds: t is not bound to blocks
  for i in 0..M @block.x {
    for t in 0..1024 @thread.x {     <-- here
      C[i, t] = A[i, t] * 2.0
note: bind(t, block.x) first)");
}

TEST(LaunchBoundsRefusals, OfNoBlock) {
  for (const int64_t blocks : {0, -2})
    expect_refusal(
        doubled_rows(""), bounds("i", blocks),
        fmt::format(R"(error: launch_bounds: a multiprocessor holds a block at least, not {}
  for i in 0..M @block.x {{           <-- here
    for t in 0..1024 @thread.x {{
      C[i, t] = A[i, t] * 2.0)",
                    blocks));
}

TEST(LaunchBoundsRefusals, OfASecondTime) {
  expect_refusal(R"(func f[M, N](C: f32[M, N]) {
  for i in 0..M @block.y @resident(4) {
    for j in 0..N @block.x {
      C[i, j] = 1.0
    }
  }
})",
                 bounds("j", 8),
                 R"(error: launch_bounds: a multiprocessor holds 4 blocks of the kernel of i already
  for i in 0..M @block.y @resident(4) {  <-- here
    for j in 0..N @block.x {
      C[i, j] = 1.0)");
}

TEST(LaunchBoundsRefusals, OfMoreBlocksThanAMultiprocessorHolds) {
  expect_refusal(
      doubled_rows("", "0..32 @thread.x"), bounds("i", 33),
      R"(error: launch_bounds: a multiprocessor holds at most 32 blocks, and i asks for 33
  for i in 0..M @block.x {           <-- here
    for t in 0..32 @thread.x {
      C[i, t] = A[i, t] * 2.0)");
}

TEST(LaunchBoundsRefusals, OfMoreThreads) {
  expect_refusal(
      doubled_rows("", "0..768 @thread.x"), bounds("i", 3),
      R"(error: launch_bounds: a multiprocessor holds at most 2 blocks of 768 threads, and i asks for 3
  for i in 0..M @block.x {           <-- here
    for t in 0..768 @thread.x {
      C[i, t] = A[i, t] * 2.0
note: bind 672 threads at most)");
}

/// A launch may have blocks of 1024 threads.
TEST(LaunchBoundsRefusals, OfMoreThreadsThanALaunchMayHave) {
  const char* rows = R"(func f[M, N](C: f32[M, N]) {
  for i in 0..M @block.x {
    for j in 0..N @thread.x {
      C[i, j] = 1.0
    }
  }
})";
  EXPECT_NO_THROW(bounds("i", 2)(parse_function(rows)));
  expect_refusal(
      rows, bounds("i", 3),
      R"(error: launch_bounds: a multiprocessor holds at most 2 blocks of 1024 threads, and i asks for 3
  for i in 0..M @block.x {           <-- here
    for j in 0..N @thread.x {
      C[i, j] = 1.0
note: bind 672 threads at most)");
}

/// A block stages `length` floats.
std::string staged(const char* options, int64_t length) {
  return fmt::format(R"(func f[M](A: f32[M, {1}], C: f32[M, 32]) {{
  for i in 0..M @block.x{0} {{
    for t in 0..32 @thread.x {{
      alloc T: f32[{1}] @shared
      copy T[0 .. +{1}] <- A[i, 0 .. +{1}]
      C[i, t] = T[t]
    }}
  }}
}})",
                     options, length);
}

/// 233472 bytes are two of 115712, and 1024 of the system each.
TEST(LaunchBoundsRefusals, OfMoreSharedMemory) {
  EXPECT_NO_THROW(bounds("i", 2)(parse_function(staged("", 28928))));
  expect_refusal(
      staged("", 28929), bounds("i", 2),
      R"(error: launch_bounds: a multiprocessor holds at most 1 block with 116864 bytes of shared memory, the system's among them, and i asks for 2
  for i in 0..M @block.x {           <-- here
    for t in 0..32 @thread.x {
      alloc T: f32[28929] @shared
note: split into smaller tiles)");
}

/// Later steps keep the promise, or are refused.
TEST(LaunchBoundsRefusals, OfLaterSteps) {
  const auto binds_threads = [](const Function& f) {
    return bind(f, axis(f, "t"), {Binding::Kind::thread}).function;
  };
  expect_refusal(
      doubled_rows(" @resident(3)", "0..1024"), binds_threads,
      R"(error: bind: a multiprocessor holds at most 2 blocks of 1024 threads, and i asks for 3
  for i in 0..M @block.x @resident(3) {
    for t in 0..1024 {               <-- here
      C[i, t] = A[i, t] * 2.0
note: bind 672 threads at most)");
}

/// A sum over rows of 128, for so many blocks at a time, with producers of their own.
std::string sum_of_rows(int64_t blocks) {
  return fmt::format(R"(func f[K](A: f32[K, 128], C: f32[128, 2]) {{
  for b in 0..2 @block.x @resident({}) {{
    for t in 0..128 @thread.x {{
      reduce k in 0..K {{
        alloc T: f32[128] @shared
        copy T[0 .. +128] <- A[k, 0 .. +128] @async
        C[t, b] += T[127 - t]
      }}
    }}
  }}
}})",
                     blocks);
}

Rewriting specializes(const WarpRoles& roles) {
  return [=](const Function& f) { return specialize(f, axis(f, "k"), 2, roles).function; };
}

/// Blocks share the registers: 256 threads of two blocks start with 128 each.
TEST(LaunchBounds, AreThoseThatRolesExchangeRegistersBy) {
  EXPECT_NO_THROW(specializes({4, 40, 216})(parse_function(sum_of_rows(2))));
  expect_refusal(
      sum_of_rows(2), specializes({4, 40, 232}),
      R"(error: specialize: 256 threads start with 128 registers each, and 40 for each producer and 232 for each consumer is no exchange among them
  for b in 0..2 @block.x @resident(2) {
    for t in 0..128 @thread.x {
      reduce k in 0..K {             <-- here
        alloc T: f32[128] @shared
        copy T[0 .. +128] <- A[k, 0 .. +128] @async
note: producers give some of theirs to consumers: 32768 registers in all)");
}

/// Producers are threads as well.
TEST(LaunchBoundsRefusals, OfProducersThatAreTooMany) {
  EXPECT_NO_THROW(specializes({.producer_warps = 4})(parse_function(sum_of_rows(8))));
  expect_refusal(
      sum_of_rows(8), specializes({.producer_warps = 5}),
      R"(error: specialize: a multiprocessor holds at most 7 blocks of 288 threads, and b asks for 8
  for b in 0..2 @block.x @resident(8) {
    for t in 0..128 @thread.x {
      reduce k in 0..K {             <-- here
        alloc T: f32[128] @shared
        copy T[0 .. +128] <- A[k, 0 .. +128] @async
note: bind 256 threads at most)");
}

TEST(LaunchBounds, AreCheckedInATextToo) {
  try {
    check_function(parse_function(doubled_rows(" @resident(3)")));
    FAIL() << "it was taken";
  } catch (const ScheduleError& error) {
    EXPECT_EQ(llvm::StringRef(error.what()).split('\n').first,
              "error: check: a multiprocessor holds at most 2 blocks of 1024 threads, and i asks "
              "for 3");
  }
}

}  // namespace launch_bounds_test
}  // namespace hone
