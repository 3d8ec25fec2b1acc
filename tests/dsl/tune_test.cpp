// Spaces of schedules: which runs there are, and which of them are candidates.
#include "dsl/tune.h"

#include "gmock/gmock.h"

namespace hone {
namespace tune_test {

using testing::ElementsAre;

/// S(i) = 2 X(i) over 100 elements.
struct Doubled {
  Tensor X{"X", f32, {100}}, S{"S", f32, {100}};
  Axis i{"i", 100};
  Program program{"doubled", S(i) = X(i) * 2.0};
};

std::vector<std::string> texts(const tune::Space& space) {
  std::vector<std::string> result;
  for (const tune::Candidate& one : space.candidates) result.push_back(to_text(one.parameters));
  return result;
}

/// The parameters of all runs of a function that only chooses.
template <class Choose>
std::vector<std::string> runs_of(Choose choose) {
  std::vector<std::string> result;
  tune::Choices choices;
  do {
    choose(choices);
    result.push_back(to_text(choices.taken()));
  } while (choices.advance());
  return result;
}

TEST(Choices, RunThroughAllCombinationsTheLastFastest) {
  EXPECT_THAT(runs_of([](tune::Choices& choices) {
                choices.choice("a", {1, 2});
                choices.choice("b", {3, 4});
              }),
              ElementsAre("a=1 b=3", "a=1 b=4", "a=2 b=3", "a=2 b=4"));
  EXPECT_THAT(runs_of([](tune::Choices&) {}), ElementsAre(""));
}

TEST(Choices, HaveDomainsThatDependOnEarlierOnes) {
  EXPECT_THAT(runs_of([](tune::Choices& choices) {
                const int64_t a = choices.choice("a", {1, 2, 3});
                if (a == 1) choices.choice("b", {7});
                if (a == 3) choices.choice("c", {a, a * a});
              }),
              ElementsAre("a=1 b=7", "a=2", "a=3 c=3", "a=3 c=9"));
}

template <class Choose>
std::string refusal_of(Choose choose) {
  try {
    runs_of(choose);
  } catch (const DefinitionError& error) {
    return error.message();
  }
  return "";
}

TEST(Choices, RefuseWhatIsNoParameter) {
  EXPECT_EQ(refusal_of([](tune::Choices& choices) { choices.choice("a", {}); }),
            "the parameter a has no values to choose from");
  EXPECT_EQ(refusal_of([](tune::Choices& choices) {
              choices.choice("a", {1});
              choices.choice("a", {1});
            }),
            "the parameter a is chosen twice in a run");
  int run = 0;
  EXPECT_EQ(refusal_of([&](tune::Choices& choices) {
              choices.choice(run++ == 0 ? "a" : "b", {1, 2});
            }),
            "a run chooses b of {1, 2} where an earlier run with the same choices had a of {1, 2}; "
            "a parametric schedule depends on its choices alone");
  EXPECT_EQ(refusal_of([](tune::Choices& choices) { choices.expect_seconds(0, "H200 SXM"); }),
            "a schedule is expected to take 0 seconds");
}

/// A candidate is a plain schedule: its steps say it all.
TEST(Explore, MakesPlainSchedules) {
  const Doubled p;
  const tune::Space space = tune::explore([&](tune::Choices& choices) {
    Schedule s(p.program);
    auto [block_axis, thread_axis] = s.split(p.i, choices.choice("threads", {10, 20}));
    s.bind(block_axis, block.x);
    s.bind(thread_axis, thread.x);
    return s;
  });
  EXPECT_THAT(texts(space), ElementsAre("threads=10", "threads=20"));
  Schedule replayed(p.program);
  replayed.replay(space.candidates[1].steps, "steps");
  EXPECT_EQ(replayed.trace_text(), space.candidates[1].steps);
  EXPECT_THAT(replayed.trace_text(), testing::HasSubstr("split(i, 20)"));
}

/// A combination that the schedule refuses is no candidate; parameters behind the refused step are
/// skipped.
TEST(Explore, LeavesOutRefusedAndRepeatedCombinations) {
  const Doubled p;
  const tune::Space space = tune::explore([&](tune::Choices& choices) {
    Schedule s(p.program);
    s.split(p.i, choices.choice("threads", {10, 30, 50}), {.tail = Tail::exact});
    choices.choice("idle", {1, 2, 3});
    return s;
  });
  EXPECT_THAT(texts(space), ElementsAre("threads=10 idle=1", "threads=50 idle=1"));
  EXPECT_EQ(space.repeated, 4);
  ASSERT_EQ(space.refused.size(), 1u);
  EXPECT_EQ(to_text(space.refused[0].parameters), "threads=30");
  EXPECT_THAT(space.refused[0].reason,
              testing::HasSubstr("30 does not divide the extent 100 of i"));
}

/// A formula says what a schedule takes; the next run has none until it says so, too.
TEST(Explore, KeepsTheTimesThatSchedulesExpect) {
  const Doubled p;
  const tune::Space space = tune::explore([&](tune::Choices& choices) {
    Schedule s(p.program);
    const int64_t threads = choices.choice("threads", {10, 20});
    s.split(p.i, threads);
    if (threads == 10) choices.expect_seconds(0.5, "H200 SXM");
    return s;
  });
  ASSERT_EQ(space.candidates.size(), 2u);
  ASSERT_TRUE(space.candidates[0].expectation);
  EXPECT_EQ(space.candidates[0].expectation->seconds, 0.5);
  EXPECT_EQ(space.candidates[0].expectation->gpu, "H200 SXM");
  EXPECT_FALSE(space.candidates[1].expectation);
}

}  // namespace tune_test
}  // namespace hone
