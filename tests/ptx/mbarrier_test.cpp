// Mbarriers on the simulated device.

#include <gtest/gtest.h>

#include "tests/support/ptx/cuda_kernel.h"

namespace hone::ptx::mbarrier_test {
namespace {

class PtxMbarriers : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

const std::string mbarrier_helpers = R"(
__device__ unsigned at(const void* p) { return __cvta_generic_to_shared(p); }
__device__ void init(void* m, int n) { asm volatile("mbarrier.init.shared.b64 [%0], %1;" :: "r"(at(m)), "r"(n) : "memory"); }
__device__ unsigned long long arrive(void* m) {
  unsigned long long s;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(s) : "r"(at(m)) : "memory");
  return s;
}
__device__ bool test(void* m, unsigned long long s) {
  int r;
  asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }" : "=r"(r) : "r"(at(m)), "l"(s) : "memory");
  return r;
}
__device__ void wait(void* m, int parity) {
  asm volatile("{ .reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], %1, 1000;\n@!p bra again; }" :: "r"(at(m)), "r"(parity) : "memory");
}
)";

std::string findings_of_body(const std::string& body, int threads, int* first = nullptr) {
  CudaKernel kernel(mbarrier_helpers + R"(
extern "C" __global__ void run(int* out) {
  __shared__ __align__(8) unsigned long long m, other;
  __shared__ int x;
  int t = threadIdx.x;
)" + body + "}");
  int* const out = kernel.array(std::vector<int>(64, -1), "out");
  const Report report = kernel.run({.block = {threads, 1, 1}}, {out});
  if (first) std::copy(out, out + 4, first);
  return findings_of(report);
}

TEST_F(PtxMbarriers, EndAPhaseWithTheLastArrival) {
  int out[4];
  EXPECT_EQ(findings_of_body(R"(
  if (t > 0) return;
  init(&m, 2);
  unsigned long long s = arrive(&m);
  out[0] = test(&m, s);
  asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(out[1]) : "l"(s));
  asm volatile("mbarrier.arrive_drop.shared.b64 _, [%0];" :: "r"(at(&m)) : "memory");
  out[2] = test(&m, s);
  s = arrive(&m);
  out[3] = test(&m, s);
)",
                             32, out),
            "");
  EXPECT_EQ(out[0], 0);
  EXPECT_EQ(out[1], 2);
  EXPECT_EQ(out[2], 1);
  EXPECT_EQ(out[3], 1) << "one arrival was dropped";
}

TEST_F(PtxMbarriers, OrderWhatTheirArrivalsTell) {
  int out[4];
  EXPECT_EQ(findings_of_body(R"(
  if (t == 0) { init(&m, 1); init(&other, 32); }
  __syncthreads();
  for (int n = 0; n < 4; ++n) {
    if (t == 0) { x = 10 + n; arrive(&m); }
    if (t >= 32) {
      wait(&m, n & 1);
      if (t == 40) out[n] = x;
      arrive(&other);
    } else {
      wait(&other, n & 1);
    }
  }
)",
                             64, out),
            "");
  for (int n = 0; n < 4; ++n) EXPECT_EQ(out[n], 10 + n);
}

TEST_F(PtxMbarriers, OrderNothingForThreadsThatDoNotWait) {
  EXPECT_EQ(findings_of_body(R"(
  if (t == 0) init(&m, 2);
  __syncthreads();
  if (t == 0) { x = out[5]; arrive(&m); }
  if (t == 32) { arrive(&m); out[0] = x; }
)",
                             64),
            "race: x, byte 0\n"
            "  test.cu:26: block (0, 0, 0), thread (32, 0, 0) reads 4 bytes\n"
            "  test.cu:25: block (0, 0, 0), thread (0, 0, 0) writes 4 bytes\n"
            "  No __syncthreads() stands between the two accesses.\n");
}

TEST_F(PtxMbarriers, RefuseMoreArrivalsThanTheyCount) {
  EXPECT_EQ(
      findings_of_body("if (t < 3) { if (t == 0) init(&m, 2); __syncwarp(7);\n"
                       "asm volatile(\"mbarrier.arrive.noComplete.shared.b64 _, [%0], 3;\" :: "
                       "\"r\"(at(&m)) : \"memory\"); }",
                       32),
      "invalid operation: 3 more of the arrivals at an mbarrier, whose phase waits for 2 of "
      "2\n"
      "  test.cu:23: block (0, 0, 0), thread (0, 0, 0) uses the mbarrier there\n");
}

