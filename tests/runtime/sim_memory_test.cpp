// Tensors in global, shared and register memory, and accesses that leave them.
#include <gtest/gtest.h>

#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace sim_memory_test {

std::string kernel(int threads, const std::string& body, const std::string& type = "f32") {
  return "kernel memory[N](A: " + type + "[N], C: " + type + "[N]) grid(1, 1, 1) block(" +
         std::to_string(threads) + ", 1, 1) @index32 { let t = thread.x " + body + " }";
}

Values run_kernel(int threads, const std::string& body, int64_t size, DType type = f32) {
  return sim_values(kernel(threads, body, name(type).str()), {{"N", size}},
                    {{"A", counting(type, {size})}, {"C", Buffer(type, {size})}});
}

Values count_to(int size) {
  Values values;
  for (int value = 1; value <= size; ++value) values.push_back(value);
  return values;
}

Values reversed(Values values) { return {values.rbegin(), values.rend()}; }

TEST(SimMemory, EveryTypeIsReadAndWritten) {
  for (const DType type : {f64, f32, f16, bf16, i64, i32, i8, u8}) {
    EXPECT_EQ(run_kernel(40, "C[t] = A[t]", 40, type), count_to(40)) << name(type).str();
    EXPECT_EQ(run_kernel(40, "C[39 - t] = A[t]", 40, type), reversed(count_to(40)));
    EXPECT_EQ(run_kernel(40, "C[t] = A[t/8*8 + t%8]", 40, type), count_to(40));
    EXPECT_EQ(run_kernel(40, "if (t > 0) { C[t] = A[t - 1] + A[0] }", 40, type)[39], 40);
  }
}

TEST(SimMemory, ABoolIsAnyByteButZero) {
  Buffer a(boolean, {4}), c(boolean, {4});
  a.bytes = {std::byte{0}, std::byte{1}, std::byte{2}, std::byte{255}};
  EXPECT_EQ(sim_values("kernel f(A: bool[4], C: bool[4]) grid(1, 1, 1) block(4, 1, 1) @index32 "
                       "{ C[thread.x] = A[3 - thread.x] && true }",
                       {}, {{"A", a}, {"C", c}}),
            (Values{1, 1, 1, 0}));
}

TEST(SimMemory, ATf32IsAFloatWithoutItsLowerBits) {
  Buffer a(f32, {40});
  fill_with(a, [n = 0]() mutable { return 1 + 0x1p-10 * n++ + 0x1p-11; });
  a.type = tf32;
  for (const char* place : {"t", "39 - t", "0"}) {
    const Values values = sim_values(
        fmt::format("kernel f(A: tf32[40], C: f32[40]) grid(1, 1, 1) block(40, 1, 1) @index32 "
                    "{{ let t = thread.x C[t] = f32(A[{}]) }}",
                    place),
        {}, {{"A", a}, {"C", Buffer(f32, {40})}});
    for (const double value : values) EXPECT_EQ(value, tf32_value(static_cast<float>(value)));
    EXPECT_EQ(values[39], 1 + 0x1p-10 * (place[0] == 't' ? 39 : 0)) << place;
  }
}

TEST(SimMemory, EveryUpdateCombines) {
  const auto updated = [](const std::string& update) {
    return run_kernel(4, "C[t] = A[t] C[t] " + update + " 2.5", 4);
  };
  EXPECT_EQ(updated("+="), (Values{3.5, 4.5, 5.5, 6.5}));
  EXPECT_EQ(updated("*="), (Values{2.5, 5, 7.5, 10}));
  EXPECT_EQ(updated("min="), (Values{1, 2, 2.5, 2.5}));
  EXPECT_EQ(updated("max="), (Values{2.5, 2.5, 3, 4}));
  EXPECT_EQ(updated("="), Values(4, 2.5));
}

TEST(SimMemory, LogicalUpdatesCombine) {
  EXPECT_EQ(sim_values("kernel f(C: bool[4]) grid(1, 1, 1) block(4, 1, 1) @index32 "
                       "{ C[thread.x] = thread.x > 1 C[thread.x] or= thread.x == 0 "
                       "C[thread.x] and= thread.x != 2 }",
                       {}, {{"C", Buffer(boolean, {4})}}),
            (Values{1, 0, 0, 1}));
}

TEST(SimMemory, TheLastThreadWinsAnElementThatAllWrite) {
  EXPECT_EQ(
      run_kernel(8, "C[1] = A[t] if (t < 5) { C[2] = A[t] } if (t % 2 == 0) { C[t/4] = A[t] }", 8),
      (Values{3, 7, 5, 0, 0, 0, 0, 0}));
}

