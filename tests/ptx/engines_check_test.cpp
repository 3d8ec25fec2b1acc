// Mistakes with asynchronous copies, and what check mode says about them.

#include <gtest/gtest.h>

#include "tests/support/ptx/cuda_kernel.h"

namespace hone::ptx::engines_check_test {
namespace {

class PtxEnginesCheck : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

/// The findings about a kernel of 32 threads with some helpers: a copy of 128 bytes is a line.
std::string findings_of_mistake(const std::string& body, int threads = 32) {
  CudaKernel kernel(R"(
__device__ unsigned at(const void* p) { return __cvta_generic_to_shared(p); }
__device__ void init(void* m) { asm volatile("mbarrier.init.shared.b64 [%0], 1;" :: "r"(at(m)) : "memory"); }
__device__ void wait(void* m, int parity) {
  asm volatile("{ .reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra again; }" :: "r"(at(m)), "r"(parity) : "memory");
}
#define ASYNC(to, from) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" :: "r"(at(to)), "l"(from) : "memory")
#define COMMIT asm volatile("cp.async.commit_group;" ::: "memory")
#define WAIT(n) asm volatile("cp.async.wait_group %0;" :: "n"(n) : "memory")
#define LOAD(to, from, m) asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%2], 128;\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 128, [%2];" :: "r"(at(to)), "l"(from), "r"(at(m)) : "memory")
#define STORE(to, from) asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 128;\ncp.async.bulk.commit_group;" :: "l"(to), "r"(at(from)) : "memory")
#define WAIT_READ asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory")
#define WAIT_STORE asm volatile("cp.async.bulk.wait_group 0;" ::: "memory")
#define FENCE asm volatile("fence.proxy.async.shared::cta;" ::: "memory")
extern "C" __global__ void run(const float* in, float* out) {
  __shared__ __align__(128) float tile[2][32];
  __shared__ __align__(8) unsigned long long m;
  int t = threadIdx.x;
#line 1
)" + body + "}");
  const float* const in = kernel.array(std::vector<float>(64, 1), "in");
  float* const out = kernel.array(std::vector<float>(64, 0), "out");
  return findings_of(kernel.run({.block = {threads, 1, 1}}, {in, out}));
}

TEST_F(PtxEnginesCheck, FindsElementsThatAreReadBeforeTheirCopyIsWaitedFor) {
  EXPECT_EQ(
      findings_of_mistake("ASYNC(&tile[0][t], in + t); COMMIT;\n"
                          "ASYNC(&tile[1][t], in + t); COMMIT; WAIT(1);\n"
                          "out[t] = tile[0][t];\n"
                          "out[t] += tile[1][t]; WAIT(0);"),
      "unfinished copy: tile, byte 128\n"
      "  test.cu:2: block (0, 0, 0), thread (0, 0, 0) writes by cp.async\n"
      "  test.cu:4: block (0, 0, 0), thread (0, 0, 0) reads 4 bytes\n"
      "  The copy has to be waited for: by its group, or at its mbarrier, and a barrier tells "
      "other threads.\n"
      "  and 31 more like it\n");
}

TEST_F(PtxEnginesCheck, FindsCopiesOfOtherThreadsThatNoBarrierTellsOf) {
  EXPECT_EQ(findings_of_mistake("ASYNC(&tile[0][t], in + t); COMMIT; WAIT(0);\n"
                                "out[t] = tile[0][31 - t];")
                .substr(0, 33),
            "unfinished copy: tile, byte 124\n ");
  EXPECT_EQ(findings_of_mistake("ASYNC(&tile[0][t], in + t); COMMIT; WAIT(0); __syncwarp();\n"
                                "out[t] = tile[0][31 - t];"),
            "");
}

TEST_F(PtxEnginesCheck, FindsBytesThatAreReadBeforeTheirMbarrier) {
  EXPECT_EQ(
      findings_of_mistake("if (t == 0) { init(&m);\n LOAD(tile, in, &m); } __syncwarp();\n"
                          "out[t] = tile[0][t];\n"
                          "wait(&m, 0); out[t] = tile[0][t];"),
      "unfinished copy: tile, byte 0\n"
      "  test.cu:2: block (0, 0, 0), thread (0, 0, 0) writes by cp.async.bulk\n"
      "  test.cu:3: block (0, 0, 0), thread (0, 0, 0) reads 4 bytes\n"
      "  The copy has to be waited for: by its group, or at its mbarrier, and a barrier tells "
      "other threads.\n"
      "  and 31 more like it\n");
}

TEST_F(PtxEnginesCheck, FindsATileThatIsOverwrittenWhileOthersReadIt) {
  const std::string before =
      "if (t > 31) tile[0][t - 32] = in[t]; if (t == 0) init(&m); __syncthreads();\n"
      "if (t > 31) out[t] = tile[0][t - 32];\n";
  const std::string load = "if (t == 0) LOAD(tile, in, &m); wait(&m, 0);";
  EXPECT_EQ(findings_of_mistake(before + load, 64),
            "race: tile, byte 0\n"
            "  test.cu:2: block (0, 0, 0), thread (32, 0, 0) reads 4 bytes\n"
            "  test.cu:3: block (0, 0, 0), thread (0, 0, 0) writes by cp.async.bulk\n"
            "  Nothing orders the thread's access and the start of the operation.\n"
            "  and 31 more like it\n");
  EXPECT_EQ(findings_of_mistake(before + "__syncthreads();" + load, 64), "");
}

TEST_F(PtxEnginesCheck, FindsAMissingFenceBeforeAStore) {
  const std::string store = "__syncwarp();\nif (t == 0) { STORE(out, tile); WAIT_READ; }";
  EXPECT_EQ(findings_of_mistake("tile[0][t] = in[t];" + store),
            "missing fence: tile, byte 0\n"
            "  test.cu:1: block (0, 0, 0), thread (0, 0, 0) writes 4 bytes\n"
            "  test.cu:2: block (0, 0, 0), thread (0, 0, 0) reads by cp.async.bulk\n"
            "  fence.proxy.async has to come between the write and the operation.\n"
            "  and 31 more like it\n");
  EXPECT_EQ(findings_of_mistake("tile[0][t] = in[t]; FENCE;" + store), "");
}

TEST_F(PtxEnginesCheck, FindsATileThatIsWrittenWhileItIsStored) {
  const std::string start =
      "tile[0][t] = in[t]; FENCE; __syncwarp();\nif (t == 0) STORE(out, tile);\n";
  EXPECT_EQ(findings_of_mistake(start + "if (t == 0) tile[0][0] = 2; WAIT_STORE;").substr(0, 59),
            "unfinished store: tile, byte 0\n  test.cu:2: block (0, 0, 0)");
  EXPECT_EQ(findings_of_mistake(start + "if (t == 0) { WAIT_READ; tile[0][0] = 2; }"), "");
}

TEST_F(PtxEnginesCheck, FindsResultsOfAStoreThatAreReadTooEarly) {
  const std::string start =
      "tile[0][t] = in[t]; FENCE; __syncwarp();\nif (t == 0) { STORE(out, tile); WAIT_READ;\n";
  EXPECT_EQ(findings_of_mistake(start + "out[63] = out[0]; }").substr(0, 58),
            "unfinished store: out[0]\n  test.cu:2: block (0, 0, 0), thr");
  EXPECT_EQ(findings_of_mistake(start + "WAIT_STORE; out[63] = out[0]; }"), "");
}

TEST_F(PtxEnginesCheck, FindsBlocksThatEndBeforeTheirStores) {
  EXPECT_EQ(findings_of_mistake(
                "tile[0][t] = in[t]; FENCE; __syncwarp();\nif (t == 0) STORE(out, tile);"),
            "unfinished store: a block ends while the engine uses its shared memory\n"
            "  test.cu:2: block (0, 0, 0), thread (0, 0, 0) reads by cp.async.bulk\n"
            "  cp.async.bulk.wait_group.read has to come before the end.\n");
}

}  // namespace
}  // namespace hone::ptx::engines_check_test
