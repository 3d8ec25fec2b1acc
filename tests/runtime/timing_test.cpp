#include "runtime/timing.h"

#include <thread>

#include "gtest/gtest.h"

namespace hone {
namespace timing_test {

TEST(Timing, SummarizesByInterpolatedPercentiles) {
  const Timing timing = summarize({5, 1, 4, 2, 3, 6});
  EXPECT_DOUBLE_EQ(timing.median, 3.5);
  EXPECT_DOUBLE_EQ(timing.fastest, 1);
  EXPECT_DOUBLE_EQ(timing.percentile_20, 2);
  EXPECT_DOUBLE_EQ(timing.percentile_80, 5);
  EXPECT_EQ(timing.samples, 6);
}

TEST(Timing, EstimatesALaunchAfterAWarmUp) {
  int launches = 0;
  LaunchSampler sampler(Device::simulated());
  const double milliseconds = sampler.estimate([&] {
    ++launches;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  });
  EXPECT_GE(launches, 3);
  EXPECT_GE(milliseconds, 2);
}

TEST(Timing, SamplesMayBeReadLater) {
  LaunchSampler sampler(Device::simulated());
  const auto wait = [](int milliseconds) {
    return [=] { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); };
  };
  const Stopwatch longer = sampler.sample(wait(4), 3), shorter = sampler.sample(wait(1));
  EXPECT_GE(longer.milliseconds(), 12);
  EXPECT_GE(shorter.milliseconds(), 1);
}

TEST(Timing, OfOneSampleIsThatSample) {
  const Timing timing = summarize({2.5});
  EXPECT_DOUBLE_EQ(timing.median, 2.5);
  EXPECT_DOUBLE_EQ(timing.percentile_80, 2.5);
}

TEST(Timing, UsesTheHostsClockForTheSimulatedDevice) {
  int launches = 0;
  const Timing timing = time_launches(Device::simulated(),
                                      [&] {
                                        ++launches;
                                        std::this_thread::sleep_for(std::chrono::milliseconds(5));
                                      },
                                      {.warm_up = 1, .samples = 2, .launches_per_sample = 2});
  EXPECT_EQ(launches, 5);
  EXPECT_GE(timing.fastest, 5);
}

}  // namespace timing_test
}  // namespace hone
