// The requests of CUDA text to memory, counted.

#include <gtest/gtest.h>

#include "tests/support/ptx/cuda_kernel.h"

namespace hone::ptx {
namespace {

class PtxCounts : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

MemoryCounts total(const Report& report, AccessClass access_class) {
  return report.counts.totals[static_cast<size_t>(access_class)];
}

TEST_F(PtxCounts, AreThoseOfSectorsAndOfLines) {
  CudaKernel kernel(R"(
extern "C" __global__ void every_second(const float* in, float* out) {
  int i = blockIdx.x * 64 + threadIdx.x;
  out[i] = in[2 * i];
})");
  const float* const in = kernel.array(std::vector<float>(256), "in");
  float* const out = kernel.unset<float>(128, "out");
  const Report report =
      kernel.run({.grid = {2, 1, 1}, .block = {64, 1, 1}}, {in, out}, {.count = true});
  const MemoryCounts loads = total(report, AccessClass::global_load);
  EXPECT_EQ(loads.requests, 4);
  EXPECT_EQ(loads.bytes, 128 * 4);
  EXPECT_EQ(loads.sectors, 4 * 8);
  EXPECT_EQ(loads.lines, 4 * 2);
  EXPECT_EQ(total(report, AccessClass::global_store).sectors, 4 * 4);
  ASSERT_EQ(report.counts.accesses.size(), 2);
  EXPECT_EQ(report.counts.accesses.front().site.line, 4);
  EXPECT_EQ(report.counts.accesses.front().counts, loads);
}

TEST_F(PtxCounts, AreThoseOfBanksAndOfLanesThatPart) {
  CudaKernel kernel(R"(
extern "C" __global__ void column(float* out) {
  __shared__ float tile[32 * 32];
  tile[threadIdx.x * 32] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 8) out[threadIdx.x] = __shfl_down_sync(0xff, tile[threadIdx.x * 32], 1);
})");
  float* const out = kernel.unset<float>(8, "out");
  const Report report = kernel.run({.block = {32, 1, 1}}, {out}, {.count = true});
  const MemoryCounts stores = total(report, AccessClass::shared_store);
  EXPECT_EQ(stores.wavefronts, 32);
  EXPECT_EQ(stores.ideal_wavefronts, 1);
  EXPECT_EQ(total(report, AccessClass::shared_load).wavefronts, 8);
  EXPECT_EQ(report.counts.barriers, 1);
  EXPECT_EQ(report.counts.exchanges, 1);
  EXPECT_EQ(report.counts.branches, 1);
  EXPECT_EQ(report.counts.divergent_branches, 1);
}

}  // namespace
}  // namespace hone::ptx