// ---- Registers ----------------------------------------------------------------------------------

TEST(SimMemory, RegistersArePrivateToAThread) {
  EXPECT_EQ(run_kernel(8,
                       "alloc r: f32[2, 3] @registers for a in 0..2 { for b in 0..3 "
                       "{ r[a, b] = f32(t*100 + a*10 + b) } } C[t] = r[1, 2] + r[0, 1]",
                       8),
            (Values{13, 213, 413, 613, 813, 1013, 1213, 1413}));
}

TEST(SimMemory, ARegisterMayBeChosenByTheThread) {
  EXPECT_EQ(run_kernel(6,
                       "alloc r: f32[3] @registers for a in 0..3 { r[a] = f32(a) } "
                       "r[t % 3] += 10.0 if (t > 2) { r[2 - t % 3] += 100.0 } C[t] = r[t % 3]",
                       6),
            (Values{10, 11, 12, 10, 111, 12}));
}

TEST(SimMemory, RegistersAreUpdatedUnderAMask) {
  EXPECT_EQ(run_kernel(4,
                       "alloc r: f32[] @registers r[] = 1.0 if (t > 1) { r[] += A[t] r[] *= 2.0 } "
                       "if (t == 0) { r[] = 9.0 } C[t] = r[]",
                       4),
            (Values{9, 1, 8, 10}));
}

TEST(SimMemory, ARegisterIsReadBeforeItIsWritten) {
  EXPECT_EQ(
      run_kernel(4,
                 "alloc r: f32[2] @registers r[0] = A[t] r[1] = 1.0 r[0] = r[0] * r[0] + r[1] "
                 "r[1] = r[0] r[0] = 0.0 C[t] = r[1] + r[0]",
                 4),
      (Values{2, 5, 10, 17}));
}

TEST(SimMemory, AValueThatARegisterTookIsThereForTheNextStatement) {
  EXPECT_EQ(
      run_kernel(2, "alloc r: f32[] @registers for k in 0..4 { r[] = f32(k) C[t] += f32(k) }", 2),
      (Values{6, 6}));
}

TEST(SimMemory, RegistersOfEveryTypeRound) {
  EXPECT_EQ(run_kernel(1, "alloc r: f16[] @registers r[] = 2048.0 r[] += 1.0 C[0] = f32(r[])", 1),
            (Values{2048}));
  EXPECT_EQ(run_kernel(1, "alloc r: i8[] @registers r[] = 127i8 r[] += 1i8 C[0] = f32(r[])", 1),
            (Values{-128}));
  EXPECT_EQ(run_kernel(
                1, "alloc r: bool[] @registers r[] = A[0] > 0.0 r[] and= N > 0 C[0] = f32(r[])", 1),
            (Values{1}));
}

// ---- Shared -------------------------------------------------------------------------------------

TEST(SimMemory, ABlockIsReversedThroughSharedMemory) {
  for (const int threads : {1, 31, 33, 1000, 1024})
    EXPECT_EQ(
        run_kernel(threads, "alloc s: f32[1024] @shared s[t] = A[t] barrier C[t] = s[N - 1 - t]",
                   threads),
        reversed(count_to(threads)));
}

TEST(SimMemory, SharedMemoryIsOnePerBlock) {
  EXPECT_EQ(sim_values("kernel f(C: i32[8]) grid(2, 2, 1) block(2, 1, 1) @index32 { "
                       "alloc s: i32[2] @shared s[thread.x] = i32(block.y*2 + block.x) barrier "
                       "C[block.y*4 + block.x*2 + thread.x] = s[0] * 10 + s[1] }",
                       {}, {{"C", Buffer(i32, {8})}}),
            (Values{0, 0, 11, 11, 22, 22, 33, 33}));
}

TEST(SimMemory, SharedDimensionsLieAsTheLayoutSays) {
  EXPECT_EQ(sim_values("kernel f(C: f32[6]) grid(1, 1, 1) block(6, 1, 1) @index32 { "
                       "alloc s: f32[2, 3] @order(1, 0) @shared let t = thread.x "
                       "s[t % 2, t / 2] = f32(t) barrier C[t] = s[t / 3, t % 3] }",
                       {}, {{"C", Buffer(f32, {6})}}),
            (Values{0, 2, 4, 1, 3, 5}));
}

