// Mistakes in CUDA text, and what check mode says about them.

#include "gmock/gmock.h"
#include "runtime/ptx/check/grid_shadow.h"
#include "tests/support/ptx/cuda_kernel.h"

namespace hone::ptx {
namespace {

class PtxCheck : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_F(PtxCheck, FindsAMissingBarrier) {
  CudaKernel kernel(R"(
extern "C" __global__ void turn(const float* a, float* c) {
  __shared__ float tile[128];
  tile[threadIdx.x] = a[threadIdx.x];
  c[threadIdx.x] = tile[127 - threadIdx.x];
})");
  const float* const a = kernel.array(std::vector<float>(128), "a");
  float* const c = kernel.unset<float>(128, "c");
  EXPECT_EQ(findings_of(kernel.run({.block = {128, 1, 1}}, {a, c})),
            "race: tile, byte 256\n"
            "  test.cu:5: block (0, 0, 0), thread (63, 0, 0) reads 4 bytes\n"
            "  test.cu:4: block (0, 0, 0), thread (64, 0, 0) writes 4 bytes\n"
            "  No __syncthreads() stands between the two accesses.\n"
            "  and 127 more like it\n");
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
  EXPECT_EQ(findings_of(kernel.run({.block = {128, 1, 1}}, {a, c})),
            "uninitialised read: a value that nobody wrote is written to global memory\n"
            "  test.cu:6: block (0, 0, 0), thread (127, 0, 0) reads 4 bytes\n"
            "  test.cu:6: block (0, 0, 0), thread (127, 0, 0) uses the value\n");
}

/// A generic address leads some lanes to shared memory and others to global memory.
TEST_F(PtxCheck, FollowsLanesThatReadFromTwoSpaces) {
  CudaKernel kernel(R"(
extern "C" __global__ void pick(const int* a, int* c) {
  __shared__ int tile[32];
  if (a[0] == 7) tile[threadIdx.x] = 1;
  __syncthreads();
  const volatile int* p = threadIdx.x % 2 ? a + threadIdx.x : tile + threadIdx.x;
  c[threadIdx.x] = *p;
})");
  const int* const a = kernel.array(std::vector<int>(32, 1), "a");
  int* const c = kernel.unset<int>(32, "c");
  EXPECT_EQ(findings_of(kernel.run({.block = {32, 1, 1}}, {a, c})),
            "uninitialised read: a value that nobody wrote is written to global memory\n"
            "  test.cu:7: block (0, 0, 0), thread (0, 0, 0) reads 4 bytes\n"
            "  test.cu:7: block (0, 0, 0), thread (0, 0, 0) uses the value\n");
}

/// A value that a race may have kept from memory is not told again by what reads the result.
TEST_F(PtxCheck, TakesResultsOfARaceForValues) {
  CudaKernel kernel(R"(
extern "C" __global__ void total(int* sum) {
  __shared__ int part[64];
  if (threadIdx.x == 0) atomicAdd(sum, part[63]);
  part[threadIdx.x] = 1;
})");
  int* const sum = kernel.array(std::vector<int>{0}, "sum");
  const Report report = kernel.run({.block = {64, 1, 1}}, {sum});
  ASSERT_EQ(report.findings.size(), 1u);
  EXPECT_EQ(report.findings[0].kind, FindingKind::race);
  const Allocation* const memory = kernel.module().memory().find(reinterpret_cast<uint64_t>(sum));
  EXPECT_THAT(memory->unset, testing::IsEmpty());
}

TEST_F(PtxCheck, FindsABarrierThatSomeNeverReach) {
  CudaKernel kernel(R"(
extern "C" __global__ void wait(int* c) {
  if (threadIdx.x < 64) __syncthreads();
  while (atomicAdd(c, 0) == 0) {}
})");
  int* const c = kernel.array(std::vector<int>{0}, "c");
  const LaunchOptions options = {.check = true, .step_budget = 1 << 18};
  EXPECT_EQ(findings_of(kernel.run({.block = {128, 1, 1}}, {c}, options)),
            "run-away loop: block (0, 0, 0) has not ended after 262144 jumps back\n"
            "  test.cu:4: block (0, 0, 0), thread (64, 0, 0) is still here\n"
            "  test.cu:3: block (0, 0, 0), thread (0, 0, 0) waits at __syncthreads()\n");
}

/// Blocks count themselves in at `count`, and wait until all have come.
const char* const waits_for_all = R"(
__device__ void wait_for_all(unsigned* count) {
  atomicAdd(count, 1);
  while (atomicAdd(count, 0) < gridDim.x) {}
}
__device__ __noinline__ unsigned* count_of_grid() {
  unsigned high, low;
  asm("mov.u32 %0, %envreg1;" : "=r"(high));
  asm("mov.u32 %0, %envreg2;" : "=r"(low));
  return reinterpret_cast<unsigned*>((unsigned long long)high << 32 | low) + 1;
}
extern "C" __global__ void wait(unsigned* count) {
  wait_for_all(COUNT);
}
extern "C" __global__ void pass() {}
)";

std::string waiting_at(std::string count) {
  std::string text = waits_for_all;
  return text.replace(text.find("COUNT"), 5, count);
}

/// A sample of them would wait for ever. Another kernel of the text has its sample.
TEST_F(PtxCheck, RunsAllBlocksOfAGridThatHasABarrier) {
  CudaKernel kernel(waiting_at("count_of_grid()"));
  unsigned* const none = nullptr;
  const LaunchOptions options = {.check = true, .most_blocks = 2, .step_budget = 1 << 20};
  const Report report = kernel.run({.grid = {8, 1, 1}}, {none}, options);
  EXPECT_EQ(findings_of(report), "");
  EXPECT_EQ(report.run_blocks, 8);
  EXPECT_TRUE(report.overrules_sample);
  const LoadedModule& module = kernel.module();
  const Report other = launch(module, *module.find("pass"), {.grid = {8, 1, 1}}, {}, options);
  EXPECT_EQ(other.run_blocks, 2);
  EXPECT_FALSE(other.overrules_sample);
}

TEST_F(PtxCheck, TellsOfBlocksThatAreLeftOut) {
  CudaKernel kernel(waiting_at("count"));
  unsigned* const count = kernel.array(std::vector<unsigned>{0}, "count");
  const LaunchOptions options = {.check = true, .most_blocks = 2, .step_budget = 1 << 12};
  EXPECT_THAT(findings_of(kernel.run({.grid = {8, 1, 1}}, {count}, options)),
              testing::HasSubstr("run-away loop: block (2, 0, 0) has not ended after 4096 jumps "
                                 "back; it may wait for a block that is left out\n"));
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
  EXPECT_EQ(
      findings_of(kernel.run({.grid = {8, 1, 1}}, {parts, c, counter})),
      "race: parts[0]\n"
      "  test.cu:3: block (0, 0, 0), thread (0, 0, 0) writes 4 bytes\n"
      "  test.cu:6: block (7, 0, 0), thread (0, 0, 0) reads 4 bytes\n"
      "  Nothing orders two blocks of a launch, unless one fences what it wrote and tells the "
      "other by an atomic update.\n"
      "  and 6 more like it\n");
  EXPECT_EQ(*c, 28);
}

TEST_F(PtxCheck, KnowsWhatAFenceAndACounterOrder) {
  CudaKernel kernel(R"(
extern "C" __global__ void last(float* parts, float* c, unsigned* counter) {
  __shared__ bool is_last;
  parts[blockIdx.x * 64 + threadIdx.x] = blockIdx.x;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (is_last) {
    float s = 0;
    for (int i = threadIdx.x; i < gridDim.x * 64; i += 64) s += parts[i];
    atomicAdd(c, s);
  }
})");
  float* const parts = kernel.unset<float>(512, "parts");
  float* const c = kernel.array(std::vector<float>{0}, "c");
  unsigned* const counter = kernel.array(std::vector<unsigned>{0}, "counter");
  const Report report = kernel.run({.grid = {8, 1, 1}, .block = {64, 1, 1}}, {parts, c, counter});
  EXPECT_EQ(findings_of(report), "");
  EXPECT_EQ(*c, 28 * 64);
}

/// Block 1 copies what block 0 has written, by way of a flag.
std::string findings_of_flag(const std::string& before_write, const std::string& behind_read) {
  CudaKernel kernel(R"(
extern "C" __global__ void pass(int* data, int* flag, int* out) {
  if (blockIdx.x == 0) {
    data[threadIdx.x] = 1;
    )" + before_write +
                    R"(
    if (threadIdx.x == 0) {
      __threadfence();
      atomicExch(flag, 1);
    }
  } else {
    if (threadIdx.x == 0) {
      while (atomicAdd(flag, 0) == 0) {}
      __threadfence();
    }
    )" + behind_read +
                    R"(
    out[threadIdx.x] = data[threadIdx.x];
  }
})");
  int* const data = kernel.unset<int>(64, "data");
  int* const flag = kernel.array(std::vector<int>{0}, "flag");
  int* const out = kernel.unset<int>(64, "out");
  const Report report = kernel.run({.grid = {2, 1, 1}, .block = {64, 1, 1}}, {data, flag, out});
  return findings_of(report);
}

