// The driver's errors, on a fake libcuda that fails at will.
#include "runtime/cuda/cuda_driver.h"

#include <cstdlib>
#include <filesystem>

#include "gmock/gmock.h"
#include "runtime/array.h"
#include "runtime/host_compiler.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/fake_cuda.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace cuda_driver_test {

using testing::EndsWith;

TEST(CudaDriver, DescribesItsDevices) {
  const FakeCuda cuda;
  EXPECT_EQ(cuda.driver().device_count(), 2);
  EXPECT_EQ(cuda.driver().version(), 13000);
  const DeviceProperties& properties = cuda.device(1).properties();
  EXPECT_EQ(properties.name, "Fake GPU");
  EXPECT_EQ(properties.arch, "sm_90");
  EXPECT_EQ(properties.multiprocessors, 4);
  EXPECT_EQ(properties.memory_bytes, 1 << 20);
  EXPECT_EQ(properties.max_shared_bytes_per_block, 100000);
  EXPECT_EQ(to_string(cuda.device(1)), "cuda:1");
  EXPECT_EQ(cuda.device(0), cuda.device(0));
  EXPECT_NE(cuda.device(0), cuda.device(1));
}

TEST(CudaDriver, RefusesADeviceThatDoesNotExist) {
  const FakeCuda cuda;
  EXPECT_EQ(thrown_message<RuntimeError>([&] { cuda.driver().context(2); }),
            "cuda:2 does not exist: the driver finds 2 GPUs, cuda:0 to cuda:1");
  EXPECT_EQ(thrown_message<RuntimeError>([&] { cuda.driver().context(-1); }),
            "cuda:-1 does not exist: the driver finds 2 GPUs, cuda:0 to cuda:1");
}

TEST(CudaDriver, RefusesADriverWithoutAGpu) {
  FakeCuda cuda;
  cuda.fail("cuInit", 100);
  EXPECT_EQ(thrown_message<RuntimeError>([&] { CudaDriver driver(cuda.library()); }),
            cuda.library().path() +
                " answers cuInit with CUDA_ERROR_NO_DEVICE (100): no "
                "CUDA-capable device is detected");
  cuda.set_device_count(0);
  EXPECT_EQ(thrown_message<RuntimeError>([&] { CudaDriver driver(cuda.library()); }),
            cuda.library().path() + " finds no GPU");
}

TEST(CudaDriver, RefusesALibraryThatIsNoDriver) {
  const SharedLibrary c_library = SharedLibrary::open("libc.so.6");
  EXPECT_EQ(thrown_message<RuntimeError>([&] { CudaDriver driver(c_library); }),
            c_library.path() + " has no symbol cuInit");
}

TEST(CudaContext, NamesTheCallTheSubjectAndTheResult) {
  FakeCuda cuda;
  const Array<float> array({4}, cuda.device());
  std::vector<float> values(4);
  cuda.fail("cuMemcpyDtoH_v2", 1);
  EXPECT_EQ(thrown_message<CudaError>([&] { array.copy_to_host(values.data()); }),
            "cuMemcpyDtoH of 16 bytes failed on cuda:0: CUDA_ERROR_INVALID_VALUE (1): invalid "
            "argument");
  EXPECT_EQ(array.to_vector(), values) << "the error is over";
}

TEST(CudaContext, DescribesAResultThatTheDriverCannotName) {
  const FakeCuda cuda;
  EXPECT_EQ(cuda.driver().describe(12345), "unknown error (12345): ?");
}

TEST(CudaContext, IsDeadAfterAStickyErrorAndKeepsTheCause) {
  FakeCuda cuda;
  const Array<float> array({4}, cuda.device());
  cuda.device().context().launched("saxpy");
  cuda.fail("cuCtxSynchronize", 700);
  const std::string cause =
      "cuCtxSynchronize failed on cuda:0: CUDA_ERROR_ILLEGAL_ADDRESS (700): an illegal memory "
      "access was encountered; kernels launched since the last synchronisation: saxpy";
  EXPECT_EQ(thrown_message<CudaError>([&] { cuda.device().synchronize(); }), cause);
  EXPECT_FALSE(cuda.device().context().alive());

  const std::string dead =
      "cuda:0 is dead since an earlier error; only a new process can use it again; the cause "
      "was: " +
      cause;
  EXPECT_EQ(thrown_message<CudaError>([&] { array.to_vector(); }), dead);
  EXPECT_EQ(thrown_message<CudaError>([&] { Array<float>({4}, cuda.device()); }), dead);
  EXPECT_EQ(thrown_message<CudaError>([&] { cuda.device().synchronize(); }), dead);
}

TEST(CudaContext, ForgetsKernelsThatHaveFinished) {
  FakeCuda cuda;
  const Device device = cuda.device();
  device.context().launched("first");
  device.synchronize();
  device.context().launched("second");
  device.context().launched("third");
  device.context().launched("second");
  cuda.fail("cuCtxSynchronize", 719);
  EXPECT_THAT(thrown_message<CudaError>([&] { device.synchronize(); }),
              EndsWith("; kernels launched since the last synchronisation: second, third"));
}

TEST(CudaContext, SurvivesRunningOutOfMemory) {
  const FakeCuda cuda;
  const Array<uint8_t> first({1 << 19}, cuda.device());
  EXPECT_EQ(thrown_message<OutOfMemoryError>([&] { Array<uint8_t>({1 << 20}, cuda.device()); }),
            "out of memory on cuda:0 (Fake GPU): 1048576 bytes wanted, 524288 bytes free");
  EXPECT_TRUE(cuda.device().context().alive());
  EXPECT_EQ(Array<uint8_t>({1 << 19}, cuda.device()).to_vector(), std::vector<uint8_t>(1 << 19));
}

TEST(CudaContext, GivesMemoryBack) {
  const FakeCuda cuda;
  {
    const Array<float> array({4}, cuda.device());
    const Array<float> same = array, other = array.clone();
    EXPECT_EQ(cuda.live_allocations(), 2);
  }
  EXPECT_EQ(cuda.live_allocations(), 0);
}

TEST(CudaErrors, AreStickyWhenTheContextIsLost) {
  for (const int code : {214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719, 721, 911})
    EXPECT_TRUE(is_sticky_cuda_error(code)) << code;
  for (const int code : {0, 1, 2, 100, 200, 209, 400, 500, 600, 701, 720, 801, 999})
    EXPECT_FALSE(is_sticky_cuda_error(code)) << code;
}

TEST(CudaDriver, RefusesTheToolkitsStub) {
  const TemporaryFolder folder;
  const std::string stub = folder.file("stubs/libcuda.so.1");
  std::filesystem::create_directory(folder.file("stubs"));
  write_new_file(folder.file("stub.c"), "int cuInit(unsigned flags) { return flags + 34; }");
  const std::string command = fmt::format("{} -shared -fPIC -o {} {}", host_compiler().command[0],
                                          stub, folder.file("stub.c"));
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(thrown_message<RuntimeError>([&] { CudaDriver driver(SharedLibrary::open(stub)); }),
            stub + " is the toolkit's stub for linking, not a driver");
}

}  // namespace cuda_driver_test
}  // namespace hone
