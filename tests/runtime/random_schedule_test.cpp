// Random programs under random schedules: whatever is accepted computes what the program computes.
//
// HONE_RANDOM_PROGRAMS=5000 HONE_RANDOM_SEED=7 runs more and others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "fmt/format.h"
#include "ir/interpreter.h"
#include "ir/parser.h"
#include "tests/support/codegen/barriers.h"
#include "tests/support/codegen/races.h"
#include "tests/support/random/campaign.h"
#include "tests/support/random/check_mode.h"

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

// ---- Check mode ---------------------------------------------------------------------------------

/// Findings in a kernel of `body` with A to read and C, of 4 elements each, that nothing has
/// written.
std::vector<Finding> findings_in(const std::string& body) {
  Module module;
  module.kernels.push_back(parse_kernel(fmt::format(
      "kernel p(A: f32[4], C: f32[4]) grid(1, 1, 1) block(1, 1, 1) @index32 {{ {} }}", body)));
  module.arguments = module.kernels[0].arguments;
  Buffers buffers;
  for (const TensorPtr& tensor : module.arguments)
    buffers.emplace(tensor->name, buffer_for(*tensor, {}));
  llvm::StringSet<> unwritten;
  unwritten.insert("C");
  return check_kernels(module, {}, unwritten, buffers);
}

TEST(RandomSchedules, MayMoveUnwrittenElementsButNotComputeWithThem) {
  const std::string tile = "alloc R: f32[4] @registers for i in 0..4 { ";
  EXPECT_EQ(texts_of(findings_in(tile + "R[i] = select(i < 3, C[i], 0.0) C[i] = A[i] }")), "");
  const auto moved = findings_in(tile + "R[i] = C[i] C[i] = R[i] }");
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_TRUE(moves_unwritten_elements(moved[0])) << texts_of(moved);
  for (const char* use : {"C[i] += A[i] }", "R[i] = C[i] + 1.0 }", "C[i] = max(C[i], A[i]) }"}) {
    const auto used = findings_in(tile + use);
    ASSERT_EQ(used.size(), 1u) << use;
    EXPECT_FALSE(moves_unwritten_elements(used[0])) << texts_of(used);
  }
}

TEST(RandomSchedules, KnowWhatAProgramWritesInFull) {
  const Function function = parse_function(
      "func p(A: f32[4], C: f32[4], D: f32[4], E: f32[4]) { for i in 0..4 { C[i] = A[i] "
      "if (i < 3) { D[i] = A[i] } E[i] += A[i] } }");
  const Buffers before = random_buffers(function, {}, 7);
  Buffers after = before;
  interpret(function, {}, after);
  const llvm::StringSet<> names = written_in_full(function, {}, before, after);
  EXPECT_TRUE(names.contains("C"));
  EXPECT_EQ(names.size(), 1u);
}

struct Agreement {
  int races = 0, harmless = 0;  ///< barriers whose loss is a race, and those where it is none
};

bool is_race(const Finding& finding) {
  return finding.kind == FindingKind::race || finding.kind == FindingKind::same_value_race ||
         finding.kind == FindingKind::divergent_barrier;
}

/// Drops each barrier of the module's kernels, for the sizes, and compares what check mode says of
/// what is left with a walk over the accesses of all threads.
void drop_barriers(const Module& module, const Sizes& sizes, const Buffers& inputs,
                   Agreement& agreement) {
  for (size_t number = 0; number < module.kernels.size(); ++number)
    for (int n = 0; n < count_barriers(module.kernels[number]); ++n) {
      Module mutant = module;
      mutant.kernels[number] = without_barrier(module.kernels[number], n);
      Buffers buffers = inputs;
      const auto findings = check_kernels(mutant, sizes, {}, buffers);
      const auto race = find_race(mutant.kernels[number], sizes);
      ASSERT_EQ(llvm::any_of(findings, is_race), race.has_value())
          << "without barrier " << n << "\n"
          << race.value_or("no race") << "\n"
          << texts_of(findings) << to_string(mutant.kernels[number]);
      ++(race ? agreement.races : agreement.harmless);
    }
}

/// The same for the kernels of a case, with the sizes that they take.
void drop_barriers(const RandomCase& random_case, Agreement& agreement) {
  const CaseReport report = run_case(random_case);
  if (report.has_failed() || report.counts.count("with barriers") == 0) return;
  const auto [program, schedule] = replay(random_case, report);
  SCOPED_TRACE(fmt::format("seed {}, number {}", random_case.seed, random_case.number));
  for (const Sizes& sizes : program.sizes) {
    const auto holds = [&](const Expr& assumption) { return evaluate(assumption, sizes) != 0; };
    if (!llvm::all_of(schedule.function().assumptions, holds)) continue;
    drop_barriers(lower(schedule), sizes,
                  random_buffers(program.function(), sizes, random_case.seed), agreement);
  }
}

TEST(RandomSchedules, CheckModeFindsTheRacesOfDroppedBarriers) {
  Agreement agreement;
  for (uint64_t number = 0; number < 60; ++number)
    drop_barriers({6, number, {}, {}, false}, agreement);
  fmt::print("{} barriers dropped make a race, {} do not\n", agreement.races, agreement.harmless);
  EXPECT_GT(agreement.races, 10);
}

}  // namespace
}  // namespace hone
