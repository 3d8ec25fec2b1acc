#include "runtime/fit_registers.h"

#include <gtest/gtest.h>

#include "codegen/parse_kernel.h"
#include "fmt/format.h"
#include "ir/target/gpu_limits.h"
#include "runtime/nvrtc/kernel_cache.h"

namespace hone {
namespace fit_registers_test {

TEST(FitRegisters, DealsTheRegistersOutToWarps) {
  EXPECT_EQ(registers_that_fit(0), 255);
  EXPECT_EQ(registers_that_fit(1), 255);
  EXPECT_EQ(registers_that_fit(31), 255);
  EXPECT_EQ(registers_that_fit(32), 255);
  EXPECT_EQ(registers_that_fit(33), 255);
  EXPECT_EQ(registers_that_fit(256), 255);
  EXPECT_EQ(registers_that_fit(512), 128);
  EXPECT_EQ(registers_that_fit(1000), 64);
  EXPECT_EQ(registers_that_fit(1024), 64);
}

TEST(FitRegisters, GivesEachQuarterOfAMultiprocessorAsManyWarps) {
  // 9 warps: one of the quarters has 3 of them.
  EXPECT_EQ(registers_that_fit(257), 168);
  EXPECT_EQ(registers_that_fit(384), 168);
  EXPECT_EQ(registers_that_fit(385), 128);
  EXPECT_EQ(registers_that_fit(513), 96);
  EXPECT_EQ(registers_that_fit(640), 96);
}

TEST(FitRegisters, NeverGivesMoreThanABlockHas) {
  for (int64_t threads = 1; threads <= 1024; ++threads) {
    const int64_t warps_of_a_quarter = (threads + 127) / 128;
    EXPECT_LE(warps_of_a_quarter * 4 * 32 * registers_that_fit(threads),
              widest_architecture().registers_per_block);
    EXPECT_GE(registers_that_fit(threads), 64) << threads;
  }
}

/// A kernel whose threads hold `values` numbers at once.
std::string source_with(int values) {
  return fmt::format(R"(extern "C" __global__ void hold(const float* A, float* C, int n) {{
  float v[{0}];
  #pragma unroll
  for (int i = 0; i < {0}; ++i) v[i] = A[i * n + threadIdx.x];
  __syncthreads();
  #pragma unroll
  for (int i = 0; i < {0}; ++i) C[i * n + threadIdx.x] = v[{0} - 1 - i] * v[i];
}}
)",
                     values);
}

KernelFunction kernel_of(const std::string& threads) {
  return parse_kernel("kernel hold[n](A: f32[n], C: f32[n]) grid(1, 1, 1) block(" + threads +
                      ") @index32 { C[0] = A[0] }");
}

class CompileToFit : public testing::Test {
 protected:
  void SetUp() override {
    if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  }

  static CompileJob job(int values) { return {source_with(values), "hold", "sm_90", {}, ""}; }

  /// The registers of a thread, as compiled for blocks of `threads`.
  static int64_t registers(int values, const std::string& threads) {
    const auto compiled = compile_to_fit(job(values), kernel_of(threads));
    EXPECT_EQ(compiled->kernels.size(), 1u);
    return compiled->kernels.front().registers;
  }
};

TEST_F(CompileToFit, LimitsTheRegistersOfALargeBlock) {
  const auto unlimited = compile_cached(job(100));
  ASSERT_GT(unlimited->kernels.front().registers, 100);
  EXPECT_LE(registers(100, "1024, 1, 1"), 64);
  EXPECT_LE(registers(100, "32, 8, 4"), 64);
  EXPECT_GT(registers(100, "1024, 1, 1"), 32);
}

TEST_F(CompileToFit, TakesTheFirstResultWhereItFits) {
  const auto unlimited = compile_cached(job(100));
  // The cache of the process gives the same object for the same options.
  EXPECT_EQ(compile_to_fit(job(100), kernel_of("256, 1, 1")), unlimited);
  EXPECT_EQ(compile_to_fit(job(20), kernel_of("1024, 1, 1")), compile_cached(job(20)));
}

TEST_F(CompileToFit, TakesTheFirstResultWhereTheLaunchSaysHowManyThreads) {
  EXPECT_EQ(compile_to_fit(job(100), kernel_of("n, 1, 1")), compile_cached(job(100)));
}

TEST_F(CompileToFit, AsksForTheKernelByItsName) {
  KernelFunction other = kernel_of("1024, 1, 1");
  other.name = "another";
  EXPECT_EQ(compile_to_fit(job(100), other), compile_cached(job(100)));
}

}  // namespace fit_registers_test
}  // namespace hone
