#include "runtime/device.h"

#include "gmock/gmock.h"
#include "runtime/cuda/cuda_driver.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace device_test {

TEST(Device, IsPrintedAsItIsParsed) {
  EXPECT_EQ(to_string(parse_device("sim")), "sim");
  EXPECT_EQ(to_string(parse_device("host")), "host");
  EXPECT_EQ(fmt::format("{:>5}", Device::simulated()), "  sim");
}

TEST(Device, RefusesAnUnknownWord) {
  for (const char* word : {"gpu", "", "cuda:", "cuda:x", "cuda:-1", "cuda:1.5", "Sim"})
    EXPECT_EQ(thrown_message<RuntimeError>([&] { parse_device(word); }),
              fmt::format("unknown device '{}'; use auto, cuda, cuda:N, sim or host", word));
}

TEST(Device, BestIsAGpuWhereOneAnswersElseTheSimulatedOne) {
  const DeviceKind expected = why_no_cuda().empty() ? DeviceKind::cuda : DeviceKind::simulated;
  EXPECT_EQ(Device::best().kind(), expected);
  EXPECT_EQ(parse_device("auto").kind(), expected);
}

TEST(Device, SaysWhyThereIsNoGpuAndWhatWorks) {
  if (why_no_cuda().empty()) GTEST_SKIP() << "a CUDA device answers";
  EXPECT_THAT(why_no_cuda(), testing::StartsWith("no CUDA device: "));
  EXPECT_THAT(
      why_no_cuda(),
      testing::EndsWith("; Device::simulated() or --device=sim runs the same kernels on the "
                        "simulated one"));
  EXPECT_EQ(thrown_message<RuntimeError>([] { parse_device("cuda:1"); }), why_no_cuda());
}

/// In a process of its own, where no driver was looked for yet.
TEST(DeviceDeathTest, NamesTheDriverThatTheUserChose) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto ask = [] {
    const ScopedVariable variable("HONE_LIBCUDA_PATH", "/nowhere/libcuda.so.1");
    fmt::print(stderr, "{}\n", why_no_cuda());
    std::exit(0);
  };
  EXPECT_EXIT(ask(), testing::ExitedWithCode(0),
              "no CUDA device: no NVIDIA driver: HONE_LIBCUDA_PATH: /nowhere/libcuda.so.1: cannot "
              "open shared object file: No such file or directory; Device::simulated.. or "
              "--device=sim runs the same kernels on the simulated one");
}

TEST(Device, SimulatesAnH100) {
  const DeviceProperties& properties = Device::simulated().properties();
  EXPECT_EQ(properties.arch, "sm_90");
  EXPECT_EQ(properties.max_shared_bytes_per_block, 232448);
  EXPECT_EQ(properties.driver_version, 0);
  EXPECT_GT(properties.memory_bytes, 0);
  EXPECT_EQ(Device::host().properties().arch, "");
}

}  // namespace device_test
}  // namespace hone
