// Accesses outside of memory: close to some, a kernel goes on as on a GPU; elsewhere it ends.

#include "gmock/gmock.h"
#include "tests/support/ptx/cuda_kernel.h"

namespace hone::ptx {
namespace {

using testing::Each;
using testing::HasSubstr;

constexpr LaunchShape four_warps = {.block = {128, 1, 1}};

class PtxStrays : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(PtxStrays, ReadZerosBehindTheEnd) {
  CudaKernel kernel(R"(
extern "C" __global__ void add(const float* a, float* c, int n) {
  int i = threadIdx.x;
  c[i] = a[i] + n;
})");
  const float* const a = kernel.array(std::vector<float>(100, 1), "a");
  float* const c = kernel.unset<float>(128, "c");
  const char* const finding =
      "access out of bounds: 0 bytes behind the end of a (400 bytes)\n"
      "  test.cu:4: block (0, 0, 0), thread (100, 0, 0) reads 4 bytes of global memory\n"
      "  So close to memory in use, a GPU may not notice; the kernel goes on.\n"
      "  and 27 more like it\n";
  for (const bool check : {true, false}) {
    const Report report = kernel.run(four_warps, {a, c, 100}, {.check = check});
    EXPECT_EQ(findings_of(report), finding);
    EXPECT_FALSE(report.has_failed);
    EXPECT_EQ(c[99], 101);
    EXPECT_THAT(std::vector<float>(c + 100, c + 128), Each(100));
  }
}

TEST_F(PtxStrays, WriteNoMemoryOfOthers) {
  CudaKernel kernel(R"(
extern "C" __global__ void fill(int* a, int* b, long long stride) {
  a[threadIdx.x * stride] = 7;
  atomicAdd(&a[threadIdx.x * stride - 1], 1);
})");
  int* const a = kernel.array(std::vector<int>{1, 2}, "a");
  int* const b = kernel.array(std::vector<int>{1, 2}, "b");
  const Report report = kernel.run({.block = {2, 1, 1}}, {a, b, int64_t{500'000}});
  EXPECT_THAT(findings_of(report), HasSubstr("1999992 bytes behind the end of a (8 bytes)"));
  EXPECT_THAT(findings_of(report), HasSubstr("4 bytes before the begin of a (8 bytes)"));
  EXPECT_FALSE(report.has_failed);
  EXPECT_EQ(std::vector<int>(a, a + 2), (std::vector<int>{7, 2}));
  EXPECT_EQ(std::vector<int>(b, b + 2), (std::vector<int>{1, 2}));
}

TEST_F(PtxStrays, ReachTheElementsThatAreThereInAVector) {
  CudaKernel kernel(R"(
extern "C" __global__ void copy(const float4* a, float4* c) { *c = *a; })");
  const float* const a = kernel.array(std::vector<float>{1, 2, 3}, "a");
  float* const c = kernel.unset<float>(3, "c");
  const Report report = kernel.run({}, {a, c});
  EXPECT_THAT(findings_of(report), HasSubstr("byte 0 of a (12 bytes), and bytes behind its end"));
  EXPECT_EQ(std::vector<float>(c, c + 3), (std::vector<float>{1, 2, 3}));
}

TEST_F(PtxStrays, EndTheLaunchFarFromMemory) {
  CudaKernel kernel(R"(
extern "C" __global__ void copy(int* a, const int* from) {
  *a = 1;
  *a = *from;
})");
  int* const a = kernel.unset<int>(1, "a");
  int* const freed = kernel.unset<int>(1, "freed");
  kernel.module().memory().free(reinterpret_cast<uint64_t>(freed));
  const auto finding_at = [&](const void* from) {
    *a = 0;
    const Report report = kernel.run({}, {a, from}, {});
    EXPECT_TRUE(report.has_failed);
    EXPECT_EQ(report.findings.size(), 1u);
    EXPECT_EQ(*a, 1);
    return findings_of(report);
  };
  const char* const site =
      "\n  test.cu:4: block (0, 0, 0), thread (0, 0, 0) reads 4 bytes of global memory\n";
  EXPECT_EQ(finding_at(nullptr),
            std::string("access out of bounds: the null pointer, and 0 bytes more") + site);
  EXPECT_EQ(
      finding_at(a + 524'289),
      std::string("access out of bounds: 2097152 bytes behind the end of a (4 bytes)") + site);
  EXPECT_EQ(finding_at(freed),
            std::string("access out of bounds: byte 0 of freed, which was freed") + site);
  EXPECT_THAT(finding_at(reinterpret_cast<const std::byte*>(a) + 2),
              HasSubstr(" in global memory is no multiple of the 4 bytes of the access\n"));
}

/// Shared memory comes in units of 128 bytes.
TEST_F(PtxStrays, OfSharedMemoryGoOnInItsUnit) {
  CudaKernel kernel(R"(
extern "C" __global__ void turn(int* c, int reach) {
  __shared__ int tile[40];
  if (threadIdx.x < 40) tile[threadIdx.x] = 5;
  __syncthreads();
  c[threadIdx.x] = tile[threadIdx.x + reach];
})");
  int* const c = kernel.unset<int>(64, "c");
  const Report near = kernel.run({.block = {64, 1, 1}}, {c, 0});
  EXPECT_EQ(findings_of(near),
            "access out of bounds: byte 160 of shared memory, of which the block has 160\n"
            "  test.cu:6: block (0, 0, 0), thread (40, 0, 0) reads 4 bytes of shared memory\n"
            "  So close to memory in use, a GPU may not notice; the kernel goes on.\n"
            "  and 23 more like it\n");
  EXPECT_FALSE(near.has_failed);
  EXPECT_EQ(c[39], 5);
  EXPECT_EQ(c[40], 0);
  const Report far = kernel.run({.block = {64, 1, 1}}, {c, 1}, {.threads = 1});
  EXPECT_TRUE(far.has_failed);
  EXPECT_EQ(to_string(far.findings.back()),
            "access out of bounds: byte 256 of shared memory, of which the block has 160\n"
            "  test.cu:6: block (0, 0, 0), thread (63, 0, 0) reads 4 bytes of shared memory");
}

}  // namespace
}  // namespace hone::ptx
