#include "bench/gpu/duel.h"

#include <chrono>

#include "bench/gpu/report.h"
#include "gmock/gmock.h"

namespace hone {
namespace duel_test {

using Clock = std::chrono::steady_clock;

/// Work on the host that takes `time`.
Launches busy(std::chrono::milliseconds time) {
  return {[time] {
    const auto end = Clock::now() + time;
    while (Clock::now() < end) {
    }
  }};
}

TEST(Duel, ABurstHasTheLaunchesOfItsTimeAndAPauseFollows) {
  const Launches hone = busy(std::chrono::milliseconds(1));
  const Launches hand = busy(std::chrono::milliseconds(3));
  const auto start = Clock::now();
  const DuelTimes times = time_duel(Device::simulated(), hone, hand,
                                    {.seconds = 0.01, .least_rounds = 3, .burst_milliseconds = 4});
  const std::chrono::duration<double, std::milli> elapsed = Clock::now() - start;
  EXPECT_EQ(times.rounds, 3);
  EXPECT_THAT(times.hone_batch, testing::AllOf(testing::Ge(1), testing::Le(4)));
  EXPECT_THAT(times.hand_batch, testing::AllOf(testing::Ge(1), testing::Le(2)));
  EXPECT_GE(times.hone.median, 1);
  EXPECT_GE(times.hand.median, 3);
  EXPECT_GE(elapsed.count(), 6 * 12) << "six samples";
}

Comparison comparison_of(const std::string& size, double ratio) {
  Comparison comparison{{"hgemm", "wgmma", size}};
  comparison.times.emplace().ratio.median = ratio;
  return comparison;
}

TEST(RatioLines, HaveTheMeanAndTheLeastOfARung) {
  Comparison skipped{{"hgemm", "wgmma", "1"}};
  skipped.failure = "no algorithm";
  skipped.skipped = true;
  EXPECT_EQ(ratio_lines({comparison_of("64", 2), comparison_of("72x1x1", 0.5), skipped,
                         comparison_of("80", 1)}),
            "hgemm/wgmma: geometric mean of 3 ratios 1.000, least 0.500 at 72x1x1, 1 below 1; "
            "1 sizes skipped, failed or wrong\n");
}

}  // namespace duel_test
}  // namespace hone
