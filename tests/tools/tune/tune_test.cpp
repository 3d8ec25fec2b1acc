// `hone tune`: from the space of a rung to a plain schedule. A script makes up the times.
#include "dsl/tune_table.h"
#include "examples/ladders/ladders.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tools/cli/judge/selection.h"
#include "tuned_axpy.h"

namespace hone {
namespace tune_command_test {

using testing::HasSubstr;
using testing::Not;

/// The winner beyond the spread; what the schedule refuses, and what changes nothing, is counted.
TEST(Tune, EndsInThePlainScheduleOfTheFastest) {
  const FakeWorker worker("cuda:0", times("2.5", "2.0", "1.0"));
  const CommandResult result = tune_axpy(worker, {"-DN=4096"});
  EXPECT_EQ(result.complained, "");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(result.printed,
            "// axpy/blocks: N=4096; 3 schedules, 1 refused, 3 without effect\n"
            "// 3 schedules ranked by the model, 3 measured on a fake GPU\n"
            "//\n"
            "//   1 ms +- 0  threads=256 idle=1\n"
            "//   2 ms +- 0  its own schedule, threads=128 idle=1\n"
            "//   2.5 ms +- 0  threads=64 idle=1\n"
            "//\n"
            "// the model's first choice has 100 % of the speed of the best\n"
            "// the best, 2.00 times as fast as the rung's own schedule: threads=256 idle=1\n"
            "auto [i_0, i_1] = s.split(i, 256);\n"
            "s.bind(i_0, block.x);\n"
            "s.bind(i_1, thread.x);\n");
}

/// What it prints is a file of steps.
TEST(Tune, WritesStepsThatOtherCommandsRead) {
  const FakeWorker worker("cuda:0", times("1.0", "2.0", "2.0"));
  const std::string file = worker.file("steps.txt");
  EXPECT_THAT(tune_axpy(worker, {"-o", file}).printed, Not(HasSubstr("s.split")));
  const CommandResult tried =
      hone_on({tunable_axpy()}, {"try", "axpy", "--emit=schedule", "--steps=" + file});
  EXPECT_THAT(tried.printed, HasSubstr("auto [i_0, i_1] = s.split(i, 64);\n"));
  EXPECT_EQ(tried.complained, "");
}

/// A sample of one round has the spread of its worker, 0.2 ms.
TEST(Tune, LeavesTiesToTheRungsOwnSchedule) {
  const FakeWorker tie("cuda:0", times("2.5", "2.0", "1.8"));
  EXPECT_THAT(tune_axpy(tie, {"--rounds=1"}).printed,
              HasSubstr("// the rung's own schedule stays: no other is faster beyond the spread\n"
                        "auto [i_0, i_1] = s.split(i, 128);\n"));
  const FakeWorker win("cuda:0", times("2.5", "2.0", "1.79"));
  EXPECT_THAT(tune_axpy(win, {"--rounds=1"}).printed, HasSubstr("s.split(i, 256);\n"));
}

/// The rung's own schedule is measured, whatever its rank.
TEST(Tune, MeasuresTheBestAndTheRungsOwn) {
  const FakeWorker worker("cuda:0", times("1.0", "3.0", "2.0"));
  EXPECT_THAT(tune_axpy(worker, {"--top=1"}).printed,
              HasSubstr("// 3 schedules ranked by the model, 2 measured on a fake GPU\n"));
  EXPECT_EQ(worker.started(),
            "own\nthreads=64 idle=1\nthreads=256 idle=1\n"  // ranked
            "own\nthreads=64 idle=1\n");
}

/// Schedules of the rest tell how far the orders agree. Estimates and times differ in this one.
TEST(Tune, TellsHowWellTheModelRanks) {
  const FakeWorker worker("cuda:0",
                          "*'cuda:0'*'split(i, 64)'*) ms=1.5;; " + times("1.0", "3.0", "2.0"));
  EXPECT_THAT(tune_axpy(worker, {"--top=1"}).printed, HasSubstr("2 measured on a fake GPU\n"));
  const CommandResult all = tune_axpy(worker, {"--top=1", "--others=5"});
  EXPECT_THAT(all.printed, HasSubstr("3 measured on a fake GPU\n"));
  EXPECT_THAT(all.printed,
              HasSubstr("// the model's first choice has 100 % of the speed of the best; rank "
                        "correlation 1.00, of 3 schedules\n"));
  const FakeWorker other("cuda:0",
                         "*'cuda:0'*'split(i, 64)'*) ms=4;; " + times("1.0", "3.0", "2.0"));
  EXPECT_THAT(tune_axpy(other, {"--top=1", "--others=5"}).printed,
              HasSubstr("// the model's first choice has 50 % of the speed of the best; rank "
                        "correlation -0.50, of 3 schedules\n"));
}

/// Nothing has an estimate, and the GPU measures all the same.
TEST(Tune, MeasuresWithoutEstimates) {
  const FakeWorker worker("cuda:0", "*'\"sim\"'*) exit 3;; " + times("1.0", "3.0", "2.0"));
  const CommandResult result = tune_axpy(worker, {"--others=2"});
  EXPECT_EQ(result.complained, "");
  EXPECT_THAT(result.printed, HasSubstr("// 0 schedules ranked by the model, 3 without an estimate "
                                        "(the process ended with status 3), 3 measured"));
  EXPECT_THAT(result.printed, Not(HasSubstr("first choice")));
}

TEST(Tune, SaysThatNothingIsMeasuredWithoutAGpu) {
  const FakeWorker worker("sim", times("1.0", "2.0", "3.0"));
  const CommandResult result = tune_axpy(worker);
  EXPECT_THAT(result.printed, HasSubstr("// 3 schedules ranked by the model of a fake GPU, none "
                                        "measured: these are estimates\n"));
  EXPECT_THAT(result.printed, HasSubstr("s.split(i, 64);\n"));
}

/// The rung's own schedule is ranked in any case.
TEST(Tune, EndsWithItsBudget) {
  const FakeWorker worker("cuda:0");
  EXPECT_THAT(tune_axpy(worker, {"--budget=0.0001"}).printed,
              HasSubstr("// 1 schedule ranked by the model of a fake GPU, 2 not reached in 0.0001 "
                        "s, none measured: these are estimates\n"));
  EXPECT_EQ(worker.started(), "own\n");
}

/// A schedule that takes too long to compile leaves the others their samples, and no trace in a
/// log: another search tries it again.
TEST(Tune, LeavesOutWhatTheBudgetHasNoTimeFor) {
  const FakeWorker worker("cuda:0",
                          "*'cuda:0'*'split(i, 256)'*) [ -e FOLDER/no-hangs ] || sleep 100;;");
  const std::string log = "--log=" + worker.file("log.jsonl");
  EXPECT_THAT(tune_axpy(worker, {"--budget=2", log}).printed,
              HasSubstr("// 3 schedules ranked by the model, 2 measured on a fake GPU, 1 left out "
                        "after 2 s\n"));
  write_new_file(worker.file("no-hangs"), "");
  EXPECT_THAT(tune_axpy(worker, {log}).printed,
              HasSubstr("// 3 schedules ranked by the model, 3 measured on a fake GPU\n"));
}

/// So does one whose estimate takes too long.
TEST(Tune, EndsEstimatesWithItsBudget) {
  const FakeWorker worker("sim", "*'split(i, 256)'*) sleep 100;;");
  EXPECT_THAT(tune_axpy(worker, {"--budget=0.5"}).printed,
              HasSubstr(", 1 not reached in 0.5 s, none measured: these are estimates\n"));
}

TEST(Tune, GoesOnFromALog) {
  const FakeWorker worker("cuda:0", times("1.0", "2.0", "3.0"));
  const std::string log = "--log=" + worker.file("log.jsonl");
  const CommandResult first = tune_axpy(worker, {log});
  const std::string started = worker.started();
  EXPECT_EQ(tune_axpy(worker, {log}).printed, first.printed);
  EXPECT_EQ(worker.started(), started);
}

/// Candidates that crash or hang are no winners; where nothing has a time, that is an error.
TEST(Tune, SurvivesCandidatesThatFail) {
  const FakeWorker some("cuda:0", "*'split(i, 64)'*) kill -SEGV $$;; *'split(i, 128)'*) ms=3.0;;");
  const CommandResult result = tune_axpy(some);
  EXPECT_THAT(result.printed,
              HasSubstr("// 2 schedules ranked by the model, 1 without an estimate (the process "
                        "ended by signal 11, Segmentation fault), 2 measured"));
  EXPECT_THAT(result.printed, HasSubstr("s.split(i, 256);\n"));
  const FakeWorker none("cuda:0", "*) exit 3;;");
  EXPECT_EQ(tune_axpy(none).complained,
            "error: no schedule of axpy/blocks has a time; that of the rung itself: the process "
            "ended with status 3\n");
}

TEST(Tune, PrintsAllCandidatesAsJson) {
  const FakeWorker worker("cuda:0", times("1.0", "2.0", "3.0"));
  const CommandResult result = tune_axpy(worker, {"--json"});
  auto value = llvm::json::parse(result.printed);
  ASSERT_TRUE(bool(value)) << llvm::toString(value.takeError());
  const llvm::json::Object& object = *value->getAsObject();
  EXPECT_EQ(object.getArray("candidates")->size(), 3u);
  EXPECT_EQ(object.getArray("refused")->size(), 1u);
  EXPECT_EQ(*object.getObject("model")->getInteger("schedules"), 3);
  EXPECT_EQ(*object.getObject("model")->getNumber("first_choice"), 1);
  EXPECT_EQ(*object.getObject("model")->getNumber("rank_correlation"), 1);
  EXPECT_EQ(*object.getObject("winner")->getObject("parameters")->getInteger("threads"), 64);
  EXPECT_EQ(*object.getObject("winner")->getObject("measured")->getNumber("milliseconds"), 1.0);
}

/// axpy, whose author expects the fewer milliseconds on an H200 the fewer threads a block has, of
/// blocks of at least so many.
Ladder axpy_with_formula(int64_t least) {
  Ladder ladder = tunable_axpy();
  ladder.rungs.back().space = [least](const Sizes& fixed, const Sizes&, tune::Choices& choices) {
    const Axpy p(fixed);
    Schedule s(p.program);
    const int64_t threads = choices.choice("threads", {64, 128, 256});
    auto [b, t] = s.split(p.i, threads);
    s.bind(b, block.x);
    s.bind(t, thread.x);
    if (threads >= least) choices.expect_seconds(static_cast<double>(threads) * 1e-3, "H200 SXM");
    return s;
  };
  return ladder;
}

std::string tuned_by_formula(const FakeWorker& worker, const std::string& gpu,
                             const std::vector<std::string>& more = {}, int64_t least = 0) {
  std::vector<std::string> words = {"tune", "axpy/blocks", "--workers=1", worker.option(),
                                    "--gpu=" + gpu};
  words.insert(words.end(), more.begin(), more.end());
  return hone_on({axpy_with_formula(least)}, words).printed;
}

/// A formula ranks for GPUs of its own architecture, and says whose times it has.
TEST(Tune, RanksByTheFormulaOfTheScheduleForGpusLikeItsOwn) {
  const FakeWorker worker("sim", times("3.0", "2.0", "1.0"));
  EXPECT_THAT(tuned_by_formula(worker, "H100 SXM"),
              HasSubstr("// 3 schedules ranked by the model of H200 SXM, none measured: these are "
                        "estimates\n//\n//   64 ms  threads=64\n//   128 ms  its own schedule, "
                        "threads=128\n//   256 ms  threads=256\n"));
  EXPECT_THAT(tuned_by_formula(worker, "A100 SXM 80GB"), HasSubstr("//   1 ms  threads=256\n"));
}

/// Times of the formula, and of the model for a schedule that has none, say nothing about each
/// other.
TEST(Tune, RanksByOneModelWhereAScheduleHasNoFormula) {
  const FakeWorker worker("sim", times("3.0", "2.0", "1.0"));
  const std::string file = worker.file("tuned.jsonl");
  const tune::Line known = {to_string(Axpy({}).program.function()),
                            "H100 SXM",
                            {{"N", 4096}},
                            "",
                            "s.bind(i, block.x);\n",
                            2.5,
                            false,
                            "a test"};
  write_new_file(file, to_json(known));
  EXPECT_THAT(
      tuned_by_formula(worker, "H100 SXM", {"-DN=4096", "--top=1", "--table=" + file}),
      HasSubstr("// 3 schedules ranked by the model of a fake GPU, 1 behind them by the formula of "
                "the rung, none measured: these are estimates\n//\n//   2 ms  its own schedule, "
                "threads=128\n//\n"));
  EXPECT_THAT(tuned_by_formula(worker, "H100 SXM", {"-DN=8192", "--table=" + file}),
              HasSubstr("//   64 ms  threads=64\n"));
}

/// No formula puts those without one behind others, so the model ranks them all.
TEST(Tune, RanksAllSchedulesWithoutAFormula) {
  const FakeWorker worker("sim", times("1.0", "2.0", "0.5"));
  const auto tuned = [&](const std::vector<std::string>& more) {
    return tuned_by_formula(worker, "H100 SXM", more, 128);
  };
  EXPECT_THAT(tuned({"--top=1"}),
              HasSubstr("// 2 schedules ranked by the model of a fake GPU, 1 behind them by the "
                        "formula of the rung, none measured: these are estimates\n//\n//   1 ms  "
                        "threads=64\n//   2 ms  its own schedule, threads=128\n//\n"));
  EXPECT_THAT(tuned({"--top=1", "--budget=0.0001"}),
              HasSubstr("// 1 schedule ranked by the model of a fake GPU, 1 behind them by the "
                        "formula of the rung, 1 not reached in 0.0001 s, none measured"));
  EXPECT_THAT(tuned({"--top=2", "--budget=0.0001"}),
              HasSubstr("// 1 schedule ranked by the model of a fake GPU, 2 not reached in 0.0001 "
                        "s, none measured"));
}

/// Of a person at a terminal.
class ProgressOutput : public CapturedOutput {
 public:
  bool shows_progress() const override { return true; }
};

TEST(Tune, ShowsTheBestSoFarOnATerminal) {
  const FakeWorker worker("cuda:0", times("1.0", "2.0", "3.0"));
  ProgressOutput out;
  run_command({"tune", "axpy/blocks", "--workers=1", worker.option()}, {tunable_axpy()}, out);
  EXPECT_THAT(out.complained, HasSubstr("\r\x1b[Kaxpy/blocks: ranked 3 of 3, best so far 1 ms"
                                        ": threads=64 idle=1"));
  EXPECT_THAT(out.complained, HasSubstr("axpy/blocks: sample 15 of 15, best so far 1 ms"));
  EXPECT_THAT(out.complained, testing::EndsWith("\r\x1b[K"));
}

TEST(Tune, RefusesWhatHasNoParameters) {
  const FakeWorker worker("sim");
  EXPECT_EQ(hone_on({tunable_axpy()}, {"tune", "axpy/serial", worker.option()}).complained,
            "error: axpy/serial has no parameters to tune; axpy/blocks has\n");
  EXPECT_EQ(hone_on({small_axpy()}, {"tune", "axpy/blocks", worker.option()}).complained,
            "error: axpy/blocks has no parameters to tune; no rung of its ladder has any\n");
  EXPECT_EQ(tune_axpy(FakeWorker("host")).complained,
            "error: axpy/blocks runs on a GPU; measure it there, or have the model rank it with "
            "--device=sim\n");
  EXPECT_THAT(tune_axpy(worker, {"--gpu=none"}).complained,
              testing::StartsWith("error: no GPU none is known; there are T4, "));
  EXPECT_EQ(tune_axpy(worker, {"--top=0"}).complained,
            "error: --top takes a number from 1 on, got '0'\n");
  EXPECT_EQ(tune_axpy(worker, {"--budget=soon"}).complained,
            "error: --budget takes a number of seconds above 0, got 'soon'\n");
}

/// The space of a rung has its own schedule, at these sizes: what it takes by the sizes is among
/// the choices. Of the ladders that share a space, one is enough.
TEST(TuneItself, HasTheSchedulesOfTheRungs) {
  for (const Ladder& ladder : shipped_ladders())
    for (const Rung& rung : ladder.rungs) {
      const bool is_like_hgemm = rung.name == "tuned" && ladder.name != "matmul";
      if (!rung.space || (is_like_hgemm && ladder.name != "hgemm")) continue;
      const Sizes sizes = tried_sizes(ladder, ladder.sizes, Device::simulated());
      const std::string own = rung.build({}, sizes).trace_text();
      const tune::Space space =
          tune::explore([&](tune::Choices& choices) { return rung.space({}, sizes, choices); });
      EXPECT_GE(space.candidates.size(), 10u) << ladder.name;
      EXPECT_TRUE(llvm::any_of(space.candidates,
                               [&](const tune::Candidate& one) { return one.steps == own; }))
          << ladder.name << "/" << rung.name;
    }
}

/// The command's own workers rank a space on the simulated device, a block of each launch.
CommandResult rank_here(std::vector<std::string> words) {
  words.insert(words.begin(), "tune");
  words.insert(words.end(),
               {"--device=sim", "--blocks=1", std::string("--worker-command=") + HONE_PROGRAM});
  return hone_on(shipped_ladders(), words);
}

/// A rung whose program has a size as a constant leaves it to its candidates, and to steps.
TEST(TuneItself, SchedulesTheProgramOfTheRung) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const CommandResult result = rank_here({"softmax/vectorized", "-DM=64", "-DN=1024"});
  EXPECT_EQ(result.complained, "");
  EXPECT_THAT(result.printed, Not(HasSubstr("without an estimate")));
}

/// Candidates of every space that comes with Hone are replayed and compiled, and have a time.
TEST(TuneItself, RanksTheSpacesOfTheLadders) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const CommandResult result = rank_here({"transpose/lanes-16x2", "-DM=512", "-DN=512"});
  EXPECT_EQ(result.complained, "");
  EXPECT_THAT(result.printed, HasSubstr("schedules ranked by the model of H100 SXM, none"));
}

}  // namespace tune_command_test
}  // namespace hone
