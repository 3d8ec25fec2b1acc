// The time of a block alone: the cache, the pipes, the clock of a warp, and blocks of CUDA text.

#include "runtime/ptx/pace/pace.h"

#include <gtest/gtest.h>

#include "runtime/ptx/count/l1_cache.h"
#include "runtime/ptx/machine/program.h"
#include "runtime/ptx/pace/warp_clock.h"
#include "runtime/ptx/text/parser.h"
#include "tests/support/ptx/cuda_kernel.h"

namespace hone::ptx {
namespace pace_test {

// ---- The cache ----------------------------------------------------------------------------------

/// Lanes that ask for neighbouring floats.
WarpAccess floats_from(int64_t address, int64_t stride = 4) {
  WarpAccess access;
  access.active = ~0u;
  for (int lane = 0; lane < lanes; ++lane) access.addresses[lane] = address + lane * stride;
  return access;
}

TEST(L1Cache, HasWhatWasLoaded) {
  L1Cache cache(1 << 16);
  EXPECT_EQ(cache.load(floats_from(0)).sectors, 4);
  EXPECT_EQ(cache.load(floats_from(0)).sectors, 0);
  EXPECT_EQ(cache.load(floats_from(64)).sectors, 2);
  const MissedSectors column = cache.load(floats_from(4096, 256));
  EXPECT_EQ(column.sectors, 32);
  EXPECT_EQ(column.first, 32);
  EXPECT_EQ(cache.load(floats_from(4096 + 4, 256)).sectors, 0);
}

TEST(L1Cache, MakesRoomForWhatIsNew) {
  L1Cache cache(16 * 128);
  for (int line = 0; line < 17; ++line) cache.load(floats_from(line * 128));
  const MissedSectors again = cache.load(floats_from(0));
  EXPECT_EQ(again.sectors, 4);
  EXPECT_EQ(again.first, 0);
  EXPECT_EQ(cache.load(floats_from(16 * 128)).sectors, 0);
}

TEST(L1Cache, IsPassedBy) {
  L1Cache none(0), cache(1 << 16);
  for (int time = 0; time < 2; ++time) {
    EXPECT_EQ(none.load(floats_from(0)).sectors, 4);
    EXPECT_EQ(cache.load(floats_from(0), /*is_cached=*/false).sectors, 4);
  }
}

TEST(L1Cache, CountsStretches) {
  L1Cache cache(1 << 16);
  EXPECT_EQ(cache.stretches(), 0);
  for (const int64_t line : {0, 1, 2, 10, 12, 11}) cache.load(floats_from(line * 128));
  EXPECT_EQ(cache.stretches(), 2);
}

// ---- Pipes --------------------------------------------------------------------------------------

/// Of an instruction of PTX.
template <class Value>
auto of_instruction(const std::string& text, Value value) {
  const Module module = parse(
      ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k() {\n"
      ".reg .b32 %r<9>; .reg .f32 %f<9>; .reg .b64 %rd<9>; .reg .f64 %d<9>; .reg .pred %p<3>;\n" +
      text + "\nret;\n}\n");
  return value(module.functions.front().instructions.front());
}

Pipe pipe_of(const std::string& text) {
  return of_instruction(text, [](const Instruction& one) { return use_of(one).pipe; });
}

TEST(Pipes, AreThoseOfTypeAndOperation) {
  EXPECT_EQ(pipe_of("fma.rn.f32 %f1, %f2, %f3, %f4;"), Pipe::fma);
  EXPECT_EQ(pipe_of("mad.lo.s32 %r1, %r2, %r3, %r4;"), Pipe::fma);
  EXPECT_EQ(pipe_of("add.s32 %r1, %r2, %r3;"), Pipe::alu);
  EXPECT_EQ(pipe_of("setp.lt.s32 %p1, %r1, %r2;"), Pipe::alu);
  EXPECT_EQ(pipe_of("fma.rn.f64 %d1, %d2, %d3, %d4;"), Pipe::fp64);
  EXPECT_EQ(pipe_of("ex2.approx.f32 %f1, %f2;"), Pipe::special);
  EXPECT_EQ(pipe_of("cvt.rn.f32.s32 %f1, %r1;"), Pipe::special);
  EXPECT_EQ(pipe_of("cvt.u64.u32 %rd1, %r1;"), Pipe::alu);
  EXPECT_EQ(pipe_of("ld.shared.f32 %f1, [%r1];"), Pipe::memory);
  EXPECT_EQ(pipe_of("bar.sync 0;"), Pipe::control);
  EXPECT_EQ(pipe_of("mov.u32 %r1, %tid.x;"), Pipe::none);
}

double products(const std::string& text) {
  return of_instruction(text, [](const Instruction& one) { return products_of(one); });
}

TEST(Pipes, CountProductsOfTensorCores) {
  EXPECT_EQ(products("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                     "{%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4};"),
            16 * 8 * 16);
  EXPECT_EQ(products("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                     "{%f1,%f2,%f3,%f4}, {%r1,%r2,%r3,%r4}, {%r5,%r6}, {%f1,%f2,%f3,%f4};"),
            2 * 16 * 8 * 8);
  EXPECT_EQ(products("add.s32 %r1, %r2, %r3;"), 0);
}

// ---- The clock of a warp ------------------------------------------------------------------------

Step step_of(Pipe pipe, double latency, std::vector<uint32_t> reads, std::vector<uint32_t> writes) {
  Step step;
  step.pipe = pipe;
  step.slots = step.pipe_slots = 1;
  step.latency = latency;
  step.reads.assign(reads.begin(), reads.end());
  step.writes.assign(writes.begin(), writes.end());
  return step;
}

double clocks_of(std::vector<Step> steps, double beside) {
  WarpClock clock(8);
  for (const Step& step : steps) clock.run(step, beside);
  clock.end_part();
  return clock.now();
}

TEST(WarpClock, WaitsForOperands) {
  const Step load = step_of(Pipe::memory, 100, {}, {0});
  const Step use = step_of(Pipe::alu, 4, {0}, {1}), other = step_of(Pipe::alu, 4, {2}, {3});
  EXPECT_EQ(clocks_of({load, use}, 1), 101);
  EXPECT_EQ(clocks_of({load, other}, 1), 2);
  // In the order of the machine, the other one begins first.
  Step early = other, late = use;
  early.place = 1;
  late.place = 2;
  EXPECT_EQ(clocks_of({load, late, early}, 1), 101);
}

TEST(WarpClock, SharesSchedulersAndPipes) {
  const Step add = step_of(Pipe::alu, 4, {}, {});
  EXPECT_EQ(clocks_of({add, add, add, add}, 1), 4);
  EXPECT_EQ(clocks_of({add, add, add, add}, 8), 3 * 4 + 2);  // 8 of them take the pipe 4 clocks
  Step load = step_of(Pipe::memory, 30, {}, {0});
  load.passes = 2;
  EXPECT_EQ(clocks_of({load, step_of(Pipe::alu, 4, {0}, {})}, 1), 2 + 30 + 1);
}

TEST(WarpClock, WaitsForGroupsOfCopies) {
  Step copy = step_of(Pipe::memory, 500, {}, {}), commit = step_of(Pipe::memory, 0, {}, {}),
       wait = commit;
  copy.kind = Step::Kind::copy;
  commit.kind = Step::Kind::commit;
  wait.kind = Step::Kind::wait;
  wait.outstanding = 1;
  EXPECT_LT(clocks_of({copy, commit, wait}, 1), 10);
  EXPECT_GE(clocks_of({copy, commit, copy, commit, wait}, 1), 500);
}

// ---- Blocks -------------------------------------------------------------------------------------

class Pace : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

constexpr const char* chain = R"(
extern "C" __global__ void chain(const int* next, int* out, int steps) {
  int at = threadIdx.x;
  for (int n = 0; n < steps; ++n) at = next[at];
  out[threadIdx.x] = at;
})";

BlockPace pace_of_chain(int steps, double dram_share) {
  CudaKernel kernel(chain, "sm_90");
  std::vector<int> next(1 << 18);
  for (size_t n = 0; n < next.size(); ++n) next[n] = static_cast<int>((n + 4096) % next.size());
  const int* const in = kernel.array(next, "next");
  int* const out = kernel.unset<int>(32, "out");
  const LaunchShape shape = {.block = {32, 1, 1}};
  const Report report = kernel.run(shape, {in, out, steps}, {.count = true});
  const auto pace = kernel.pace(shape, {in, out, steps}, report.counts, dram_share);
  EXPECT_TRUE(pace.has_value());
  return pace.value_or(BlockPace());
}

TEST_F(Pace, OfAChainOfLoadsIsThatOfTheirLatencies) {
  const BlockPace from_l2 = pace_of_chain(16, 0), from_dram = pace_of_chain(16, 1);
  EXPECT_NEAR(from_l2.clocks, 16 * l2_latency, 16 * 30 + 100);
  EXPECT_NEAR(from_dram.clocks - from_l2.clocks, 16 * (dram_latency - l2_latency), 100);
  EXPECT_NEAR(pace_of_chain(32, 0).clocks, 2 * from_l2.clocks, 300);
}

constexpr const char* waits = R"(
extern "C" __global__ void waits(volatile int* flag) {
  if (blockIdx.x == 0) *flag = 1;
  else while (*flag == 0) {}
})";

TEST_F(Pace, IsNotKnownOfABlockThatWaitsForOthers) {
  CudaKernel kernel(waits);
  int* const flag = kernel.array(std::vector<int>(1), "flag");
  const LaunchShape shape = {.grid = {3, 1, 1}, .block = {32, 1, 1}};
  LaunchCounts counts;
  counts.full_block = 1;
  EXPECT_FALSE(kernel.pace(shape, {flag}, counts, 0).has_value());
}

constexpr const char* uneven = R"(
extern "C" __global__ void uneven(float* out, int full) {
  float sum = 0;
  if (blockIdx.x < full)
    for (int n = 0; n < 1000; ++n) sum += sum * 0.5f + n;
  out[blockIdx.x * 32 + threadIdx.x] = sum;
})";

/// Blocks with nothing to do, as the last ones of a persistent kernel, say nothing of the others.
TEST_F(Pace, IsThatOfABlockWithMostInstructions) {
  CudaKernel kernel(uneven, "sm_90");
  float* const out = kernel.unset<float>(16 * 32, "out");
  const LaunchShape shape = {.grid = {16, 1, 1}, .block = {32, 1, 1}};
  const auto counts_of = [&](int full) {
    return kernel.run(shape, {out, full}, {.count = true}).counts;
  };
  EXPECT_EQ(counts_of(16).full_block, 8);
  EXPECT_EQ(counts_of(16).busy_blocks, 16);
  const LaunchCounts counts = counts_of(5);
  EXPECT_EQ(counts.full_block, 4);
  EXPECT_EQ(counts.busy_blocks, 5);
  EXPECT_GT(kernel.pace(shape, {out, 5}, counts, 0)->clocks, 4000);
}

TEST(WarpClock, MultipliesWhileItReadsSharedMemory) {
  Step product = step_of(Pipe::tensor, 33, {}, {0});
  product.products = 65536;
  product.passes = 20;
  EXPECT_EQ(product.pipe_clocks(), 32);
  product.passes = 40;
  EXPECT_EQ(product.pipe_clocks(), 40);
}

constexpr const char* conditions = R"(
extern "C" __global__ void conditions(const float* in, float* out, int n) {
  float sum = 0;
  for (int k = 0; k < 64; ++k) {
    int i = threadIdx.x + 32 * k;
    sum += i < n ? in[i] : 1.0f;
  }
  out[threadIdx.x] = sum;
})";

/// Machine code executes both sides of small conditions.
TEST_F(Pace, CountsInstructionsThatPtxPassesBy) {
  const auto instructions = [](int n) {
    CudaKernel kernel(conditions, "sm_90");
    const float* const in = kernel.array(std::vector<float>(64 * 32), "in");
    float* const out = kernel.unset<float>(32, "out");
    const LaunchShape shape = {.block = {32, 1, 1}};
    const Report report = kernel.run(shape, {in, out, n}, {.count = true});
    return kernel.pace(shape, {in, out, n}, report.counts, 0)->instructions;
  };
  EXPECT_GT(instructions(64 * 32), 64 * 2);
  EXPECT_NEAR(instructions(32), instructions(64 * 32), 0.2 * instructions(64 * 32));
}

/// Behind EXIT stand a jump to itself and, up to the next line of the cache, NOP.
TEST_F(Pace, LeavesOutCodeThatNothingComesTo) {
  CudaKernel kernel("extern \"C\" __global__ void store(int* x) { *x = 1; }", "sm_90");
  int* const x = kernel.unset<int>(1, "x");
  const Report report = kernel.run({}, {x}, {.count = true});
  const BlockPace pace = *kernel.pace({}, {x}, report.counts, 0);
  EXPECT_GE(pace.instructions, 3);  // the value, the store, the end
  EXPECT_LE(pace.instructions, 7);
}

TEST_F(Pace, HasTheLinesThatClocksAndInstructionsAreOf) {
  CudaKernel kernel(R"(
extern "C" __global__ void waits(const float* in, float* out) {
  float x = in[threadIdx.x];
  x = x * x + 1;
  out[threadIdx.x] = x;
})",
                    "sm_90");
  const float* const in = kernel.array(std::vector<float>(32), "in");
  float* const out = kernel.unset<float>(32, "out");
  const LaunchShape shape = {.block = {32, 1, 1}};
  const Report report = kernel.run(shape, {in, out}, {.count = true});
  const BlockPace pace = *kernel.pace(shape, {in, out}, report.counts, 0);
  double instructions = 0, clocks = 0, of_product = 0;
  for (const LinePace& line : pace.lines) {
    instructions += line.instructions;
    clocks += line.clocks;
    if (line.line == 4) of_product = line.clocks;
  }
  EXPECT_NEAR(instructions, pace.instructions, 1e-9);
  EXPECT_NEAR(clocks, pace.clocks, 1e-9);
  EXPECT_GE(of_product, l2_latency / 2);  // it waits for the load
}