TEST_F(PtxMbarriers, RefuseToBeInitialisedTwice) {
  EXPECT_EQ(
      findings_of_body("if (t == 0) { init(&m, 1);\n init(&m, 1); }", 32),
      "invalid operation: an mbarrier is initialised where one is that mbarrier.inval has not "
      "ended\n"
      "  test.cu:3: block (0, 0, 0), thread (0, 0, 0) uses the mbarrier there\n");
  EXPECT_EQ(findings_of_body(
                "if (t == 0) { init(&m, 1);\n asm volatile(\"mbarrier.inval.shared.b64 [%0];\" "
                ":: \"r\"(at(&m)) : \"memory\"); init(&m, 1); }",
                32),
            "");
}

TEST_F(PtxMbarriers, AreNoneBeforeTheyAreInitialised) {
  EXPECT_EQ(findings_of_body("arrive(&m);", 32),
            "invalid operation: byte 0 of shared memory holds no mbarrier that was initialised\n"
            "  test.cu:6: block (0, 0, 0), thread (0, 0, 0) uses the mbarrier there\n");
}

TEST_F(PtxMbarriers, AreWaitedForInVain) {
  EXPECT_EQ(findings_of_body("if (t == 0) init(&m, 2);\n __syncthreads(); if (t == 0) arrive(&m);\n"
                             "wait(&m, 0);",
                             32),
            "deadlock: threads of block (0, 0, 0) wait at an mbarrier whose phase never ends\n"
            "  test.cu:15: block (0, 0, 0), thread (0, 0, 0) waits for the phase\n");
}

TEST_F(PtxMbarriers, AreToldByOtherBlocksOfTheCluster) {
  CudaKernel kernel(mbarrier_helpers + R"(
extern "C" __global__ void __cluster_dims__(2, 1, 1) run(int* out) {
  __shared__ __align__(8) unsigned long long m;
  __shared__ int x;
  int rank = blockIdx.x % 2;
  if (threadIdx.x == 0) init(&m, 1);
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  if (rank == 0 && threadIdx.x == 0)
    asm volatile("{ .reg .b32 there, place;\nmapa.shared::cluster.u32 there, %0, 1;\nmapa.shared::cluster.u32 place, %1, 1;\n"
      "st.shared::cluster.u32 [place], 7;\n"
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [there]; }" :: "r"(at(&m)), "r"(at(&x)) : "memory");
  if (rank == 1) {
    wait(&m, 0);
    out[threadIdx.x] = x;
  }
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
})");
  int* const out = kernel.unset<int>(32, "out");
  const Report report =
      kernel.run({.grid = {2, 1, 1}, .block = {32, 1, 1}, .cluster = {2, 1, 1}}, {out});
  EXPECT_EQ(findings_of(report), "");
  EXPECT_EQ(out[31], 7);
}

TEST_F(PtxMbarriers, CountBytesThatOtherBlocksStore) {
  CudaKernel kernel(mbarrier_helpers + R"(
extern "C" __global__ void __cluster_dims__(2, 1, 1) run(unsigned* out) {
  __shared__ __align__(8) unsigned long long m;
  __shared__ __align__(16) unsigned x[32], sum;
  int t = threadIdx.x;
  if (t == 0) {
    init(&m, 1);
    sum = 5;
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 160;" :: "r"(at(&m)) : "memory");
  }
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
  if (blockIdx.x == 0)
    asm volatile("{ .reg .b32 there, place;\nmapa.shared::cluster.u32 there, %0, 1;\nmapa.shared::cluster.u32 place, %1, 1;\n"
      "st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [place], %2, [there];\n}" :: "r"(at(&m)), "r"(at(x + t)), "r"(t + 1) : "memory");
  if (blockIdx.x == 0 && t < 8)
    asm volatile("{ .reg .b32 there, place;\nmapa.shared::cluster.u32 there, %0, 1;\nmapa.shared::cluster.u32 place, %1, 1;\n"
      "red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [place], %2, [there];\n}" :: "r"(at(&m)), "r"(at(&sum)), "r"(t) : "memory");
  if (blockIdx.x == 1) {
    wait(&m, 0);
    out[t] = x[t] * 100 + sum;
  }
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
})");
  auto* const out = kernel.unset<unsigned>(32, "out");
  const Report report =
      kernel.run({.grid = {2, 1, 1}, .block = {32, 1, 1}, .cluster = {2, 1, 1}}, {out});
  EXPECT_EQ(findings_of(report), "");
  for (unsigned n = 0; n < 32; ++n) EXPECT_EQ(out[n], (n + 1) * 100 + 5 + 28) << n;
}

}  // namespace
}  // namespace hone::ptx::mbarrier_test
