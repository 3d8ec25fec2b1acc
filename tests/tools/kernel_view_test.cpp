// hone check FILE.cu --trace, --break.

#include "tools/cli/cuda/kernel_view.h"

#include "command.h"
#include "runtime/files.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace kernel_view_test {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* steps_text = R"(__device__ float square(float v) { return v * v; }
__global__ void steps(int n, const float* x, float* y, int* count) {
  __shared__ int last[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  last[threadIdx.x] = -i;
  __syncthreads();
  unsigned mask = __ballot_sync(0xff, i < n);
  if (i < n) {
    y[i] = square(x[i]) + last[threadIdx.x ^ 1];
    int old = atomicAdd(count, 2);
    y[i + n] = __shfl_xor_sync(mask, y[i], 1) + old;
  }
}
__global__ void sums(const float* x, float* y, int n) {
  float sum = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i)
    sum += x[i + threadIdx.x];
  y[threadIdx.x] = sum;
}
)";

/// Files of kernels, and command lines about them.
class KernelViews : public testing::Test {
 protected:
  void SetUp() override {
    if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
    write_new_file(file_, steps_text);
  }
  /// A launch of 2 blocks of 8 threads, of which 12 have an element.
  std::vector<std::string> steps(std::vector<std::string> more) const {
    return with(more,
                {"check", file_, "--kernel=steps", "--grid=2", "--block=8", "-DN=12", "--arg=i32:N",
                 "--arg=f32:arange:N", "--arg=f32:unset:N*2", "--arg=i32:0:1"});
  }
  std::vector<std::string> sums(int n, std::vector<std::string> more) const {
    return with(more, {"run", file_, "--kernel=sums", "--grid=1", "--block=4", "--arg=f32:arange:8",
                       "--arg=f32:unset:4", fmt::format("--arg=i32:{}", n)});
  }
  static std::vector<std::string> with(const std::vector<std::string>& more,
                                       std::vector<std::string> words) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  TemporaryFolder folder_;
  const std::string file_ = folder_.file("steps.cu");
};

// ---- --trace ------------------------------------------------------------------------------------

