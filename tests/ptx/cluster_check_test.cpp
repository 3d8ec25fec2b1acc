// Mistakes with the shared memory of a cluster, and what check mode says about them.

#include <gtest/gtest.h>

#include "fmt/format.h"
#include "tests/support/ptx/cuda_kernel.h"

namespace hone::ptx::cluster_check_test {
namespace {

class PtxClusterCheck : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

/// The findings about a kernel of a cluster of two blocks with 32 threads each: `t` is the thread,
/// `r` the rank, `x` an array in shared memory that is zero, `m` an mbarrier for one arrival.
std::string findings_of_mistake(const std::string& body) {
  CudaKernel kernel(R"(
__device__ unsigned at(const void* p, unsigned r) {
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(p)), "r"(r));
  return there;
}
__device__ unsigned at(const void* p) { return __cvta_generic_to_shared(p); }
#define PUT(p, r, value) asm volatile("st.shared::cluster.u32 [%0], %1;" :: "r"(at(p, r)), "r"(value) : "memory")
#define GET(value, p, r) asm volatile("ld.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(at(p, r)) : "memory")
#define ARRIVE(r) asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" :: "r"(at(&m, r)) : "memory")
#define WAIT asm volatile("{ .reg .pred p;\nagain: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, [%0], 0;\n@!p bra again; }" :: "r"(at(&m)) : "memory")
#define SYNC asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory")
extern "C" __global__ void __cluster_dims__(2, 1, 1) run(int* out) {
  __shared__ int x[32];
  __shared__ __align__(8) unsigned long long m;
  int t = threadIdx.x, r = blockIdx.x % 2;
  x[t] = 0;
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(at(&m)) : "memory");
  SYNC;
#line 1
)" + body + "}");
  int* const out = kernel.array(std::vector<int>(64), "out");
  return findings_of(
      kernel.run({.grid = {2, 1, 1}, .block = {32, 1, 1}, .cluster = {2, 1, 1}}, {out}));
}

TEST_F(PtxClusterCheck, FindsARaceOfBlocks) {
  EXPECT_EQ(findings_of_mistake("if (r == 1) PUT(&x[t], 0, t);\n"
                                "if (r == 0) out[t] = x[t];\n"
                                "SYNC;"),
            "race: x, byte 0\n"
            "  test.cu:1: block (1, 0, 0), thread (0, 0, 0) writes 4 bytes\n"
            "  test.cu:2: block (0, 0, 0), thread (0, 0, 0) reads 4 bytes\n"
            "  Nothing orders the blocks of the cluster: neither cluster.sync() nor an mbarrier.\n"
            "  and 31 more like it\n");
}

TEST_F(PtxClusterCheck, FindsTheUseOfABlockThatMayHaveEnded) {
  constexpr const char* reads = "if (r == {}) GET(out[t], &x[t], {});\n";
  for (const int reader : {0, 1})
    EXPECT_EQ(findings_of_mistake(fmt::format(reads, reader, 1 - reader)),
              fmt::format("use of an ended block: block ({}, 0, 0) may have ended, whose shared "
                          "memory another one uses\n"
                          "  test.cu:1: block ({}, 0, 0), thread (31, 0, 0) reads 4 bytes\n"
                          "  cluster.sync() has to come behind the last access.\n",
                          1 - reader, reader));
}

TEST_F(PtxClusterCheck, KnowsWhatBarriersOfTheClusterOrder) {
  EXPECT_EQ(findings_of_mistake("PUT(&x[t], 1 - r, t);\n"
                                "SYNC;\n"
                                "int sum;\n"
                                "GET(sum, &x[31 - t], 1 - r);\n"
                                "sum += x[31 - t];\n"
                                "SYNC;\n"
                                "x[t] = sum;\n"
                                "SYNC;\n"
                                "out[32 * r + t] = x[t];"),
            "");
}

TEST_F(PtxClusterCheck, KnowsWhatTheyOrderInGlobalMemory) {
  constexpr const char* body =
      "out[32 * r + t] = t;\n{}\n"
      "int got = out[32 * (1 - r) + t];\n{}\n"
      "out[32 * r + t] = got + 1;\n";
  EXPECT_EQ(findings_of_mistake(fmt::format(body, "SYNC;", "SYNC;")), "");
  EXPECT_EQ(findings_of_mistake(fmt::format(body, "SYNC;", "")).substr(0, 13), "race: out[0]\n");
}

TEST_F(PtxClusterCheck, KnowsWhatAnMbarrierOrders) {
  constexpr const char* sends =
      "if (r == 1) {{ PUT(&x[t], 0, t); __syncwarp(); {} }}\n"
      "if (r == 0) {{ WAIT; out[t] = x[t]; }}\n";
  EXPECT_EQ(findings_of_mistake(fmt::format(sends, "if (t == 0) ARRIVE(0);")), "");
  EXPECT_EQ(
      findings_of_mistake("if (r == 1 && t == 0) ARRIVE(0);\n" + fmt::format(sends, "") + "SYNC;")
          .substr(0, 16),
      "race: x, byte 0\n");
}

TEST_F(PtxClusterCheck, LeavesTheOrderOfAnotherBlockToThatBlock) {
  EXPECT_EQ(findings_of_mistake("if (r == 1) PUT(&x[t], 0, t);\n"
                                "__syncthreads();\n"
                                "if (r == 1) GET(out[t], &x[31 - t], 0);\n"
                                "SYNC;"),
            "");
}

}  // namespace
}  // namespace hone::ptx::cluster_check_test
