// The dependences that are reported for random programs, against the reads and writes of a run.
//
// HONE_RANDOM_PROGRAMS=5000 HONE_RANDOM_SEED=7 looks at a fifth as many, and at others.
#include <gtest/gtest.h>

#include <ctime>

#include "tests/support/ir/traced_run.h"
#include "tests/support/random/campaign.h"

namespace hone {
namespace random_dependences_test {

/// The number of programs of the seed that were checked.
int look_at_programs(uint64_t seed, uint64_t count) {
  int looked_at = 0;
  for (uint64_t number = 0; number < count; ++number) {
    Random random(seed, number, Extras("all"));
    const RandomProgram program = random_program(random, "random");
    if (program.is_long) continue;
    for (const Sizes& sizes : program.sizes) {
      const Buffers buffers = random_buffers(program.function(), sizes, number, program.places);
      EXPECT_EQ(disagreements(program.function(), sizes, buffers), "")
          << "seed " << seed << ", number " << number << "\n"
          << program.text;
    }
    ++looked_at;
  }
  return looked_at;
}

TEST(RandomDependences, AreThoseOfARun) {
  const Campaign campaign = campaign_from_environment();
  const uint64_t count = campaign.count / 5;
  EXPECT_GT(look_at_programs(campaign.seed, count), static_cast<int>(count / 2));
}

TEST(RandomDependences, AreThoseOfARunWithAFreshSeed) {
  EXPECT_GT(look_at_programs(static_cast<uint64_t>(std::time(nullptr)), 20), 5);
}

}  // namespace random_dependences_test
}  // namespace hone