TEST(SimMemory, ATreeReductionAddsABlock) {
  EXPECT_EQ(run_kernel(64,
                       "alloc s: f32[64] @shared s[t] = A[t] barrier for step in 0..6 { "
                       "if (t < 32 && step == 0) { s[t] += s[t + 32] } "
                       "if (t < 16 && step == 1) { s[t] += s[t + 16] } "
                       "if (t < 8 && step == 2) { s[t] += s[t + 8] } "
                       "if (t < 4 && step == 3) { s[t] += s[t + 4] } "
                       "if (t < 2 && step == 4) { s[t] += s[t + 2] } "
                       "if (t < 1 && step == 5) { s[t] += s[t + 1] } barrier } "
                       "if (t == 0) { C[0] = s[0] }",
                       64)[0],
            64 * 65 / 2);
}

TEST(SimMemory, NewAllocationsHoldWhatNobodyShouldRead) {
  const Values values =
      run_kernel(4,
                 "for k in 0..2 { alloc r: f32[] @registers alloc s: f32[4] @shared "
                 "C[t] = r[] + s[t] r[] = 1.0 s[t] = 1.0 }",
                 4);
  for (const double value : values) EXPECT_NE(value, value);
  EXPECT_EQ(run_kernel(2, "alloc r: i32[] @registers C[t] = f32(r[])", 2), Values(2, -1));
}

// ---- Out of bounds ------------------------------------------------------------------------------

std::string error_of(const std::string& body, int64_t size = 8, int threads = 8) {
  return sim_error(kernel(threads, body), {{"N", size}},
                   {{"A", counting(f32, {size})}, {"C", Buffer(f32, {size})}});
}

TEST(SimMemory, ReportsAnElementPastTheEnd) {
  EXPECT_EQ(error_of("C[t + 3] = 1.0"),
            "C[t + 3]: element 8 is outside 0..8, block (0, 0, 0), thread (5, 0, 0), in: "
            "C[t + 3] = 1.0");
  EXPECT_EQ(error_of("if (t % 2 == 0) { C[t] = A[t + 3] }"),
            "A[t + 3]: element 9 is outside 0..8, block (0, 0, 0), thread (6, 0, 0), in: "
            "C[t] = A[t + 3]");
}

TEST(SimMemory, ReportsAnIndexThatOverflows) {
  EXPECT_EQ(error_of("C[t + 9223372036854775807] = 1.0"),
            "C[t + 9223372036854775807]: element 9223372036854775807 is outside 0..8, block (0, 0, "
            "0), thread (0, 0, 0), in: C[t + 9223372036854775807] = 1.0");
}

TEST(SimMemory, ReportsANegativeElement) {
  EXPECT_EQ(error_of("C[t - 2] += 1.0"),
            "C[t - 2]: element -2 is outside 0..8, block (0, 0, 0), thread (0, 0, 0), in: "
            "C[t - 2] += 1.0");
}

TEST(SimMemory, ReportsAnElementThatAllThreadsHaveInCommon) {
  EXPECT_EQ(error_of("for k in 0..9 { C[t] += A[k] }"),
            "A[k]: element 8 is outside 0..8, block (0, 0, 0), thread (0, 0, 0), in: "
            "C[t] += A[k]");
}

TEST(SimMemory, ChecksActiveThreadsAgainInEveryIteration) {
  EXPECT_EQ(error_of("if (t < 3) { for k in 0..4 { C[t*k] = 1.0 } }"), "no error");
  EXPECT_EQ(error_of("if (t < 3) { for k in 0..5 { C[t*k] = 1.0 } }"),
            "C[t*k]: element 8 is outside 0..8, block (0, 0, 0), thread (2, 0, 0), in: "
            "C[t*k] = 1.0");
}

TEST(SimMemory, ReportsAnAccessInACondition) {
  EXPECT_EQ(error_of("if (t > 4 && A[t + 1] > 0.0) { C[t] = 1.0 }"),
            "A[t + 1]: element 8 is outside 0..8, block (0, 0, 0), thread (7, 0, 0), in: "
            "if (t > 4 && A[t + 1] > 0.0)");
}

