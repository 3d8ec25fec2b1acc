// On a real GPU: from CUDA text to numbers. Skips where there is none.
#include <numeric>

#include "gmock/gmock.h"
#include "runtime/array.h"
#include "runtime/cuda/cuda_driver.h"
#include "runtime/cuda/cuda_module.h"
#include "runtime/timing.h"
#include "tests/support/runtime/errors.h"

namespace hone {
namespace cuda_device_test {

class CudaDevice : public testing::Test {
 protected:
  void SetUp() override {
    if (!why_no_cuda().empty()) GTEST_SKIP() << why_no_cuda();
    if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  }

  static CudaFunction build(const std::string& source, const std::string& name) {
    CompileJob job;
    job.source = source;
    job.name = name;
    job.arch = nvrtc_target(*nvrtc_info(), Device::cuda().properties().arch);
    return CudaModule(Device::cuda(), nvrtc_compile(job), name).function(name);
  }
};

constexpr const char* saxpy_source = R"(
extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
)";

TEST_F(CudaDevice, IsDescribed) {
  const DeviceProperties& properties = Device::cuda().properties();
  EXPECT_FALSE(properties.name.empty());
  EXPECT_THAT(properties.arch, testing::StartsWith("sm_"));
  EXPECT_GT(properties.multiprocessors, 0);
  EXPECT_GE(properties.max_shared_bytes_per_block, 48 << 10);
  EXPECT_GT(properties.l2_bytes, 0);
  EXPECT_GT(properties.clock_kilohertz, 0);
  EXPECT_EQ(Device::best(), Device::cuda());
}

TEST_F(CudaDevice, RunsSaxpy) {
  const int n = 100'003;
  float a = 2;
  std::vector<float> ramp(n);
  std::iota(ramp.begin(), ramp.end(), 0.0F);
  const Array<float> x(ramp, {n}, Device::cuda()), y(ramp, {n}, Device::cuda());
  const CudaFunction saxpy = build(saxpy_source, "saxpy");
  int count = n;
  void *x_data = x.data(), *y_data = y.data();
  saxpy.launch({{(n + 255) / 256, 1, 1}, {256, 1, 1}, 0}, {&count, &a, &x_data, &y_data});
  const std::vector<float> result = y.to_vector();
  for (int i = 0; i < n; ++i)
    ASSERT_EQ(result[static_cast<size_t>(i)], 3.0F * static_cast<float>(i));
}

TEST_F(CudaDevice, LoadsPtxToo) {
  const int needed = 1000 * nvrtc_info()->major + 10 * nvrtc_info()->minor;
  if (Device::cuda().properties().driver_version < needed)
    GTEST_SKIP() << "the driver is too old for the PTX of CUDA " << needed;
  CompileJob job;
  job.source = saxpy_source;
  job.arch = "compute_" + Device::cuda().properties().arch.substr(3);
  const Compiled compiled = nvrtc_compile(job);
  ASSERT_TRUE(compiled.cubin.empty());
  EXPECT_GT(CudaModule(Device::cuda(), compiled).function("saxpy").resources().registers, 0);
}

TEST_F(CudaDevice, KeepsElementsOfAnArray) {
  std::vector<int64_t> values(1000);
  std::iota(values.begin(), values.end(), 0);
  const Array<int64_t> array(values, {10, 100}, Device::cuda());
  EXPECT_EQ(array.to_vector(), values);
  EXPECT_EQ(array.clone().to_vector(), values);
  EXPECT_EQ(Array<int64_t>({1000}, Device::cuda()).to_vector(), std::vector<int64_t>(1000));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(array.data()) % 256, 0u);
}

TEST_F(CudaDevice, UsesAllTheSharedMemoryOfABlock) {
  const CudaFunction fill = build(R"(
extern "C" __global__ void fill(int n, int* out) {
  extern __shared__ int buffer[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) buffer[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) *out = buffer[n - 1];
}
)",
                                  "fill");
  const int bytes = Device::cuda().properties().max_shared_bytes_per_block;
  const Array<int32_t> out({1}, Device::cuda());
  int n = bytes / 4;
  void* data = out.data();
  fill.launch({{1, 1, 1}, {256, 1, 1}, bytes}, {&n, &data});
  EXPECT_EQ(out.to_vector(), std::vector<int32_t>{n - 1});
  EXPECT_EQ(fill.max_blocks_per_multiprocessor(256, bytes), 1);
  EXPECT_EQ(thrown_message<RuntimeError>([&] {
              fill.launch({{1, 1, 1}, {256, 1, 1}, bytes + 1}, {&n, &data});
            }),
            fmt::format("cannot launch fill: {} bytes of dynamic and 0 of static shared memory; a "
                        "block on {} has {}",
                        bytes + 1, Device::cuda().properties().name, bytes));
}

TEST_F(CudaDevice, SurvivesRunningOutOfMemory) {
  const int64_t bytes = 2 * Device::cuda().properties().memory_bytes;
  EXPECT_THAT(thrown_message<OutOfMemoryError>([&] { Array<uint8_t>({bytes}, Device::cuda()); }),
              testing::MatchesRegex("out of memory on cuda:0 .* bytes wanted, .* bytes free"));
  EXPECT_EQ(Array<float>({4}, Device::cuda()).to_vector(), std::vector<float>(4));
}

TEST_F(CudaDevice, IsTimed) {
  const Array<float> x({1 << 24}, Device::cuda()), y({1 << 24}, Device::cuda());
  const CudaFunction saxpy = build(saxpy_source, "saxpy");
  int n = 1 << 24;
  float a = 2;
  void *x_data = x.data(), *y_data = y.data();
  const Timing timing = time_launches(Device::cuda(), [&] {
    saxpy.launch({{n / 256, 1, 1}, {256, 1, 1}, 0}, {&n, &a, &x_data, &y_data});
  });
  const double gigabytes_per_second = 3.0 * 4 * n / timing.median / 1e6;
  EXPECT_GT(gigabytes_per_second, 20);
  EXPECT_LT(gigabytes_per_second, 20'000);
  EXPECT_LE(timing.fastest, timing.percentile_20);
  EXPECT_LE(timing.percentile_20, timing.median);
  EXPECT_LE(timing.median, timing.percentile_80);
}

/// An illegal address kills the context for good, so this runs in a process of its own.
TEST_F(CudaDevice, StaysDeadAfterAnIllegalAddress) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto crash = [] {
    const CudaFunction wild =
        build("extern \"C\" __global__ void wild(int* p) { p[threadIdx.x] = 1; }", "wild");
    void* nowhere = reinterpret_cast<void*>(uintptr_t{64});
    wild.launch({{1, 1, 1}, {1, 1, 1}, 0}, {&nowhere});
    const auto wait = [] { Device::cuda().synchronize(); };
    const std::string first = thrown_message<CudaError>(wait);
    const std::string second = thrown_message<CudaError>(wait);
    fmt::print(stderr, "{}\n{}\n", first, second);
    std::exit(0);
  };
  EXPECT_EXIT(crash(), testing::ExitedWithCode(0),
              "cuCtxSynchronize failed on cuda:0: CUDA_ERROR_ILLEGAL_ADDRESS .700.: .*; kernels "
              "launched since the last synchronisation: wild\n"
              "cuda:0 is dead since an earlier error; only a new process can use it again; the "
              "cause was: cuCtxSynchronize failed");
}

}  // namespace cuda_device_test
}  // namespace hone
