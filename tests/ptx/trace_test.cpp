// Single threads of a launch, and counts by line. Texts are tested in
// tests/tools/kernel_view_test.cpp.

#include "runtime/ptx/trace/trace.h"

#include <gtest/gtest.h>

#include "runtime/ptx/trace/line_tallies.h"
#include "tests/support/ptx/cuda_kernel.h"
#include "tests/support/runtime/errors.h"

namespace hone::ptx {
namespace {

class PtxTrace : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

constexpr const char* halves = R"(
extern "C" __global__ void halves(float* x, int n) {
  if (threadIdx.x < n)
    atomicAdd(&x[threadIdx.x], 1.0f);
  else
    atomicExch(&x[threadIdx.x], 2.0f);
})";

TEST_F(PtxTrace, LinesCountTheirInstructionsLanesAndBranches) {
  CudaKernel kernel(halves);
  float* const x = kernel.array(counting(64), "x");
  const LineTallies tallies;
  LaunchOptions options;
  options.stepper = &tallies.stepper();
  kernel.run({.grid = {1, 1, 1}, .block = {64, 1, 1}}, {x, 8}, options);
  std::map<int, LineTally> lines;
  for (const LineTally& line : tallies.lines()) lines[line.line] = line;
  EXPECT_EQ(lines[3].branches, 2);
  EXPECT_EQ(lines[3].divergent_branches, 1);
  EXPECT_EQ(lines[4].branches, 0);
  ASSERT_GT(lines[4].warp_instructions, 0);
  EXPECT_EQ(lines[4].thread_instructions, 8 * lines[4].warp_instructions);
  EXPECT_EQ(lines[6].thread_instructions, 28 * lines[6].warp_instructions);
}

TEST_F(PtxTrace, BlocksOfManyHostThreadsAreAllCounted) {
  CudaKernel kernel(halves);
  float* const x = kernel.array(counting(64), "x");
  const auto instructions = [&](int64_t blocks, int threads) {
    const LineTallies tallies;
    LaunchOptions options;
    options.threads = threads;
    options.stepper = &tallies.stepper();
    kernel.run({.grid = {blocks, 1, 1}, .block = {32, 1, 1}}, {x, 8}, options);
    int64_t all = 0;
    for (const LineTally& line : tallies.lines()) all += line.warp_instructions;
    return all;
  };
  EXPECT_EQ(instructions(100, 4), 100 * instructions(1, 1));
}

TEST_F(PtxTrace, TheThreadMayBeAnyOfTheGrid) {
  CudaKernel kernel(R"(
extern "C" __global__ void mark(int* x) {
  int n = (blockIdx.z * 3 + blockIdx.y) * 64 + (threadIdx.z * 4 + threadIdx.y) * 8 + threadIdx.x;
  x[n] = n;
})");
  int* const x = kernel.unset<int>(6 * 64, "x");
  const ThreadTrace trace({{0, 2, 1}, {7, 3, 1}}, 10);
  LaunchOptions options;
  options.check = true;
  options.stepper = &trace.stepper();
  kernel.run({.grid = {1, 3, 2}, .block = {8, 4, 2}}, {x}, options);
  ASSERT_FALSE(trace.lines().empty());
  const TracedEvent& last = trace.lines().back().events.back();
  EXPECT_EQ(last.kind, TracedEvent::Kind::store);
  EXPECT_EQ(last.place.array, "x");
  EXPECT_EQ(last.place.offset, 4 * (5 * 64 + 63));
}

TEST_F(PtxTrace, ThreadsBesideTheLaunchAreRefused) {
  CudaKernel kernel(halves);
  float* const x = kernel.array(counting(64), "x");
  const auto refusal = [&](const ThreadChoice& choice) {
    const ThreadTrace trace(choice, 10);
    LaunchOptions options;
    options.stepper = &trace.stepper();
    return thrown_message<RuntimeError>([&] {
      kernel.run({.grid = {2, 1, 1}, .block = {32, 1, 1}}, {x, 8}, options);
    });
  };
  EXPECT_EQ(refusal({{2, 0, 0}, {0, 0, 0}}), "there is no block (2, 0, 0) in a grid of (2, 1, 1)");
  EXPECT_EQ(refusal({{0, 0, 0}, {0, 0, -1}}),
            "there is no thread (0, 0, -1) in a block of (32, 1, 1)");
}

}  // namespace
}  // namespace hone::ptx
