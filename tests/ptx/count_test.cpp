// The requests of CUDA text to memory, counted.

#include <gtest/gtest.h>

#include <set>

#include "runtime/nvrtc/nvrtc.h"
#include "runtime/ptx/count/as_compiled.h"
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

/// Words that all blocks update have as many more updates as there are blocks that are not counted;
/// those of one block have its own.
TEST_F(PtxCounts, NameTheUpdatesOfTheWordThatHasMost) {
  CudaKernel kernel(R"(
extern "C" __global__ void update(int* counts, int of_all) {
  atomicAdd(of_all ? &counts[threadIdx.x % 4] : &counts[blockIdx.x * 32 + threadIdx.x], 1);
})");
  int* const counts = kernel.array(std::vector<int>(16 * 32), "counts");
  const auto updates = [&](int of_all, int64_t most_blocks) {
    return kernel
        .run({.grid = {16, 1, 1}, .block = {32, 1, 1}}, {counts, of_all},
             {.count = true, .most_blocks = most_blocks})
        .counts.updates_of_word;
  };
  EXPECT_EQ(updates(1, 0), 16 * 8);
  EXPECT_EQ(updates(1, 4), 16 * 8);
  EXPECT_EQ(updates(0, 0), 1);
  EXPECT_EQ(updates(0, 4), 1);
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
  EXPECT_EQ(report.counts.shuffles, (WarpCounts{1, 8}));
  EXPECT_EQ(report.counts.branches, 1);
  EXPECT_EQ(report.counts.divergent_branches, 1);
}

// ---- As compiled --------------------------------------------------------------------------------

/// Reads rows of a tile by neighbours, which machine code reads together.
constexpr const char* row_sums = R"(
extern "C" __global__ void row_sums(const float* in, float* out, int rows) {
  __shared__ float tile[64][20];
  for (int i = threadIdx.x; i < 64 * 20; i += 32) tile[0][i] = in[i];
  __syncthreads();
  if (threadIdx.x >= rows) return;
  float sum = 0;
  for (int n = 0; n < 10; ++n) sum += tile[threadIdx.x][n];
  out[threadIdx.x] = sum;
})";

Report count_row_sums(const std::string& arch, int rows) {
  CudaKernel kernel(row_sums, arch);
  const float* const in = kernel.array(std::vector<float>(64 * 20), "in");
  float* const out = kernel.unset<float>(64, "out");
  return kernel.run({.block = {32, 1, 1}}, {in, out, rows}, {.count = true});
}

TEST_F(PtxCounts, AreThoseOfMachineCodeWhereItIsKnown) {
  const Report in_ptx = count_row_sums("compute_90", 32), compiled = count_row_sums("sm_90", 32);
  EXPECT_FALSE(in_ptx.counts.is_compiled);
  EXPECT_TRUE(compiled.counts.is_compiled);
  EXPECT_EQ(total(in_ptx, AccessClass::shared_load).requests, 10);
  // Two reads of 16 bytes and one of 8.
  EXPECT_EQ(total(compiled, AccessClass::shared_load).requests, 3);
  EXPECT_EQ(total(compiled, AccessClass::shared_load).bytes, 32 * 40);
  EXPECT_EQ(total(compiled, AccessClass::global_store).requests, 1);
}

TEST_F(PtxCounts, OfACubinWithoutLinesAreThoseOfPtx) {
  CompileJob job = {row_sums, "test", "sm_90", {}, ""};
  Memory memory;
  const Compiled plain = nvrtc_compile(job);
  EXPECT_TRUE(LoadedModule(plain.ptx, memory, plain.cubin).as_compiled().accesses.empty());
  job.options = {"-lineinfo"};
  const Compiled lined = nvrtc_compile(job);
  EXPECT_FALSE(LoadedModule(lined.ptx, memory, lined.cubin).as_compiled().accesses.empty());
  const std::string other = "extern \"C\" __global__ void other(float* x) { *x = 1; }";
  EXPECT_TRUE(LoadedModule(nvrtc_compile({other, "test", "sm_90", {}, ""}).ptx, memory, lined.cubin)
                  .as_compiled()
                  .accesses.empty());
}

/// Registers that do not fit are stored at the line of some access, which is none of theirs.
TEST_F(PtxCounts, OfSpilledRegistersAreNoAccesses) {
  const std::string source = R"(
extern "C" __global__ void __launch_bounds__(1024) many(const float* in, float* out) {
  float x[96];
  #pragma unroll
  for (int i = 0; i < 96; ++i) x[i] = in[32 * i + threadIdx.x];
  #pragma unroll
  for (int i = 0; i < 96; ++i) out[32 * i + threadIdx.x] = x[95 - i] * x[i] + x[(i * 7) % 96];
})";
  CudaKernel kernel(source, "sm_90");
  const float* const in = kernel.array(std::vector<float>(96 * 32), "in");
  float* const out = kernel.unset<float>(96 * 32, "out");
  const Report report = kernel.run({.block = {32, 1, 1}}, {in, out}, {.count = true});
  EXPECT_TRUE(report.counts.is_compiled);
  EXPECT_EQ(total(report, AccessClass::global_load).requests, 96);
  EXPECT_EQ(total(report, AccessClass::global_store).requests, 96);
}

TEST_F(PtxCounts, HaveTheLanesThatAreThere) {
  const MemoryCounts loads = total(count_row_sums("sm_90", 21), AccessClass::shared_load);
  EXPECT_EQ(loads.requests, 3);
  EXPECT_EQ(loads.bytes, 21 * 40);
}

TEST_F(PtxCounts, TellOfArrays) {
  const Report report = count_row_sums("sm_90", 32);
  std::set<std::string> arrays;
  for (const AccessCounts& access : report.counts.accesses) arrays.insert(access.array);
  EXPECT_EQ(arrays, (std::set<std::string>{"in", "out", "tile"}));
  int64_t merged = 0;
  for (const AccessCounts& access : report.counts.accesses)
    merged += access.in_ptx.requests > 0 && access.counts.requests == 0;
  EXPECT_EQ(merged, 7);
}

}  // namespace
}  // namespace hone::ptx