TEST_F(PtxCheck, KnowsThatAFlagOrdersTheThreadsAtABarrierAlone) {
  const std::string barrier = "__syncthreads();";
  const std::string race =
      "race: data[32]\n"
      "  test.cu:4: block (0, 0, 0), thread (32, 0, 0) writes 4 bytes\n"
      "  test.cu:16: block (1, 0, 0), thread (32, 0, 0) reads 4 bytes\n"
      "  Nothing orders two blocks of a launch, unless one fences what it wrote and tells the "
      "other by an atomic update.\n"
      "  and 31 more like it\n";
  EXPECT_EQ(findings_of_flag(barrier, barrier), "");
  EXPECT_EQ(findings_of_flag("", barrier).substr(0, 6), "race: ");
  EXPECT_EQ(findings_of_flag(barrier, ""), race);
}

/// A lock for each list: of thousands of accesses, each pair of blocks has an order of its own.
TEST_F(PtxCheck, KnowsWhatManyLocksOrder) {
  CudaKernel kernel(R"(
extern "C" __global__ void add(int* heads, int* next, int* locks, int n) {
  for (int t = threadIdx.x + blockIdx.x * blockDim.x; t < n; t += blockDim.x * gridDim.x)
    for (int turn = 0; turn < 32; ++turn)
      if (t % 32 == turn) {
        const int list = t * 40503u % 65536u / 256;
        while (atomicCAS(&locks[list], 0, 1) != 0) {}
        __threadfence();
        next[t] = heads[list];
        heads[list] = t;
        __threadfence();
        atomicExch(&locks[list], 0);
      }
})");
  int* const heads = kernel.array(std::vector<int>(256, -1), "heads");
  int* const next = kernel.unset<int>(8192, "next");
  int* const locks = kernel.array(std::vector<int>(256), "locks");
  EXPECT_EQ(findings_of(
                kernel.run({.grid = {8, 1, 1}, .block = {128, 1, 1}}, {heads, next, locks, 8192})),
            "");
}

