// CUDA text on the simulated device: what kernels compute.

#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/ptx/cuda_kernel.h"

namespace hone::ptx {
namespace {

class PtxMachine : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

std::vector<float> numbers(size_t count) {
  std::vector<float> all(count);
  for (size_t n = 0; n < count; ++n) all[n] = static_cast<float>(n % 17) - 8;
  return all;
}

TEST(PtxModules, SayThatKernelsLaunchKernels) {
  Memory memory;
  const LoadedModule module(R"(
.version 9.0
.target sm_90
.address_size 64
.extern .func (.param .b32 status) __cudaCDP2LaunchDeviceV2(.param .b64 buffer, .param .b64 stream);
.visible .entry outer()
{
  .reg .b64 %rd<2>;
  mov.u64 %rd1, 0;
  {
  .param .b64 param0;
  st.param.b64 [param0], %rd1;
  .param .b64 param1;
  st.param.b64 [param1], %rd1;
  .param .b32 retval0;
  call.uni (retval0), __cudaCDP2LaunchDeviceV2, (param0, param1);
  }
  ret;
})",
                            memory);
  EXPECT_EQ(module.kernels().front().unsupported,
            "line 16: call.uni: a kernel launches kernels, which is not supported\n");
}

TEST_F(PtxMachine, AddsVectorsWhoseLastBlockIsPartlyOutside) {
  CudaKernel kernel(R"(
extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
})");
  const std::vector<float> a = numbers(1000), b = numbers(1000);
  const float *da = kernel.array(a, "a"), *db = kernel.array(b, "b");
  float* const c = kernel.unset<float>(1000, "c");
  const Report report = kernel.run({.grid = {8, 1, 1}, .block = {128, 1, 1}}, {da, db, c, 1000});
  EXPECT_EQ(findings_of(report), "");
  for (int n = 0; n < 1000; ++n) ASSERT_EQ(c[n], 2 * a[n]) << n;
}

TEST_F(PtxMachine, MultipliesTilesInSharedMemory) {
  CudaKernel kernel(R"(
extern "C" __global__ void matmul(const float* A, const float* B, float* C, int n) {
  __shared__ float a[16][16], b[16][16];
  int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * 16 + y, j = blockIdx.x * 16 + x;
  float sum = 0;
  for (int k = 0; k < n; k += 16) {
    a[y][x] = A[i * n + k + x];
    b[y][x] = B[(k + y) * n + j];
    __syncthreads();
    for (int t = 0; t < 16; ++t) sum += a[y][t] * b[t][x];
    __syncthreads();
  }
  C[i * n + j] = sum;
})");
  const int n = 64;
  const std::vector<float> a = numbers(n * n), b = numbers(n * n);
  const float *da = kernel.array(a, "A"), *db = kernel.array(b, "B");
  float* const c = kernel.unset<float>(n * n, "C");
  const Report report = kernel.run({.grid = {4, 4, 1}, .block = {16, 16, 1}}, {da, db, c, n});
  EXPECT_EQ(findings_of(report), "");
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      float sum = 0;
      for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      ASSERT_EQ(c[i * n + j], sum) << i << " " << j;
    }
}

TEST_F(PtxMachine, SumsWithShufflesAndAtomics) {
  CudaKernel kernel(R"(
__device__ __noinline__ float square(float x) { return x * x; }
extern "C" __global__ void sum(const float* a, float* result, int n) {
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) s += square(a[i]);
  for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(~0u, s, d);
  __shared__ float parts[32];
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x < 32) {
    s = threadIdx.x < blockDim.x / 32 ? parts[threadIdx.x] : 0;
    for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(~0u, s, d);
    if (threadIdx.x == 0) atomicAdd(result, s);
  }
})");
  const std::vector<float> a = numbers(5000);
  float expected = 0;
  for (const float x : a) expected += x * x;
  const float* const da = kernel.array(a, "a");
  float* const result = kernel.array(std::vector<float>{0}, "result");
  const Report report = kernel.run({.grid = {5, 1, 1}, .block = {256, 1, 1}}, {da, result, 5000});
  EXPECT_EQ(findings_of(report), "");
  EXPECT_EQ(*result, expected);
}

TEST_F(PtxMachine, LetsLanesOfAWarpWaitForALock) {
  CudaKernel kernel(R"(
extern "C" __global__ void count(int* lock, volatile int* counter) {
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
  *counter = *counter + 1;
  __threadfence();
  atomicExch(lock, 0);
})");
  int* const lock = kernel.array(std::vector<int>{0}, "lock");
  int* const counter = kernel.array(std::vector<int>{0}, "counter");
  const Report report = kernel.run({.grid = {3, 1, 1}, .block = {64, 1, 1}}, {lock, counter});
  EXPECT_EQ(findings_of(report), "");
  EXPECT_EQ(*counter, 3 * 64);
}

TEST_F(PtxMachine, PrintsAndRecurses) {
  CudaKernel kernel(R"(
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
extern "C" __global__ void show(int* out) {
  out[threadIdx.x] = fibonacci(threadIdx.x);
  if (threadIdx.x == 7) printf("%d: %5.2f %s\n", out[7], 1.5, "text");
})");
  int* const out = kernel.unset<int>(16, "out");
  const Report report = kernel.run({.block = {16, 1, 1}}, {out});
  EXPECT_EQ(findings_of(report), "");
  EXPECT_EQ(report.output, "13:  1.50 text\n");
  EXPECT_EQ(out[15], 610);
}

}  // namespace
}  // namespace hone::ptx
