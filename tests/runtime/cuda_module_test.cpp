// Loading and launching, on a fake libcuda: what reaches the driver, and what is refused before.
#include "runtime/cuda/cuda_module.h"

#include "gmock/gmock.h"
#include "runtime/nvrtc/nvrtc.h"
#include "runtime/timing.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/fake_cuda.h"

namespace hone {
namespace cuda_module_test {

Compiled some_cubin() {
  Compiled compiled;
  compiled.cubin = {'c', 'u', 'b', 'i', 'n'};
  return compiled;
}

class CudaModuleTest : public testing::Test {
 protected:
  CudaFunction saxpy() const {
    return CudaModule(cuda_.device(), some_cubin(), "saxpy").function("saxpy");
  }
  std::string refusal(const LaunchDims& dims) const {
    return thrown_message<RuntimeError>([&] { saxpy().launch(dims, {}); });
  }

  FakeCuda cuda_;
};

TEST_F(CudaModuleTest, LaunchesWithTheDimensionsGiven) {
  saxpy().launch({{7, 6, 5}, {32, 2, 1}, 64}, {});
  EXPECT_EQ(cuda_.last_launch(), (std::array<unsigned, 7>{7, 6, 5, 32, 2, 1, 64}));
}

TEST_F(CudaModuleTest, LaunchesInClusters) {
  saxpy().launch({{8, 4, 1}, {32, 1, 1}, 0, {4, 2, 1}}, {});
  EXPECT_EQ(cuda_.last_launch(), (std::array<unsigned, 7>{8, 4, 1, 32, 1, 1, 0}));
  EXPECT_EQ(cuda_.last_cluster(), (std::array<unsigned, 3>{4, 2, 1}));
  EXPECT_EQ(cuda_.early_launches(), 0);
}

TEST_F(CudaModuleTest, FindsVariables) {
  const CudaModule module(cuda_.device(), some_cubin(), "saxpy");
  const int value = 7;
  cuda_.driver().context(0).copy_to_device(module.address_of("scale"), &value, sizeof value);
  EXPECT_EQ(cuda_.variable(), 7);
  EXPECT_EQ(thrown_message<RuntimeError>([&] { module.address_of("missing"); }),
            "saxpy has no variable 'missing'");
}

TEST_F(CudaModuleTest, LaunchesNothingForAnEmptyGrid) {
  saxpy().launch({{0, 1, 1}, {32, 1, 1}, 0}, {});
  EXPECT_EQ(cuda_.launches(), 0);
}

TEST_F(CudaModuleTest, ReadsTheResourcesOfAKernel) {
  const CudaFunction function = saxpy();
  EXPECT_EQ(function.resources().registers, 128);
  EXPECT_EQ(function.resources().static_shared_bytes, 1000);
  EXPECT_EQ(function.resources().max_threads_per_block, 512);
  EXPECT_EQ(function.max_blocks_per_multiprocessor(256, 0), 8);
}

TEST_F(CudaModuleTest, RefusesABlockOfTooManyThreads) {
  EXPECT_EQ(refusal({{1, 1, 1}, {32, 32, 1}, 0}),
            "cannot launch saxpy: a block of (32, 32, 1) = 1024 threads; with 128 registers per "
            "thread and its launch bounds the kernel takes at most 512");
}

TEST_F(CudaModuleTest, RefusesExtentsOutsideTheHardware) {
  EXPECT_EQ(refusal({{1, 65536, 1}, {32, 1, 1}, 0}),
            "cannot launch saxpy: the grid (1, 65536, 1) is outside (0, 0, 0) to (2147483647, "
            "65535, 65535)");
  EXPECT_EQ(refusal({{1, -1, 1}, {32, 1, 1}, 0}),
            "cannot launch saxpy: the grid (1, -1, 1) is outside (0, 0, 0) to (2147483647, 65535, "
            "65535)");
  EXPECT_EQ(refusal({{1, 1, 1}, {1, 1, 65}, 0}),
            "cannot launch saxpy: the block (1, 1, 65) is outside (1, 1, 1) to (1024, 1024, 64)");
  EXPECT_EQ(refusal({{1, 1, 1}, {0, 1, 1}, 0}),
            "cannot launch saxpy: the block (0, 1, 1) is outside (1, 1, 1) to (1024, 1024, 64)");
}

TEST_F(CudaModuleTest, RefusesMoreSharedMemoryThanABlockHas) {
  EXPECT_EQ(refusal({{1, 1, 1}, {32, 1, 1}, 99001}),
            "cannot launch saxpy: 99001 bytes of dynamic and 1000 of static shared memory; a block "
            "on Fake GPU has 100000");
}

TEST_F(CudaModuleTest, OptsInToLargeSharedMemoryOnlyWhereItIsNeeded) {
  saxpy().launch({{1, 1, 1}, {32, 1, 1}, 49152}, {});
  EXPECT_EQ(cuda_.dynamic_shared_limit(), 49152);
  saxpy().launch({{1, 1, 1}, {32, 1, 1}, 99000}, {});
  EXPECT_EQ(cuda_.dynamic_shared_limit(), 99000);
}

TEST_F(CudaModuleTest, NamesTheKernelThatTheDriverRefuses) {
  cuda_.fail("cuLaunchKernel", 1);
  EXPECT_EQ(refusal({{7, 1, 1}, {32, 1, 1}, 64}),
            "cuLaunchKernel of saxpy with grid (7, 1, 1), block (32, 1, 1) and 64 bytes of shared "
            "memory failed on cuda:0: CUDA_ERROR_INVALID_VALUE (1): invalid argument");
}

TEST_F(CudaModuleTest, NamesTheKernelBehindALaterError) {
  saxpy().launch({{1, 1, 1}, {32, 1, 1}, 0}, {});
  cuda_.fail("cuCtxSynchronize", 700);
  EXPECT_EQ(
      thrown_message<CudaError>([&] { cuda_.device().synchronize(); }),
      "cuCtxSynchronize failed on cuda:0: CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory "
      "access was encountered; kernels launched since the last synchronisation: saxpy");
}

TEST_F(CudaModuleTest, RefusesAKernelThatIsNotThere) {
  const CudaModule module(cuda_.device(), some_cubin(), "saxpy.cubin");
  EXPECT_EQ(thrown_message<RuntimeError>([&] { module.function("missing"); }),
            "saxpy.cubin has no kernel 'missing'");
}

TEST_F(CudaModuleTest, ShowsTheDriversLogForAnImageThatDoesNotLoad) {
  cuda_.fail("cuModuleLoadDataEx", 1);
  EXPECT_EQ(
      thrown_message<CudaError>([&] { CudaModule(cuda_.device(), some_cubin(), "saxpy"); }),
      "cuModuleLoadDataEx of saxpy [ptxas says no] failed on cuda:0: CUDA_ERROR_INVALID_VALUE "
      "(1): invalid argument");
}

TEST_F(CudaModuleTest, IsTimedWithEvents) {
  const CudaFunction function = saxpy();
  const TimingOptions options = {.warm_up = 2, .samples = 5, .launches_per_sample = 3};
  const Timing timing = time_launches(
      cuda_.device(),
      [&] {
        function.launch({{1, 1, 1}, {32, 1, 1}, 0}, {});
      },
      options);
  const int holds = nvrtc_info() ? 5 : 0;  // one before each sample, until its launches are queued
  EXPECT_EQ(cuda_.launches(), 2 + 5 * 3 + holds);
  EXPECT_EQ(timing.samples, 5);
  EXPECT_DOUBLE_EQ(timing.median, 0.5);
}

}  // namespace cuda_module_test
}  // namespace hone