/// A block of a kernel with `float* out, int n`.
BlockPace pace_of(const char* text, int n) {
  CudaKernel kernel(text, "sm_90");
  double* const out = kernel.unset<double>(32, "out");
  const LaunchShape shape = {.block = {32, 1, 1}};
  const Report report = kernel.run(shape, {out, n}, {.count = true});
  return *kernel.pace(shape, {out, n}, report.counts, 0);
}

/// Instructions that ptxas adds for very small numbers are of other pipes.
TEST_F(Pace, CountsASpecialFunctionOnce) {
  const BlockPace pace = pace_of(R"(
extern "C" __global__ void roots(double* out, int n) {
  float x = threadIdx.x + 2;
  for (int i = 0; i < n; ++i) x = rsqrtf(x);
  out[threadIdx.x] = x;
})",
                                 512);
  const double roots = pace.by_pipe[static_cast<size_t>(Pipe::special)];
  EXPECT_GE(roots, 512);
  EXPECT_LE(roots, 520);
  EXPECT_GE(pace.instructions, 4 * 512);
}

/// ptxas unrolls the loop; no integer of its body tells how often.
TEST_F(Pace, CountsDoublesOfALoopThatIsUnrolled) {
  const BlockPace pace = pace_of(R"(
extern "C" __global__ void doubles(double* out, int n) {
  double x = threadIdx.x;
  for (int i = 0; i < n; ++i) x = x * 3 + 1;
  out[threadIdx.x] = x;
})",
                                 512);
  EXPECT_NEAR(pace.by_pipe[static_cast<size_t>(Pipe::fp64)], 512, 26);
}

constexpr const char* calls = R"(
__device__ __noinline__ float power(float x, int n) {
  for (int i = 0; i < n; ++i) x = x * x + 1.0f;
  return x;
}
extern "C" __global__ void calls(float* out, int n) {
  out[threadIdx.x] = power(threadIdx.x, n);
})";

TEST_F(Pace, HasTheTimeOfFunctionsThatAreCalled) {
  const auto pace_of = [](int n) {
    CudaKernel kernel(calls, "sm_90");
    float* const out = kernel.unset<float>(32, "out");
    const LaunchShape shape = {.block = {32, 1, 1}};
    const Report report = kernel.run(shape, {out, n}, {.count = true});
    return *kernel.pace(shape, {out, n}, report.counts, 0);
  };
  const BlockPace few = pace_of(64), many = pace_of(640);
  EXPECT_GE(many.instructions - few.instructions, 576);
  EXPECT_GE(many.clocks - few.clocks, 576);
}

}  // namespace pace_test
}  // namespace hone::ptx
