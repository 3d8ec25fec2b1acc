#include "runtime/cudart/settings.h"

#include "gmock/gmock.h"

namespace hone::cudart {
namespace settings_test {

TEST(CudartSettings, CheckASampleOfLargeLaunchesAlone) {
  Settings settings;
  EXPECT_EQ(settings.checked_blocks(78125, 256), 78125);
  EXPECT_EQ(settings.checked_blocks(78126, 256), 3906);
  settings.blocks = 0;
  EXPECT_EQ(settings.checked_blocks(1 << 30, 1024), 1 << 30);
  settings.blocks = 10;
  EXPECT_EQ(settings.checked_blocks(20, 32), 10);
  EXPECT_EQ(settings.checked_blocks(5, 32), 5);
}

TEST(CudartSettings, CheckTheFirstOfEqualLaunchesWhereManyInstructionsWereChecked) {
  Settings settings;
  EXPECT_TRUE(settings.checks_launch(1000, Settings::most_instructions - 1));
  EXPECT_FALSE(settings.checks_launch(2, Settings::most_instructions));
  EXPECT_TRUE(settings.checks_launch(1, Settings::most_instructions));
  settings.launches = 0;
  EXPECT_TRUE(settings.checks_launch(2, Settings::most_instructions));
  settings.launches = 3;
  EXPECT_TRUE(settings.checks_launch(3, 0));
  EXPECT_FALSE(settings.checks_launch(4, 0));
  settings.checks = false;
  EXPECT_FALSE(settings.checks_launch(1, 0));
}

}  // namespace settings_test
}  // namespace hone::cudart