/// Volatile reads race with plain writes, whoever comes first.
TEST_F(PtxCheck, FindsAPlainWriteBesideAVolatileRead) {
  for (const bool writer_is_late : {false, true}) {
    SCOPED_TRACE(writer_is_late);
    CudaKernel kernel(R"(
extern "C" __global__ void kernel(float* out, int n, int late) {
  __shared__ float tile[64];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x / 32 != late) {
    out[threadIdx.x % 32] = static_cast<volatile float*>(tile)[threadIdx.x % 32];
  } else {
    float sum = 0;
    for (int k = 0; k < n; ++k) sum = sum * 0.5f + k;
    tile[threadIdx.x % 32] = sum;
  }
})");
    float* const out = kernel.unset<float>(32, "out");
    const std::string found = findings_of(
        kernel.run({.block = {64, 1, 1}}, {out, 1000, static_cast<int>(writer_is_late)}));
    EXPECT_THAT(found, testing::StartsWith("race: tile, byte 0\n"));
    EXPECT_THAT(found, testing::HasSubstr("test.cu:11: block (0, 0, 0), thread ("));
    EXPECT_THAT(found, testing::EndsWith("No __syncthreads() stands between the two accesses.\n"
                                         "  and 31 more like it\n"));
  }
}

/// The guard keeps the value out that nobody set: NVRTC joins predicates, of which it is one.
TEST_F(PtxCheck, KnowsPredicatesThatDecideAlone) {
  CudaKernel kernel(R"(
extern "C" __global__ void step(const int* in, int* out, int n) {
  __shared__ int tile[64];
  const int i = threadIdx.x;
  for (int k = i; k < n; k += 32) tile[k] = in[k];
  __syncthreads();
  int x[2] = {tile[2 * i], tile[2 * i + 1]};
  if (2 * i + 1 < n && x[1] < x[0]) {
    const int other = x[0];
    x[0] = x[1];
    x[1] = other;
  }
  __syncthreads();
  tile[2 * i] = x[0];
  tile[2 * i + 1] = x[1];
  __syncthreads();
  for (int k = i; k < n; k += 32) out[k] = tile[k];
})");
  const int* const in = kernel.array(std::vector<int>(51), "in");
  int* const out = kernel.unset<int>(51, "out");
  EXPECT_EQ(findings_of(kernel.run({.block = {32, 1, 1}}, {in, out, 51})), "");
  EXPECT_THAT(findings_of(kernel.run({.block = {32, 1, 1}}, {in, out, 50})), "");
  EXPECT_THAT(findings_of(kernel.run({.block = {32, 1, 1}}, {in, out, 52})),
              testing::StartsWith("access out of bounds"));
}

/// A block writes so to a place.
ShadowCell written(uint32_t value, bool has_several) {
  ShadowCell cell;
  cell.write = Stamp::of(1, 0, 0);
  cell.value = value;
  cell.is_set = has_several;
  return cell;
}

/// Memory changes while blocks run at the same time, and must not be asked for old values.
TEST(PtxGridShadow, ComparesTheValuesThatBlocksWrite) {
  const auto are_equal = [](std::initializer_list<ShadowCell> blocks) {
    GridShadow shadow;
    std::string equal;
    int64_t block = 0;
    for (const ShadowCell& cell : blocks)
      shadow.add(block++, 7, cell, [&](int64_t, GridStamp, GridStamp, bool same) {
        equal += same ? "equal " : "other ";
      });
    return equal;
  };
  EXPECT_EQ(are_equal({written(3, false), written(3, false), written(3, false)}), "equal equal ");
  EXPECT_EQ(are_equal({written(3, false), written(4, false), written(3, false)}), "other equal ");
  EXPECT_EQ(are_equal({written(3, true), written(3, false)}), "other ");
  EXPECT_EQ(are_equal({written(3, false), written(3, true)}), "other ");
}

}  // namespace
}  // namespace hone::ptx
