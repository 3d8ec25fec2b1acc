// The rungs that are wrong or slow on purpose: a student finds each of them out.

#include "command.h"
#include "examples/ladders/ladders.h"

namespace hone {
namespace broken_test {

using testing::HasSubstr;
using testing::Not;

CommandResult hone_on_broken(std::vector<std::string> words) {
  return hone_on(shipped_ladders(), std::move(words));
}

struct Puzzle {
  const char* rung;
  const char* sentence;  ///< that a student sees
};
void PrintTo(const Puzzle& puzzle, std::ostream* out) { *out << puzzle.rung; }

class WrongRung : public testing::TestWithParam<Puzzle> {};

TEST_P(WrongRung, IsFoundByCheck) {
  const CommandResult result = hone_on_broken({"check", GetParam().rung});
  EXPECT_THAT(result.printed, HasSubstr(GetParam().sentence));
  EXPECT_EQ(result.status, 1);
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongRung,
    testing::Values(Puzzle{"broken-transpose/1", "race on tile[1, 0]: no barrier"},
                    Puzzle{"broken-transpose/2", "access out of bounds on A: "},
                    Puzzle{"broken-transpose/5", "wrong result: B["},
                    Puzzle{"broken-transpose/6", "race on tile[0, 0]: no barrier"},
                    Puzzle{"broken-matmul/1", "race on A.tile["},
                    Puzzle{"broken-matmul/2", "wrong result: C[0, 0] is "},
                    Puzzle{"broken-matmul/3", "wrong result: C[0, 0] is "},
                    Puzzle{"broken-matmul/5", "divergent barrier: "},
                    Puzzle{"broken-reduce/1", "race on tree["},
                    Puzzle{"broken-reduce/2", "access out of bounds on A: "},
                    Puzzle{"broken-reduce/3", "race on S[]: nothing orders the blocks"},
                    Puzzle{"broken-reduce/4", "divergent shuffle: 16 lanes"},
                    Puzzle{"broken-reduce/6", "wrong result: S is "}));

class SlowRung : public testing::TestWithParam<Puzzle> {};

/// It computes what it should: nothing but its speed is the matter.
TEST_P(SlowRung, IsRightAndFoundByExplain) {
  EXPECT_THAT(hone_on_broken({"check", GetParam().rung}).printed, HasSubstr(": no findings in "));
  const CommandResult result = hone_on_broken({"explain", GetParam().rung});
  EXPECT_THAT(result.printed, HasSubstr(GetParam().sentence));
  EXPECT_EQ(result.status, 0);
}

INSTANTIATE_TEST_SUITE_P(
    All, SlowRung,
    testing::Values(Puzzle{"broken-transpose/3", "sectors per byte of global loads rise 6.36x"},
                    Puzzle{"broken-transpose/4", "wavefronts of shared loads rise 6.25x"},
                    Puzzle{"broken-matmul/4", "sectors per byte of global loads rise 3.26x"},
                    Puzzle{"broken-reduce/5", "sectors per byte of global loads rise 2x"}));

class SoundRung : public testing::TestWithParam<std::string> {};

TEST_P(SoundRung, HasNoMistakeAtAnySize) {
  const std::string rung = GetParam() + "/sound";
  const bool is_sum = GetParam() == "broken-reduce";
  for (const char* size : {"1", "15", "16", "17", "31", "33", "64", "65"}) {
    const std::vector<std::string> words =
        is_sum ? std::vector<std::string>{"check", rung, "-D", fmt::format("n={}1", size)}
               : std::vector<std::string>{"check", rung, "-D", fmt::format("M={}", size)};
    const CommandResult result = hone_on_broken(words);
    EXPECT_THAT(result.printed, HasSubstr(": no findings in ")) << result.complained;
    EXPECT_EQ(result.status, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(All, SoundRung,
                         testing::Values("broken-transpose", "broken-matmul", "broken-reduce"));

TEST(BrokenLadders, HaveEveryRungInATest) {
  size_t rungs = 0;
  for (const Ladder& ladder : broken_ladders()) {
    EXPECT_TRUE(ladder.is_broken);
    EXPECT_EQ(ladder.rungs[0].name, "sound");
    rungs += ladder.rungs.size() - 1;
  }
  EXPECT_EQ(rungs, 17u);
}

TEST(BrokenLadders, GiveNothingAwayInTheirTitles) {
  for (const Ladder& ladder : broken_ladders())
    for (const Rung& rung : ladder.rungs) {
      EXPECT_EQ(rung.title, ladder.rungs[0].title);
      EXPECT_TRUE(rung.name == "sound" || rung.idea == ladder.rungs[1].idea) << rung.idea;
    }
}

TEST(BrokenLadders, AreListedApart) {
  const std::string printed = hone_on_broken({"list"}).printed;
  const size_t line = printed.find(
      "\nwrong or slow on purpose: find out why, with `hone check` "
      "and `hone explain`\n\nbroken-transpose: ");
  ASSERT_NE(line, std::string::npos);
  EXPECT_THAT(printed.substr(0, line), Not(HasSubstr("broken")));
  EXPECT_LT(printed.find("\nbatched: "), line);
}

TEST(BrokenLadders, AreNoPartOfWhatRunsAllLadders) {
  std::vector<Ladder> ladders = broken_ladders();
  for (const char* command : {"check", "demo"}) {
    std::vector<std::string> words = {command};
    words.push_back(words[0] == "check" ? "--all" : "--device=sim");
    const CommandResult result = hone_on(ladders, words);
    EXPECT_THAT(result.printed, Not(HasSubstr("broken")));
    EXPECT_EQ(result.status, 0);
  }
  for (const Ladder& ladder : all_ladders()) EXPECT_FALSE(ladder.is_broken);
}

TEST(BrokenLadders, RunRungByRungWhereTheyAreNamed) {
  const CommandResult result = hone_on_broken({"check", "broken-reduce"});
  EXPECT_THAT(result.printed, HasSubstr("broken-reduce/sound: no findings in "));
  EXPECT_THAT(result.printed, HasSubstr("broken-reduce/1: "));
  EXPECT_EQ(result.status, 1);
}

// ---- What a rung has that is given as kernels ---------------------------------------------------

TEST(BrokenLadders, HaveTheFormsOfKernels) {
  const std::string kernel = hone_on_broken({"show", "broken-reduce/3", "--emit=kernel"}).printed;
  EXPECT_EQ(kernel, broken_ladders()[2].rungs[3].kernel);
  EXPECT_THAT(hone_on_broken({"show", "broken-reduce/3"}).printed,
              HasSubstr("extern \"C\" __global__"));
  EXPECT_THAT(hone_on_broken({"show", "broken-reduce/3", "--emit=launch"}).printed,
              HasSubstr("reduce"));
  EXPECT_THAT(hone_on_broken({"diff", "broken-reduce/3", "--emit=kernel"}).printed,
              HasSubstr("\n-      atomic S[0] += part[]\n+      S[0] += part[]\n"));
}

TEST(BrokenLadders, HaveNoSchedule) {
  const auto complaint = [](std::vector<std::string> words) {
    const CommandResult result = hone_on_broken(std::move(words));
    EXPECT_EQ(result.status, 2);
    return result.complained;
  };
  for (const char* form : {"schedule", "loops", "c"})
    EXPECT_EQ(complaint({"show", "broken-reduce/3", "--emit", form}),
              fmt::format("error: broken-reduce/3 is given as kernels and has no {}; it has "
                          "dependences, kernel, cuda, ptx, cubin, sass, launch\n",
                          form));
  EXPECT_EQ(complaint({"export", "broken-reduce/3", "--to=/nowhere"}),
            "error: broken-reduce/3 is given as kernels, and has no schedule; `show --emit=kernel` "
            "shows them\n");
  EXPECT_EQ(complaint({"show", "broken-reduce/3", "-Dn=64"}),
            "error: broken-reduce/3 is given as kernels, whose sizes are params; leave -D out\n");
  EXPECT_EQ(complaint({"run", "broken-reduce/3", "--device=host"}),
            "error: reduce is given as kernels of a GPU, and they do not run on the host\n");
}

TEST(BrokenLadders, SoundOnesRun) {
  for (const char* rung :
       {"broken-transpose/sound", "broken-matmul/sound", "broken-reduce/sound"}) {
    const CommandResult result = hone_on_broken({"run", rung, "--check"});
    EXPECT_THAT(result.printed, HasSubstr(", correct (")) << result.complained;
    EXPECT_EQ(result.status, 0);
  }
}

}  // namespace broken_test
}  // namespace hone
