// Products of a warpgroup on the simulated device, against the host's.

#include <gtest/gtest.h>

#include "runtime/narrow_float.h"
#include "tests/support/ptx/cuda_kernel.h"

namespace hone::ptx::wgmma_test {
namespace {

class PtxWarpgroups : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

/// A (64 by 16) and B (8 by 16, or turned 16 by 8) as tiles of eight by eight, which lie one behind
/// the other; a half of the sums is from registers. `wait` comes before they are used.
std::string product_kernel(bool is_right_turned, const std::string& fence,
                           const std::string& wait) {
  return R"(
__device__ unsigned long long descriptor(const void* tile, unsigned leading, unsigned stride) {
  unsigned long long address = __cvta_generic_to_shared(tile);
  return address >> 4 | (unsigned long long)(leading / 16) << 16 | (unsigned long long)(stride / 16) << 32;
}
extern "C" __global__ void multiply(const unsigned short* A, const unsigned short* B, float* C) {
  __shared__ __align__(128) unsigned short a[1024], b[128];
  int t = threadIdx.x;
  for (int n = t; n < 1024; n += 128) {
    int i = n / 16, k = n % 16;
    a[i / 8 * 128 + k / 8 * 64 + i % 8 * 8 + k % 8] = A[n];
  }
  {
    int j = t % 8, k = t / 8;
    b[)" +
         std::string(is_right_turned ? "k / 8 * 64 + k % 8 * 8 + j"
                                     : "k / 8 * 64 + j * 8 + k % 8") +
         R"(] = B[t];
  }
  )" + fence +
         R"(
  __syncthreads();
  float c[4] = {1, 1, 1, 1};
  asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0;\n"
    "wgmma.fence.sync.aligned;\n"
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, )" +
         std::string(is_right_turned ? "1" : "0") +
         R"(;\n"
    "wgmma.commit_group.sync.aligned; }"
    : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "l"(descriptor(a, 128, 256)), "l"(descriptor(b, 128, 128)) : "memory");
  )" + wait +
         R"(
  int row = t / 32 * 16 + t % 32 / 4, column = 2 * (t % 4);
  for (int n = 0; n < 4; ++n) C[(row + 8 * (n / 2)) * 8 + column + n % 2] = c[n];
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
})";
}

constexpr const char *fence = "asm volatile(\"fence.proxy.async.shared::cta;\" ::: \"memory\");",
                     *wait = "asm volatile(\"wgmma.wait_group.sync.aligned 0;\" ::: \"memory\");";

std::string findings_of_product(const std::string& source) {
  CudaKernel kernel(source);
  std::vector<Half> a(1024), b(128);
  for (size_t n = 0; n < a.size(); ++n) a[n] = Half(static_cast<float>(n * 7 % 5) - 2);
  for (size_t n = 0; n < b.size(); ++n) b[n] = Half(static_cast<float>(n * 3 % 7) - 3);
  const Half *da = kernel.array(a, "A"), *db = kernel.array(b, "B");
  float* const c = kernel.unset<float>(512, "C");
  const Report report = kernel.run({.block = {128, 1, 1}}, {da, db, c});
  for (int i = 0; i < 64; ++i)
    for (int j = 0; j < 8; ++j) {
      float sum = 1;
      for (int k = 0; k < 16; ++k)
        sum += static_cast<float>(a[i * 16 + k]) * static_cast<float>(b[k * 8 + j]);
      EXPECT_EQ(c[i * 8 + j], sum) << i << " " << j;
      if (c[i * 8 + j] != sum) return "wrong";
    }
  return findings_of(report);
}

TEST_F(PtxWarpgroups, MultiplyTilesOfEitherOrder) {
  EXPECT_EQ(findings_of_product(product_kernel(false, fence, wait)), "");
  EXPECT_EQ(findings_of_product(product_kernel(true, fence, wait)), "");
}

TEST_F(PtxWarpgroups, AreToldOfAFenceThatIsMissing) {
  EXPECT_EQ(findings_of_product(product_kernel(false, "", wait)),
            "missing fence: a, byte 1536\n"
            "  test.cu:11: block (0, 0, 0), thread (0, 0, 0) writes 2 bytes\n"
            "  test.cu:24: block (0, 0, 0), thread (96, 0, 0) reads by wgmma\n"
            "  fence.proxy.async has to come between the write and the operation.\n"
            "  and 1023 more like it\n"
            "missing fence: b, byte 0\n"
            "  test.cu:15: block (0, 0, 0), thread (0, 0, 0) writes 2 bytes\n"
            "  test.cu:24: block (0, 0, 0), thread (96, 0, 0) reads by wgmma\n"
            "  fence.proxy.async has to come between the write and the operation.\n"
            "  and 511 more like it\n");
}

TEST_F(PtxWarpgroups, AreToldOfAWaitThatIsMissing) {
  EXPECT_EQ(findings_of_product(product_kernel(false, fence, "")),
            "unfinished product: a sum that wgmma still adds to is written to global memory\n"
            "  test.cu:27: block (0, 0, 0), thread (96, 0, 0) uses the value\n"
            "  wgmma.wait_group has to come first.\n"
            "  and 15 more like it\n");
}

}  // namespace
}  // namespace hone::ptx::wgmma_test
