// What is said of the dependences of random programs, against what a run of them reads and writes.
//
// HONE_RANDOM_PROGRAMS=5000 HONE_RANDOM_SEED=7 looks at more and others.
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>

#include "tests/support/ir/traced_run.h"
#include "tests/support/random/random_program.h"

namespace hone {
namespace {

uint64_t number_from(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

/// How many programs of the seed were looked at.
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
  const uint64_t count = number_from("HONE_RANDOM_PROGRAMS", 60);
  EXPECT_GT(look_at_programs(number_from("HONE_RANDOM_SEED", 1), count), count / 2);
}

TEST(RandomDependences, AreThoseOfARunWithAFreshSeed) {
  const auto seed = static_cast<uint64_t>(std::time(nullptr));
  EXPECT_GT(look_at_programs(number_from("HONE_RANDOM_SEED", seed), 20), 5);
}

}  // namespace
}  // namespace hone