TEST(SimMemory, SaysHowFarOutsideOfAMatrixAnAccessIs) {
  const std::string text =
      "kernel f[M, N](A: f32[M, N] @order(1, 0), C: f32[M, N]) grid(2, 1, 1) block(32, 4, 1) "
      "@index32 { let i = block.x*4 + thread.y if (i < 11) { C[i*N + thread.x] = $ } }";
  const auto error = [&](const std::string& value) {
    std::string kernel = text;
    kernel.replace(kernel.find('$'), 1, value);
    return sim_error(kernel, {{"M", 7}, {"N", 30}},
                     {{"A", Buffer(f32, {7, 30})}, {"C", Buffer(f32, {7, 30})}});
  };
  EXPECT_EQ(error("0.0"),
            "C[i*N + thread.x]: element 210 is outside 0..210 (1 element behind the end of shape "
            "[7, 30]), "
            "block (1, 0, 0), thread (30, 2, 0), in: C[i*N + thread.x] = 0.0");
  EXPECT_EQ(error("A[thread.x*M + i]"),
            "A[thread.x*M + i]: element 210 is outside 0..210 (1 element behind the end of shape "
            "[7, 30]), "
            "block (0, 0, 0), thread (30, 0, 0), in: C[i*N + thread.x] = A[thread.x*M + i]");
  EXPECT_EQ(error("A[i - 2]"),
            "A[i - 2]: element -2 is outside 0..210 (2 elements before the beginning of shape "
            "[7, 30]), "
            "block (0, 0, 0), thread (0, 0, 0), in: C[i*N + thread.x] = A[i - 2]");
}

TEST(SimMemory, ReportsTheElementsThatABufferHas) {
  EXPECT_EQ(sim_error(kernel(8, "C[t] = A[t]"), {{"N", 8}},
                      {{"A", Buffer(f32, {8})}, {"C", Buffer(f32, {7})}}),
            "C[t]: element 7 is outside 0..7, block (0, 0, 0), thread (7, 0, 0), in: C[t] = A[t]");
}

TEST(SimMemory, ChecksEveryDimensionOfAnAllocation) {
  EXPECT_EQ(error_of("alloc s: f32[4, 8] @shared s[t / 4, t + 1] = 1.0"),
            "s[t / 4, t + 1]: index [1, 8] is outside the shape [4, 8], block (0, 0, 0), "
            "thread (7, 0, 0), in: s[t / 4, t + 1] = 1.0");
  EXPECT_EQ(error_of("alloc s: f32[4, 8] @shared for k in 0..5 { s[k, t] = 1.0 }"),
            "s[k, t]: index [4, 0] is outside the shape [4, 8], block (0, 0, 0), "
            "thread (0, 0, 0), in: s[k, t] = 1.0");
  EXPECT_EQ(
      error_of("alloc r: f32[4, 2] @registers r[0, 0] = 1.0 for k in 0..4 { C[t] = r[k, 2 - k] }"),
      "r[k, 2 - k]: index [0, 2] is outside the shape [4, 2], block (0, 0, 0), "
      "thread (0, 0, 0), in: C[t] = r[k, 2 - k]");
  EXPECT_EQ(error_of("alloc r: f32[4] @registers r[t] = 1.0"),
            "r[t]: index [4] is outside the shape [4], block (0, 0, 0), thread (4, 0, 0), in: "
            "r[t] = 1.0");
}

TEST(SimMemory, AnEmptyTensorHasNoElements) {
  EXPECT_EQ(error_of("C[t] = 1.0", 0, 1),
            "C[t]: element 0 is outside 0..0, block (0, 0, 0), thread (0, 0, 0), in: C[t] = 1.0");
  EXPECT_EQ(error_of("if (t < N) { C[t] = A[t] }", 0), "no error");
  EXPECT_EQ(
      sim_error("kernel f[N](C: f32[4, N]) grid(1, 1, 1) block(1, 1, 1) @index32 { C[0] = 1.0 }",
                {{"N", 0}}, {{"C", Buffer(f32, {4, 0})}}),
      "C[0]: element 0 is outside 0..0 (1 element behind the end of shape [4, 0]), block (0, 0, "
      "0), thread (0, 0, 0), "
      "in: C[0] = 1.0");
}

TEST(SimMemory, AnIndexMayComeFromData) {
  EXPECT_EQ(run_kernel(8, "C[index(A[t]) * 3 % 8] = A[index(A[t]) % 8]", 8),
            (Values{1, 4, 7, 2, 5, 8, 3, 6}));
  EXPECT_EQ(error_of("C[index(A[t])] = 0.0"),
            "C[index(A[t])]: element 8 is outside 0..8, block (0, 0, 0), thread (7, 0, 0), in: "
            "C[index(A[t])] = 0.0");
}

}  // namespace sim_memory_test
}  // namespace hone
