// `run FILE.cu --device=cuda`: on a GPU, and what reaches the driver of a fake one.
#include "command.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/fake_cuda.h"
#include "tests/support/runtime/temporary_folder.h"
#include "tools/cli/cuda/kernel_run.h"

namespace hone {
namespace kernel_device_test {

using testing::HasSubstr;

constexpr const char* text = R"(#include <cstdio>
__constant__ int scale;
__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void scaled(int* x) { x[threadIdx.x] *= scale; }
__global__ void ranks(unsigned* x) {
  extern __shared__ unsigned s[];
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  s[blockDim.x * 600 + threadIdx.x] = rank;
  __syncthreads();
  x[blockIdx.x * blockDim.x + threadIdx.x] = s[blockDim.x * 600 + threadIdx.x];
}
__global__ void __cluster_dims__(2, 1, 1) own(int* x) { x[blockIdx.x] = 1; }
__global__ void says(int n) { printf("n is %d\n", n); }
)";

class KernelDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
    file_ = folder_.file("some.cu");
    write_new_file(file_, text);
  }

  TemporaryFolder folder_;
  std::string file_;
};

/// A launch without arguments.
LaunchText launch_of(const char* kernel, const char* grid, const char* block) {
  LaunchText launch;
  launch.kernel = kernel;
  launch.grid = grid;
  launch.block = block;
  launch.arch = "sm_90a";
  return launch;
}

class KernelOnFakeGpu : public KernelDevice {
 protected:
  KernelRun run(const LaunchText& launch) const {
    return run_kernel(file_, launch, 1, {}, cuda_.device());
  }

  FakeCuda cuda_;
};

TEST_F(KernelOnFakeGpu, ArraysComeBackAndMemoryIsFreed) {
  LaunchText launch = launch_of("saxpy", "3", "4");
  launch.arguments = {"i32:10", "f32:2", "f32:arange:10", "f32:ones:0"};
  const KernelRun result = run(launch);
  EXPECT_EQ(cuda_.last_launch(), (std::array<unsigned, 7>{3, 1, 1, 4, 1, 1, 0}));
  EXPECT_EQ(result.report.blocks, 3);
  EXPECT_EQ(result.argument("x").result.at(9).real, 9);
  EXPECT_FALSE(result.argument("x").is_written);
  EXPECT_EQ(cuda_.allocations(), 2);
  EXPECT_EQ(cuda_.live_allocations(), 0);
}

TEST_F(KernelOnFakeGpu, VariablesAreSet) {
  LaunchText launch = launch_of("scaled", "1", "4");
  launch.arguments = {"i32:ones:4"};
  launch.variables = {"scale=i32:7"};
  run(launch);
  EXPECT_EQ(cuda_.variable(), 7);
}

TEST_F(KernelOnFakeGpu, ClustersAreThoseThatTheKernelDoesNotSay) {
  LaunchText launch = launch_of("own", "4", "4");
  launch.arguments = {"i32:ones:4"};
  run(launch);
  EXPECT_EQ(cuda_.last_cluster(), (std::array<unsigned, 3>{0, 0, 0}));
  launch.kernel = "ranks";
  launch.cluster = "4";
  launch.shared = "60000";
  run(launch);
  EXPECT_EQ(cuda_.last_cluster(), (std::array<unsigned, 3>{4, 1, 1}));
  EXPECT_EQ(cuda_.last_launch(), (std::array<unsigned, 7>{4, 1, 1, 4, 1, 1, 60000}));
  EXPECT_EQ(cuda_.dynamic_shared_limit(), 60000);
}

TEST_F(KernelOnFakeGpu, AnErrorOfTheKernelIsToldWithItsName) {
  cuda_.fail("cuCtxSynchronize", 700);
  LaunchText launch = launch_of("own", "4", "4");
  launch.arguments = {"i32:ones:4"};
  EXPECT_EQ(
      thrown_message<CudaError>([&] { run(launch); }),
      "cuCtxSynchronize failed on cuda:0: CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory "
      "access was encountered; kernels launched since the last synchronisation: _Z3ownPi");
}

TEST_F(KernelDevice, TheHostIsRefused) {
  expect_usage_error({"run", file_, "--device=host"},
                     "kernels of files run on a GPU or on the simulated device, not on host; use "
                     "--device=cuda or --device=sim");
  expect_usage_error({"run", file_, "--device=gpu"},
                     "there is no device 'gpu'; there are auto, cuda, cuda:N, sim, host");
}

TEST_F(KernelDevice, WithoutAGpuTheReasonIsTold) {
  if (why_no_cuda().empty()) GTEST_SKIP() << "a CUDA device answers";
  expect_failure({"run", file_, "--device=cuda"}, why_no_cuda());
}

/// Command lines with their kernels.
class KernelOnGpu : public KernelDevice {
 protected:
  void SetUp() override {
    KernelDevice::SetUp();
    if (!IsSkipped() && !why_no_cuda().empty()) GTEST_SKIP() << why_no_cuda();
  }
  /// The words that `run` prints, with the GPU's name taken away.
  std::string printed(const std::vector<std::string>& launch, const char* device) const {
    std::vector<std::string> words = {"run", file_, std::string("--device=") + device};
    words.insert(words.end(), launch.begin(), launch.end());
    const CommandResult result = hone(words);
    EXPECT_EQ(result.complained, "");
    std::string text = result.printed;
    const size_t at = text.find(" on cuda:0");
    return at == std::string::npos ? text : text.erase(at, std::string(" on cuda:0").size());
  }
  void expect_equal(const std::vector<std::string>& launch) const {
    EXPECT_EQ(printed(launch, "cuda"), printed(launch, "sim"));
  }
};

TEST_F(KernelOnGpu, RunsAsOnTheSimulatedDevice) {
  expect_equal({"--kernel=saxpy", "--grid=25", "--block=4", "--arg=i32:99", "--arg=f32:2",
                "--arg=f32:random:99", "--arg=f32:ones:99"});
  expect_equal(
      {"--kernel=scaled", "--grid=1", "--block=40", "--set=scale=i32:3", "--arg=i32:arange:40"});
  expect_equal({"--kernel=ranks", "--grid=8", "--block=32", "--cluster=4", "--shared=80000",
                "--arg=u32:unset:256"});
  expect_equal({"--kernel=own", "--grid=4", "--block=1", "--arg=i32:zeros:4"});
}

TEST_F(KernelOnGpu, PrintfIsThatOfTheDevice) {
  testing::internal::CaptureStdout();
  const CommandResult result = hone(
      {"run", file_, "--kernel=says", "--grid=1", "--block=1", "--arg=i32:7", "--device=cuda"});
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "n is 7\n");
  EXPECT_THAT(result.printed, HasSubstr("says ran 1 block of 1 thread on cuda:0\n"));
}

}  // namespace kernel_device_test
}  // namespace hone
