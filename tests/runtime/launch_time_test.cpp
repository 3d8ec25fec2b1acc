#include "runtime/model/launch_time.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "runtime/error.h"
#include "tests/support/runtime/errors.h"

namespace hone {
namespace launch_time_test {

/// 10 multiprocessors at 1 GHz, 1000 GB/s of DRAM, 640 GB/s of L2.
const Gpu round_gpu = {"round", "sm_90", 10, 500, 1.0, 10, 1000};

constexpr double microseconds_of_start = 1, microseconds_of_launch = 0.7;

/// Without those of the launch.
double microseconds(const LaunchDemand& demand) {
  return launch_time(round_gpu, demand).seconds * 1e6 - microseconds_of_launch;
}

LaunchDemand demand_of(int64_t blocks, int blocks_per_sm, double clocks_alone) {
  LaunchDemand demand;
  demand.blocks = blocks;
  demand.blocks_per_sm = blocks_per_sm;
  demand.clocks_alone = clocks_alone;
  return demand;
}

TEST(LaunchTime, IsThatOfABlockWhereEachHasAMultiprocessor) {
  for (const int64_t blocks : {1, 9, 10}) {
    const LaunchDemand demand = demand_of(blocks, 4, 4000);
    EXPECT_NEAR(microseconds(demand), 4 + microseconds_of_start, 1e-9) << blocks;
    EXPECT_EQ(launch_time(round_gpu, demand).bound(), LaunchResource::latency) << blocks;
  }
}

TEST(LaunchTime, OfBlocksThatOnlyWaitIsThatOfTheirRounds) {
  EXPECT_NEAR(microseconds(demand_of(40, 4, 4000)), 5, 1e-9);
  EXPECT_NEAR(microseconds(demand_of(41, 4, 4000)), 10, 1e-9);
  EXPECT_NEAR(microseconds(demand_of(41, 5, 4000)), 5, 1e-9);
}

TEST(LaunchTime, IsThatOfTheBusiestResourceWhereBlocksFillIt) {
  LaunchDemand demand = demand_of(1000, 16, 2000);
  demand[LaunchResource::issue] = 300;
  demand[LaunchResource::load_store] = 1000;
  const LaunchTime time = launch_time(round_gpu, demand);
  EXPECT_EQ(time.bound(), LaunchResource::load_store);
  EXPECT_NEAR(time[LaunchResource::load_store] * 1e6, 100, 1e-9);
  EXPECT_NEAR(time[LaunchResource::issue] * 1e6, 30, 1e-9);
  EXPECT_GE(microseconds(demand), 100);
  EXPECT_LT(microseconds(demand), 102);
}

/// Two that are as busy hinder each other: the fourth root of two.
TEST(LaunchTime, IsLongerWhereSeveralResourcesAreBusy) {
  LaunchDemand demand = demand_of(10000, 16, 2000);
  demand[LaunchResource::issue] = demand[LaunchResource::load_store] = 1000;
  EXPECT_NEAR(microseconds(demand), 1000 * std::pow(2, 0.25), 10);
  demand[LaunchResource::integer] = 1000;
  EXPECT_NEAR(microseconds(demand), 1000 * std::pow(3, 0.25), 10);
  EXPECT_NE(launch_time(round_gpu, demand).bound(), LaunchResource::latency);
}

/// Updates of a word go one after the other, 1.75 ns each, and blocks of clusters begin so.
TEST(LaunchTime, OfUpdatesAndClustersIsThatOfAllInARow) {
  LaunchDemand demand = demand_of(4000, 8, 100);
  demand.updates = 1e6;
  EXPECT_NEAR(microseconds(demand), 1750, 1);
  EXPECT_EQ(launch_time(round_gpu, demand).bound(), LaunchResource::updates);
  demand = demand_of(400000, 64, 0);
  EXPECT_LT(microseconds(demand), 400000 * 1.6e-3);
  demand.are_clustered = true;
  EXPECT_NEAR(microseconds(demand), 400000 * 2.45e-3, 10);
  EXPECT_EQ(launch_time(round_gpu, demand).bound(), LaunchResource::clusters);
}

TEST(LaunchTime, IsBoundByAResourceThatIsBusyForFourFifthsOfIt) {
  LaunchTime time;
  time.seconds = 1;
  time.busy[static_cast<size_t>(LaunchResource::l2)] = 0.3;
  time.busy[static_cast<size_t>(LaunchResource::dram)] = 0.79;
  EXPECT_EQ(time.bound(), LaunchResource::latency);
  time.busy[static_cast<size_t>(LaunchResource::dram)] = 0.81;
  time.busy[static_cast<size_t>(LaunchResource::latency)] = 0.9;
  EXPECT_EQ(time.bound(), LaunchResource::dram);
}

/// Two blocks wait for each other a part of the time: more than one needs, less than both.
TEST(LaunchTime, OfFewBlocksIsBetweenTheirTimeAloneAndAllWork) {
  LaunchDemand demand = demand_of(20, 2, 3000);
  demand[LaunchResource::issue] = 2000;
  EXPECT_GT(microseconds(demand), 4);
  EXPECT_LT(microseconds(demand), 2 * 3 + microseconds_of_start);
  demand.blocks_per_sm = 1;
  EXPECT_NEAR(microseconds(demand), 2 * (3 + microseconds_of_start), 1e-9);
}

TEST(LaunchTime, GrowsWithEachNeed) {
  LaunchDemand demand = demand_of(400, 4, 1000);
  demand[LaunchResource::issue] = 300;
  demand.l2_bytes = 1e6;
  demand.dram_bytes = 1e6;
  const double before = microseconds(demand);
  for (double* need : {&demand[LaunchResource::issue], &demand.l2_bytes, &demand.dram_bytes,
                       &demand.clocks_alone}) {
    const double was = *need;
    *need *= 100;
    EXPECT_GT(microseconds(demand), before);
    *need = was;
  }
}

TEST(LaunchTime, OfBytesIsThatOfAllMultiprocessors) {
  LaunchDemand demand = demand_of(101, 8, 100);
  demand.dram_bytes = 930e6;  // 93 % of the bandwidth are in reach
  const LaunchTime time = launch_time(round_gpu, demand);
  EXPECT_EQ(time.bound(), LaunchResource::dram);
  EXPECT_NEAR(time.seconds * 1e3, 1, 0.01);  // not that of 110 blocks
  demand = demand_of(2, 8, 100);
  demand.l2_bytes = 64e3;  // of 2 multiprocessors, each of which takes 64 bytes in a clock
  EXPECT_NEAR(launch_time(round_gpu, demand)[LaunchResource::l2] * 1e6, 0.5, 1e-9);
}

TEST(LaunchTime, HasANameAndARemedyForEachResource) {
  std::set<std::string> names, remedies;
  for (size_t n = 0; n < launch_resources; ++n) {
    names.insert(name(static_cast<LaunchResource>(n)).str());
    remedies.insert(remedy(static_cast<LaunchResource>(n)).str());
  }
  EXPECT_EQ(names.size(), launch_resources);
  EXPECT_EQ(remedies.size(), launch_resources);
  EXPECT_EQ(to_string(launch_time(round_gpu, demand_of(1, 1, 4000))),
            "about 0.0057 ms, bound by latency");
}

TEST(LaunchTime, RefusesWhatIsNoAmount) {
  const auto refused = [](const LaunchDemand& demand) {
    return thrown_message<RuntimeError>([&] { launch_time(round_gpu, demand); });
  };
  EXPECT_EQ(refused(demand_of(0, 1, 1)),
            "a launch of 0 blocks, 1 at a time, needs amounts that are none");
  EXPECT_EQ(refused(demand_of(3, 0, 1)),
            "a launch of 3 blocks, 0 at a time, needs amounts that are none");
  EXPECT_EQ(refused(demand_of(3, 2, -1)),
            "a launch of 3 blocks, 2 at a time, needs amounts that are none");
  LaunchDemand demand = demand_of(3, 2, 1);
  demand.dram_bytes = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refused(demand), "a launch of 3 blocks, 2 at a time, needs amounts that are none");
}

}  // namespace launch_time_test
}  // namespace hone
