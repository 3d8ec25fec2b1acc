#include "tools/cli/machine.h"

#include "gmock/gmock.h"

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

}  // namespace machine_test
}  // namespace hone
