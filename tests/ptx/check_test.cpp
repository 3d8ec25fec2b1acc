// Mistakes in CUDA text, and what check mode says about them.

#include <gtest/gtest.h>

#include "tests/support/ptx/cuda_kernel.h"

namespace hone::ptx {
namespace {

class PtxCheck : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(PtxCheck, FindsWhatIsReadBehindTheEnd) {
  CudaKernel kernel(R"(
extern "C" __global__ void add(const float* a, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  c[i] = a[i] + n;
})");
  const float* const a = kernel.array(std::vector<float>(100), "a");
  float* const c = kernel.unset<float>(128, "c");
  EXPECT_EQ(findings_of(kernel.run({.block = {128, 1, 1}}, {a, c, 100})),
            "out of bounds: 0 bytes behind the end of a (400 bytes)\n"
            "  test.cu:4: block (0, 0, 0), thread (100, 0, 0) reads 4 bytes of global memory\n");
}

TEST_F(PtxCheck, FindsAMissingBarrier) {
  CudaKernel kernel(R"(
extern "C" __global__ void turn(const float* a, float* c) {
  __shared__ float tile[128];
  tile[threadIdx.x] = a[threadIdx.x];
  c[threadIdx.x] = tile[127 - threadIdx.x];
})");
  const float* const a = kernel.array(std::vector<float>(128), "a");
  float* const c = kernel.unset<float>(128, "c");
  EXPECT_EQ(findings_of(kernel.run({.block = {128, 1, 1}}, {a, c})), "");
}

TEST_F(PtxCheck, FindsSharedMemoryThatNobodyWrote) {
  CudaKernel kernel(R"(
extern "C" __global__ void turn(const float* a, float* c) {
  __shared__ float tile[128];
  if (threadIdx.x > 0) tile[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  c[threadIdx.x] = tile[127 - threadIdx.x] + 1;
})");
  const float* const a = kernel.array(std::vector<float>(128), "a");
  float* const c = kernel.unset<float>(128, "c");
  EXPECT_EQ(findings_of(kernel.run({.block = {128, 1, 1}}, {a, c})), "");
}

TEST_F(PtxCheck, FindsABarrierThatSomeNeverReach) {
  CudaKernel kernel(R"(
extern "C" __global__ void wait(int* c) {
  if (threadIdx.x < 64) __syncthreads();
  while (atomicAdd(c, 0) == 0) {}
})");
  int* const c = kernel.array(std::vector<int>{0}, "c");
  EXPECT_EQ(
      findings_of(kernel.run({.block = {128, 1, 1}}, {c}, {.check = true, .step_budget = 1 << 18})),
      "");
}

TEST_F(PtxCheck, FindsRacesOfBlocks) {
  CudaKernel kernel(R"(
extern "C" __global__ void last(float* parts, float* c, unsigned* counter) {
  parts[blockIdx.x] = blockIdx.x;
  if (atomicInc(counter, gridDim.x - 1) == gridDim.x - 1) {
    float s = 0;
    for (int i = 0; i < gridDim.x; ++i) s += parts[i];
    *c = s;
  }
})");
  float* const parts = kernel.unset<float>(8, "parts");
  float* const c = kernel.unset<float>(1, "c");
  unsigned* const counter = kernel.array(std::vector<unsigned>{0}, "counter");
  EXPECT_EQ(findings_of(kernel.run({.grid = {8, 1, 1}}, {parts, c, counter})), "");
  EXPECT_EQ(*c, 28);
}

}  // namespace
}  // namespace hone::ptx