TEST_F(KernelViews, ATraceHasTheLinesOfAThreadWithTheirValues) {
  const CommandResult result = hone(steps({"--trace=block:1,thread:3"}));
  EXPECT_EQ(result.complained, "");
  EXPECT_EQ(result.printed, fmt::format(R"(thread (3, 0, 0) of block (1, 0, 0):
steps.cu:4      int i = blockIdx.x * blockDim.x + threadIdx.x;
                  blockDim.x = 8, blockIdx.x = 1, threadIdx.x = 3, = 11
steps.cu:5      last[threadIdx.x] = -i;
                  writes last[3] = -11
steps.cu:6      __syncthreads();
                  waits for its block
steps.cu:7      unsigned mask = __ballot_sync(0xff, i < n);
                  11 < 12, vote.sync.ballot.b32 = 0x0000000f
steps.cu:8      if (i < n) {{
                  11 < 12: goes on
steps.cu:9      y[i] = square(x[i]) + last[threadIdx.x ^ 1];
                  reads x[11] = 11, reads last[2] = -10, writes y[11] = 111
steps.cu:10     int old = atomicAdd(count, 2);
                  atomicAdd of 2 at count[0], returns 22
steps.cu:11     y[i + n] = __shfl_xor_sync(mask, y[i], 1) + old;
                  reads y[11] = 111, gets 89 from lane 2, writes y[23] = 111
{}: steps: no findings in 2 blocks of 8 threads
)",
                                        file_));
  EXPECT_EQ(result.status, 0);
}

TEST_F(KernelViews, ATraceFollowsTheBranchesOfItsThread) {
  EXPECT_THAT(hone(steps({"--trace=block:1,thread:4"})).printed, HasSubstr(R"(
steps.cu:8      if (i < n) {
                  12 >= 12: jumps to line 13
)"));
}

TEST_F(KernelViews, ATraceHasEachTripOfALoopUpToALimit) {
  const std::string first = R"(thread (2, 0, 0) of block (0, 0, 0):
steps.cu:14     __global__ void sums(const float* x, float* y, int n) {
                  threadIdx.x = 2
steps.cu:17     for (int i = 0; i < n; ++i)
                  2 >= 1: goes on
steps.cu:18     sum += x[i + threadIdx.x];
                  reads x[2] = 2, = 2
steps.cu:17     for (int i = 0; i < n; ++i)
                  1 < 2: jumps to line 18
)";
  EXPECT_THAT(hone(sums(2, {"--trace=thread:2"})).printed,
              StartsWith(first + R"(steps.cu:18     sum += x[i + threadIdx.x];
                  reads x[3] = 3, = 5
steps.cu:17     for (int i = 0; i < n; ++i)
                  2 >= 2: goes on
steps.cu:19     y[threadIdx.x] = sum;
                  writes y[2] = 5
)"));
  EXPECT_THAT(hone(sums(2, {"--trace=thread:2", "--trace-limit=4"})).printed,
              StartsWith(first + "... and 3 more lines; --trace-limit=7 shows all\n"));
}

TEST_F(KernelViews, ATraceEndsWhereTheLaunchDoes) {
  const CommandResult result =
      hone({"run", file_, "--kernel=sums", "--grid=1", "--block=4", "--arg=ptr:0",
            "--arg=f32:unset:4", "--arg=i32:1", "--trace=block:0"});
  EXPECT_THAT(result.printed, EndsWith("steps.cu:18     sum += x[i + threadIdx.x];\n"
                                       "                  reads from the null pointer, and 0 "
                                       "bytes more: the launch ends here\n"));
  EXPECT_EQ(result.status, 1);
}

constexpr const char* rare_text = R"(__device__ __noinline__ int twice(int v) { return v + v; }
extern __shared__ short dyn[];
__constant__ float weights[3];
__global__ void rare(const float4* x, unsigned char* flags, int n, float* out) {
  int t = threadIdx.x;
  if (t > 2 && t < n) flags[t] = 200;
  int k = twice(t);
  dyn[t] = k * 3;
  int local[4];
  for (int j = 0; j < 4; ++j) local[j] = j * k;
  float4 v = x[t];
  out[t] = v.w + local[(t + n) & 3] + weights[1];
  if (v.x < 0 || __any_sync(0xff, t > n)) atomicExch(&out[t], 2);
}
)";

TEST_F(KernelViews, ATraceHasTypesAndNamesOfAllMemory) {
  const std::string file = folder_.file("rare.cu");
  write_new_file(file, rare_text);
  EXPECT_THAT(hone({"run", file, "--grid=1", "--block=8", "--shared=16", "--arg=f32:arange:32",
                    "--arg=u8:zeros:8", "--arg=i32:5", "--arg=f32:unset:8", "--trace=thread:3",
                    "--set=weights=f32:0.5:3"})
                  .printed,
              StartsWith(R"(thread (3, 0, 0) of block (0, 0, 0):
rare.cu:5       int t = threadIdx.x;
                  threadIdx.x = 3
rare.cu:6       if (t > 2 && t < n) flags[t] = 200;
                  3 > 2, 3 < 5, jumps to line 6, writes flags[3] = 200
rare.cu:7       int k = twice(t);
                  calls twice(int)
rare.cu:8       dyn[t] = k * 3;
                  writes dyn[3] = 18
rare.cu:10      for (int j = 0; j < 4; ++j) local[j] = j * k;
                  writes local memory, byte 0 = 0, 6, 12, 18
rare.cu:11      float4 v = x[t];
                  reads x[12..15] = 12, 13, 14, 15
rare.cu:12      out[t] = v.w + local[(t + n) & 3] + weights[1];
                  reads local memory, byte 0 = 0, reads weights[1] = 0.5, writes out[3] = 15.5
rare.cu:13      if (v.x < 0 || __any_sync(0xff, t > n)) atomicExch(&out[t], 2);
                  12 >= 0: goes on, 3 <= 5, vote.sync.any.pred = true, goes on,
                  atomicExch of 2 at out[3], returns 15.5
)"));
}

// ---- --break ------------------------------------------------------------------------------------

TEST_F(KernelViews, ABreakHasTheLanesOfAWarpAtALine) {
  const CommandResult result = hone(steps({"--break=11", "--trace=block:1"}));
  EXPECT_EQ(result.complained, "");
  EXPECT_EQ(result.printed, fmt::format(R"({0}:11: warp 0 of block (1, 0, 0), 4 of 8 lanes are here
    y[i + n] = __shfl_xor_sync(mask, y[i], 1) + old;
  lane  thread           reads y     shuffle        %f5  %f6  writes y
     0  (0, 0, 0)        [8] = 55    73 of lane 1   16   89   [20] = 89
     1  (1, 0, 0)        [9] = 73    55 of lane 0   18   73   [21] = 73
     2  (2, 0, 0)        [10] = 89   111 of lane 3  20   131  [22] = 131
     3  (3, 0, 0)        [11] = 111  89 of lane 2   22   111  [23] = 111
  elsewhere: lanes 4 to 7
{0}: steps: no findings in 2 blocks of 8 threads
)",
                                        file_));
}

TEST_F(KernelViews, ABreakTellsOnceWhatAllLanesHave) {
  EXPECT_THAT(hone(steps({"--break=4"})).printed,
              HasSubstr("     7  (7, 0, 0)        7            7\n"
                        "  in all lanes that are here:\n"
                        "    blockDim.x = 8, blockIdx.x = 0\n"));
}

TEST_F(KernelViews, ABreakWaitsForALaterVisit) {
  EXPECT_THAT(hone(sums(3, {"--break=steps.cu:18:2", "--trace=thread:1"})).printed, HasSubstr(R"(
  lane  thread           reads x  %f8
     0  (0, 0, 0)        [1] = 1  1
     1  (1, 0, 0)        [2] = 2  3
     2  (2, 0, 0)        [3] = 3  5
     3  (3, 0, 0)        [4] = 4  7
)"));
  EXPECT_THAT(hone(sums(3, {"--break=18:4"})).printed,
              StartsWith("--break=18:4: the warp of thread (0, 0, 0) of block (0, 0, 0) comes "
                         "there 3 times\n"));
}

TEST_F(KernelViews, ABlockThatDoesNotRunIsTold) {
  EXPECT_THAT(hone(steps({"--trace=block:0", "--blocks=1"})).printed,
              StartsWith("block (0, 0, 0) has not run: --blocks leaves it out, or the launch ended "
                         "before\n"));
}

// ---- Refusals -----------------------------------------------------------------------------------

TEST_F(KernelViews, ThreadsAndLinesThatAreNotThereAreRefused) {
  expect_failure(sums(3, {"--trace=thread:3,1"}),
                 "there is no thread (3, 1, 0) in a block of (4, 1, 1)");
  expect_failure(sums(3, {"--trace=block (1, 0, 0), thread (0, 0, 0)"}),
                 "there is no block (1, 0, 0) in a grid of (1, 1, 1)");
  expect_failure(sums(3, {"--break=16"}),
                 "the kernel has no code of line 16 of steps.cu; lines with code are 14, 17 to 20");
  expect_failure(sums(3, {"--break=half.h:16"}), "the kernel has no code of a file half.h");
}

TEST_F(KernelViews, OptionsThatSayNothingAreRefused) {
  for (const char* text : {"x", "block", "thread:a", "thread:1,2,3,4", "1,2"})
    expect_usage_error(sums(3, {fmt::format("--trace={}", text)}),
                       fmt::format("--trace takes block:X,Y,Z,thread:X,Y,Z, got '{}'", text));
  for (const char* text : {"x", "0", "3:0", "a.cu", "a.cu:1:2:3"})
    expect_usage_error(sums(3, {fmt::format("--break={}", text)}),
                       fmt::format("--break takes [FILE:]LINE[:COUNT], got '{}'", text));
  expect_usage_error(sums(3, {"--trace=thread:1", "--trace-limit=0"}),
                     "--trace-limit takes a number from 1 on, got '0'");
  expect_usage_error(sums(3, {"--break=3", "--json"}),
                     "--break prints text, and --json prints data; leave one of them out");
}

TEST(KernelViewOptions, AThreadIsNamedAsFindingsNameIt) {
  const ptx::ThreadChoice choice = read_thread_choice("block (3, 1, 0), thread (232, 0, 2)");
  EXPECT_EQ(choice.block, (std::array<int64_t, 3>{3, 1, 0}));
  EXPECT_EQ(choice.thread, (std::array<int64_t, 3>{232, 0, 2}));
  EXPECT_EQ(read_thread_choice("block=2,thread=5").thread, (std::array<int64_t, 3>{5, 0, 0}));
}

TEST(KernelViewOptions, ALineMayHaveAFileAndACount) {
  const ptx::LineChoice choice = read_line_choice("a.cuh:12:3");
  EXPECT_EQ(choice.file, "a.cuh");
  EXPECT_EQ(choice.line, 12);
  EXPECT_EQ(choice.visit, 3);
  EXPECT_EQ(read_line_choice("7:2").visit, 2);
  EXPECT_EQ(read_line_choice("7").file, "");
}

}  // namespace kernel_view_test
}  // namespace hone
