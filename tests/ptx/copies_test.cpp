// Asynchronous copies on the simulated device.

#include <gtest/gtest.h>

#include "tests/support/ptx/cuda_kernel.h"

namespace hone::ptx::copies_test {
namespace {

class PtxCopies : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

const std::string address_helper = R"(
__device__ unsigned shared_address(const void* p) { return __cvta_generic_to_shared(p); }
)";

TEST_F(PtxCopies, BringSixteenBytesAThreadWithTheirGroup) {
  CudaKernel kernel(address_helper + R"(
extern "C" __global__ void copy(const float* a, float* c) {
  __shared__ __align__(16) float tile[2][128];
  for (int n = 0; n < 2; ++n) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(shared_address(&tile[n][4 * threadIdx.x])), "l"(a + 128 * n + 4 * threadIdx.x) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  asm volatile("cp.async.wait_group 1;" ::: "memory");
  c[threadIdx.x] = tile[0][4 * threadIdx.x + 1];
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  c[32 + threadIdx.x] = tile[1][127 - threadIdx.x];
})");
  const float* const a = kernel.array(counting(256), "a");
  float* const c = kernel.unset<float>(64, "c");
  EXPECT_EQ(findings_of(kernel.run({.block = {32, 1, 1}}, {a, c})), "");
  for (int n = 0; n < 32; ++n) {
    EXPECT_EQ(c[n], 4 * n + 2);
    EXPECT_EQ(c[32 + n], 128 + 128 - n);
  }
}

TEST_F(PtxCopies, PutZerosInPlaceOfWhatIsNotRead) {
  CudaKernel kernel(address_helper + R"(
extern "C" __global__ void copy(const float* a, float* c, int n) {
  __shared__ __align__(16) float tile[64];
  int i = threadIdx.x;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" :: "r"(shared_address(tile + i)), "l"(a + i), "r"(i < n ? 4 : 0) : "memory");
  asm volatile("{ .reg .pred p; setp.ge.s32 p, %2, 8; cp.async.ca.shared.global [%0], [%1], 4, p; }" :: "r"(shared_address(tile + 32 + i)), "l"(a + i), "r"(i) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  c[i] = tile[i] + 100 * tile[32 + i];
})");
  const float* const a = kernel.array(counting(32), "a");
  float* const c = kernel.unset<float>(32, "c");
  EXPECT_EQ(findings_of(kernel.run({.block = {32, 1, 1}}, {a, c, 20})), "");
  for (int n = 0; n < 32; ++n)
    EXPECT_EQ(c[n], (n < 20 ? n + 1 : 0) + 100 * (n < 8 ? n + 1 : 0)) << n;
}

TEST_F(PtxCopies, ArriveAtAnMbarrierWhenTheyAreOver) {
  CudaKernel kernel(address_helper + R"(
extern "C" __global__ void copy(const float* a, float* c) {
  __shared__ __align__(16) float tile[64];
  __shared__ __align__(8) unsigned long long full;
  int i = threadIdx.x;
  const unsigned f = shared_address(&full);
  if (i == 0) asm volatile("mbarrier.init.shared.b64 [%0], 32;" :: "r"(f) : "memory");
  __syncthreads();
  if (i < 32) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" :: "r"(shared_address(tile + 2 * i)), "l"(a + 2 * i) : "memory");
    asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" :: "r"(f) : "memory");
  } else {
    asm volatile("{ .reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra again; }" :: "r"(f) : "memory");
    c[i - 32] = tile[i - 32];
    c[i] = tile[i];
  }
})");
  const float* const a = kernel.array(counting(64), "a");
  float* const c = kernel.unset<float>(64, "c");
  EXPECT_EQ(findings_of(kernel.run({.block = {64, 1, 1}}, {a, c})), "");
  for (int n = 0; n < 64; ++n) EXPECT_EQ(c[n], n + 1);
}

TEST_F(PtxCopies, MoveBytesInBulkBothWays) {
  CudaKernel kernel(address_helper + R"(
extern "C" __global__ void copy(const float* a, float* c) {
  __shared__ __align__(128) float tile[256];
  __shared__ __align__(8) unsigned long long full;
  const unsigned f = shared_address(&full), t = shared_address(tile);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(f) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;" :: "r"(f) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" :: "r"(t), "l"(a), "r"(f) : "memory");
  }
  __syncthreads();
  asm volatile("{ .reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra again; }" :: "r"(f) : "memory");
  tile[threadIdx.x] *= 2;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 512;" :: "l"(c), "r"(t) : "memory");
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 512;" :: "l"(c + 128), "r"(t + 512) : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
})");
  const float* const a = kernel.array(counting(256), "a");
  float* const c = kernel.array(std::vector<float>(256, 1), "c");
  EXPECT_EQ(findings_of(kernel.run({.block = {256, 1, 1}}, {a, c})), "");
  for (int n = 0; n < 256; ++n) EXPECT_EQ(c[n], 2 * (n + 1) + (n < 128 ? 0 : 1)) << n;
}

}  // namespace
}  // namespace hone::ptx::copies_test
