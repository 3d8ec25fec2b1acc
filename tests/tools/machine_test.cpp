#include "tools/cli/machine.h"

#include "gmock/gmock.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace machine_test {

TEST(Machine, ReadsTheVersionOfTheDriver) {
  EXPECT_EQ(driver_version_in("NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue Sep"),
            "580.95.05");
  EXPECT_EQ(driver_version_in("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  570.86.15"),
            "570.86.15");
  EXPECT_EQ(driver_version_in("no version here. none"), "");
  EXPECT_EQ(driver_version_in(""), "");
}

TEST(Machine, HasNoDriverAndNoCompilerOfKernelsWithoutAGpu) {
  for (const Device& device : {Device::host(), Device::simulated()}) {
    const Machine machine = machine_of(device);
    EXPECT_EQ(machine.driver + machine.nvrtc, "");
    EXPECT_THAT(machine.date, testing::MatchesRegex("20..-..-.."));
  }
  EXPECT_EQ(machine_of(Device::simulated()).name, Device::simulated().properties().name);
}

TEST(Machine, HasTheOptionsOfTheEnvironmentBesideTheCompiler) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const std::string version = nvrtc_version_text();
  const ScopedVariable variable("HONE_NVRTC_OPTIONS", "--maxrregcount=64 --use_fast_math");
  EXPECT_EQ(nvrtc_version_text(), version + " --maxrregcount=64 --use_fast_math");
}

}  // namespace machine_test
}  // namespace hone
