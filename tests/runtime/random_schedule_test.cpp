// Random programs under random schedules: whatever is accepted computes what the program computes.
//
// HONE_RANDOM_PROGRAMS=5000 HONE_RANDOM_SEED=7 runs more and others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fmt/format.h"
#include "tests/support/random/campaign.h"

namespace hone {
namespace {

TEST(RandomSchedules, KeepTheMeaningOfRandomPrograms) {
  const CampaignResult result = run_campaign(campaign_from_environment());
  fmt::print("{}", result.statistics());
  for (const std::string& failure : result.failures) ADD_FAILURE() << failure;
}

TEST(RandomSchedules, OneCaseDoesNotDependOnTheOthers) {
  const CaseReport alone = run_case({3, 41, {}, {}, false});
  const CaseReport again = run_case({3, 41, {}, {}, false});
  EXPECT_EQ(alone.choices, again.choices);
  EXPECT_EQ(alone.source, again.source);
  EXPECT_NE(alone.choices, run_case({3, 42, {}, {}, false}).choices);
  EXPECT_NE(alone.choices, run_case({4, 41, {}, {}, false}).choices);
}

TEST(RandomSchedules, ACaseIsReplayedFromItsChoicesAndSteps) {
  const CaseReport drawn = run_case({3, 41, {}, {}, false});
  const CaseReport replayed = run_case({3, 41, drawn.choices, drawn.steps, false});
  EXPECT_EQ(replayed.check, "");
  EXPECT_EQ(replayed.source, drawn.source);
}

/// Runs the case, and takes it as a failure that a step of `primitive` was accepted.
CaseReport fails_after(const char* primitive, const RandomCase& random_case) {
  CaseReport report = run_case(random_case);
  for (const Step& step : report.steps)
    if (step.primitive == primitive) report.check = "planted";
  return report;
}

/// The first number of the seed whose schedule has at least `steps` steps and fails as planted.
RandomCase long_failing_case(const RunCase& run, size_t steps) {
  RandomCase random_case{5, 0, {}, {}, false};
  for (;; ++random_case.number) {
    const CaseReport report = run(random_case);
    if (report.has_failed() && report.steps.size() >= steps) return random_case;
  }
}

TEST(RandomSchedules, AFailureShrinksToTheStepThatMattersAndPrintsAsCpp) {
  const RunCase run = [](const RandomCase& random_case) {
    return fails_after("split_into", random_case);
  };
  const RandomCase failing = long_failing_case(run, 6);
  const Shrunk shrunk = shrink(failing, run(failing), run);
  ASSERT_EQ(shrunk.report.steps.size(), 1u);
  EXPECT_EQ(shrunk.report.check, "planted");
  EXPECT_THAT(reproducer(shrunk.smallest, shrunk.report),
              testing::ContainsRegex("\n    C\\(.*\\) = .*\\);\n"
                                     "Schedule s\\(program\\);\n"
                                     "auto \\[._0, ._1\\] = s.split_into\\(., [12]\\);\n// "));
}

}  // namespace
}  // namespace hone
