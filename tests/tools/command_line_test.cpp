#include "tools/cli/command/command_line.h"

#include <cstdlib>
#include <stdexcept>

#include "command.h"
#include "ir/scalar/scalar.h"
#include "runtime/device.h"
#include "tests/support/runtime/temporary_folder.h"
#include "tools/cli/colour.h"
#include "tools/cli/judge/problem.h"

namespace hone {
namespace command_line_test {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

TEST(List, ShowsLaddersAndRungs) {
  EXPECT_EQ(hone({"list"}).printed,
            "axpy: Z = 2 X + Y\n"
            "  serial  one loop (on the host)\n"
            "  blocks  one thread per element\n"
            "\n"
            "matmul: C = A B\n"
            "  parallel  rows on the cores (on the host)\n"
            "  threads   one thread per element\n"
            "  register  the sum in a register\n");
}

TEST(List, ShowsTheIdeasOfALadder) {
  EXPECT_EQ(hone({"list", "axpy"}).printed,
            "axpy: Z = 2 X + Y\n"
            "\n"
            "  serial  one loop (on the host)\n"
            "          The idea of serial.\n"
            "\n"
            "  blocks  one thread per element\n"
            "          The idea of blocks.\n");
}

TEST(List, NamesWhereARungComesFrom) {
  Ladder ladder = small_axpy();
  ladder.rungs[0].rebuilds = "step 1 of a tutorial";
  ladder.rungs[1].builds_on = "serial";
  ladder.rungs[1].rebuilds = "step 2 of it";
  const std::string text = hone_on({ladder}, {"list", "axpy"}).printed;
  EXPECT_THAT(text, HasSubstr("The idea of serial.\n          Rebuilds step 1 of a tutorial.\n"));
  EXPECT_THAT(text, HasSubstr("          Builds on serial. Rebuilds step 2 of it.\n"));
}

TEST(BuiltOn, IsARungOfTheLadder) {
  Ladder ladder = small_axpy();
  EXPECT_EQ(built_on(ladder, ladder.rungs[1]), nullptr);
  ladder.rungs[1].builds_on = "serial";
  EXPECT_EQ(built_on(ladder, ladder.rungs[1]), &ladder.rungs[0]);
  ladder.rungs[1].builds_on = "parallel";
  try {
    built_on(ladder, ladder.rungs[1]);
    FAIL() << "no error";
  } catch (const RuntimeError& error) {
    EXPECT_STREQ(error.what(), "axpy/blocks builds on 'parallel', which is no rung of its ladder");
  }
}

TEST(Ladders, HaveNamesOfTheirOwn) {
  EXPECT_EQ(hone_on({small_axpy(), small_axpy()}, {"list"}).complained,
            "error: two ladders are named axpy\n");
  Ladder ladder = small_axpy();
  ladder.rungs[1].name = "serial";
  EXPECT_EQ(hone_on({ladder}, {"list"}).complained, "error: two rungs of axpy are named serial\n");
  ladder.rungs[1].location = {"my.cpp", 7};
  const CommandResult result = hone_on({ladder}, {"check", "axpy"});
  EXPECT_EQ(result.complained, "my.cpp:7: error: two rungs of axpy are named serial\n");
  EXPECT_EQ(result.status, 1);
}

TEST(Ladders, HaveTheRungsThatOthersBuildOn) {
  Ladder ladder = small_axpy();
  ladder.rungs[1].builds_on = "serail";
  ladder.rungs[1].location = {"my.cpp", 7};
  EXPECT_EQ(hone_on({ladder}, {"list"}).complained,
            "my.cpp:7: error: axpy/blocks builds on 'serail', which is no rung of its ladder; did "
            "you mean 'serial'?\n");
}

std::string words(int count) {
  std::string text = "eight888";
  while (--count > 0) text += " eight888";
  return text;
}

TEST(List, WrapsALongIdea) {
  Ladder ladder = small_axpy();
  ladder.rungs[0].idea = words(30);
  llvm::SmallVector<llvm::StringRef> lines;
  const std::string text = hone_on({ladder}, {"list", "axpy"}).printed;
  llvm::StringRef(text).split(lines, '\n');
  for (const llvm::StringRef line : lines) EXPECT_LE(line.size(), 90u);
  EXPECT_EQ(lines[2], "  serial  one loop (on the host)");
  EXPECT_EQ(lines[3].str(), "          " + words(9));
  EXPECT_EQ(lines[6].str(), "          " + words(3));
  EXPECT_EQ(lines[7], "");
}

TEST(CommandLine, PrintsItsHelp) {
  const CommandResult result = hone({"--help"});
  EXPECT_THAT(result.printed, StartsWith("usage: hone COMMAND ...\n"));
  for (const char* command : {"list", "show", "export", "diff", "run", "check", "counters",
                              "explain", "ladder", "demo", "doctor"})
    EXPECT_THAT(result.printed, HasSubstr(fmt::format("\n  {} ", command)));
  EXPECT_EQ(result.status, 0);
}

TEST(CommandLine, PrintsTheHelpOfACommand) {
  const CommandResult result = hone({"diff", "--help"});
  EXPECT_THAT(result.printed,
              StartsWith("usage: hone diff LADDER/RUNG [LADDER/RUNG] [OPTION]...\n"));
  EXPECT_THAT(result.printed, HasSubstr("\n  -D NAME=SIZE        makes a size a constant"));
  EXPECT_EQ(result.status, 0);
}

TEST(CommandLine, HelpsWithACommand) {
  EXPECT_EQ(hone({"help", "diff"}).printed, hone({"diff", "--help"}).printed);
  EXPECT_EQ(hone({"help"}).printed, hone({"--help"}).printed);
  expect_usage_error({"help", "dif"}, "there is no command 'dif'; did you mean 'diff'?");
}

TEST(CommandLine, PrintsItsVersion) {
  EXPECT_THAT(hone({"--version"}).printed, MatchesRegex("hone [0-9.]+\n"));
}

TEST(CommandLine, WritesToTheStreamsOfTheProcess) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const char* const good[] = {"hone", "list"};
  const char* const bad[] = {"hone", "lost"};
  EXPECT_EQ(run_command(2, good, {small_axpy()}), 0);
  EXPECT_EQ(run_command(2, bad, {small_axpy()}), 2);
  EXPECT_THAT(testing::internal::GetCapturedStdout(), StartsWith("axpy: Z = 2 X + Y\n"));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "error: there is no command 'lost'; did you mean 'list'?\n");
}

TEST(CommandLine, ColoursWhatAReaderLooksFor) {
  EXPECT_EQ(coloured("error: no\n  for i  <-- here\nnote: but\n"),
            "\x1b[1m\x1b[31merror:\x1b[0m no\n  for i  \x1b[1m\x1b[31m<-- here\x1b[0m\n"
            "\x1b[1m\x1b[36mnote:\x1b[0m but\n");
  EXPECT_EQ(coloured("a.cpp:3: warning: odd"), "a.cpp:3: \x1b[1m\x1b[35mwarning:\x1b[0m odd");
  EXPECT_EQ(coloured("an error: of rounding\n\n"), "an error: of rounding\n\n");
}

TEST(CommandLine, RefusesWhatThereIsNot) {
  expect_usage_error({}, "no command is given; `hone --help` lists them");
  expect_usage_error(
      {"compile"},
      "there is no command 'compile'; there are list, show, try, export, diff, run, check, "
      "counters, draw, explain, numbers, ladder, demo, measure, tune, cuda, doctor");
  expect_usage_error({"show", "axpi/serial"}, "there is no ladder 'axpi'; did you mean 'axpy'?");
  expect_usage_error({"ladder", "softmax"}, "there is no ladder 'softmax'; there are axpy, matmul");
  expect_usage_error({"show", "matmul/registr"},
                     "there is no rung 'registr' in matmul; did you mean 'register'?");
  expect_usage_error({"show", "matmul/"},
                     "there is no rung '' in matmul; there are parallel, threads, register");
  expect_usage_error({"run", "matmul"},
                     "'matmul' is a ladder; name one of its rungs, as in matmul/parallel");
  expect_usage_error({"run", "axpy/serial", "--chek"},
                     "there is no option '--chek'; did you mean '--check'?");
}

TEST(CommandLine, RefusesTooManyOrTooFewNames) {
  expect_usage_error({"show"}, "show is given 0 names; usage: hone show LADDER/RUNG [OPTION]...");
  expect_usage_error({"diff", "a", "b", "c"},
                     "diff is given 3 names; usage: hone diff LADDER/RUNG [LADDER/RUNG] "
                     "[OPTION]...");
  expect_usage_error({"demo", "axpy"}, "demo is given 1 names; usage: hone demo [OPTION]...");
}

/// A ladder with one rung, whose build throws.
template <class Error>
std::vector<Ladder> throwing(const Error& error) {
  Ladder ladder = small_axpy();
  ladder.rungs = {{"bad", "", "", RungTarget::host,
                   [error](const Sizes&, const Sizes&) -> Schedule { throw error; }}};
  return {ladder};
}

TEST(CommandLine, ReportsWhatIsThrown) {
  const auto complaint = [](const std::vector<Ladder>& ladders) {
    const CommandResult result = hone_on(ladders, {"show", "axpy/bad"});
    EXPECT_EQ(result.status, 1);
    return result.complained;
  };
  EXPECT_EQ(complaint(throwing(ScheduleError("split", "no").at({"a.cpp", 3}))),
            "a.cpp:3: error: split: no\n");
  EXPECT_EQ(complaint(throwing(ScheduleError("split", "no"))), "error: split: no\n");
  EXPECT_EQ(complaint(throwing(DefinitionError("no"))), "error: no\n");
  EXPECT_EQ(complaint(throwing(RuntimeError("no"))), "error: no\n");
  RuntimeError located("no");
  located.at({"a.cpp", 3});
  EXPECT_EQ(complaint(throwing(located)), "a.cpp:3: error: no\n");
  EXPECT_EQ(complaint(throwing(std::bad_alloc())), "error: out of memory\n");
  EXPECT_EQ(complaint(throwing(std::out_of_range("map::at"))),
            "error: a ladder asks for a size that is not given; a problem gets no sizes where its "
            "program alone is asked for\n");
}

TEST(LadderTable, HasALinePerRung) {
  const CommandResult result = hone({"ladder", "matmul", "--device=sim"});
  EXPECT_THAT(
      result.printed,
      MatchesRegex("matmul: C = A B\n\n"
                   "rung      device  size         check            time  load sectors  "
                   "store sectors  shared wavefronts     excessive\n"
                   "parallel  host    K=7 M=6 N=5  exact   +[0-9.]+ ms +- +- +- +-\n"
                   "threads   sim     K=7 M=6 N=5  exact               - +[0-9]+ +[0-9]+ +0 +0\n"
                   "register  sim     K=7 M=6 N=5  exact               - +[0-9]+ +[0-9]+ +0 +0\n"));
  EXPECT_EQ(result.complained, "");
  EXPECT_EQ(result.status, 0);
}

TEST(LadderTable, HasRatesWhereTheTimeIsReal) {
  const CommandResult result = hone({"ladder", "axpy", "--device=host", "-DN=100000"});
  EXPECT_THAT(result.printed, HasSubstr("\nblocks  host    N=100000  exact  "));
  EXPECT_THAT(
      result.printed,
      MatchesRegex(
          "(.|\n)*\nblocks .* ms +[0-9]+\\.[0-9] +[0-9]+\\.[0-9] +[0-9.]+x +[0-9.]+x +-\n"));
}

TEST(LadderTable, ShowsAllRungsAndFailsWhereOneDoes) {
  Ladder ladder = small_axpy();
  Rung unequal = ladder.rungs[0];
  unequal.name = "unequal";
  unequal.build = [](const Sizes& fixed, const Sizes&) {
    const Axpy p(fixed);
    return Schedule(Program("axpy", p.Z(p.i) = p.X(p.i) + p.Y(p.i)));
  };
  ladder.rungs.insert(ladder.rungs.begin(),
                      {unequal, throwing(RuntimeError("out of luck"))[0].rungs[0]});
  const CommandResult result = hone_on({ladder}, {"ladder", "axpy", "--device=sim"});
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(result.printed, HasSubstr("\nunequal  host    N=1000  WRONG  "));
  EXPECT_THAT(result.printed, HasSubstr("\nbad      host    N=1000  ERROR               -"));
  EXPECT_THAT(result.printed, HasSubstr("\nblocks   sim     N=1000  exact  "));
  EXPECT_THAT(result.complained, StartsWith("error: axpy/unequal: Z[0] is "));
  EXPECT_THAT(result.complained, HasSubstr("\nerror: axpy/bad: out of luck\n"));
}

TEST(LadderTable, UsesSmallSizesOnTheSimulatedDevice) {
  Ladder ladder = small_matmul();
  ladder.sizes = {{"M", 1024}, {"N", 1024}, {"K", 1024}};
  ladder.flops = [](const Sizes& sizes) {
    return 2.0 * sizes.at("M") * sizes.at("N") * sizes.at("K");
  };
  EXPECT_EQ(to_text(default_sizes(ladder, Device::simulated())), "K=256 M=256 N=256");
  EXPECT_EQ(to_text(default_sizes(ladder, Device::host())), "K=1024 M=1024 N=1024");
}

TEST(Demo, PassesWhereAllRungsDo) {
  const CommandResult result = hone({"demo", "--device=sim"});
  EXPECT_THAT(result.printed, HasSubstr("axpy: Z = 2 X + Y\n"));
  EXPECT_THAT(result.printed, HasSubstr("\nmatmul: C = A B\n"));
  EXPECT_THAT(result.printed, testing::EndsWith("\nall 5 rungs compute what their programs say\n"));
  EXPECT_EQ(result.status, 0);
}

TEST(Demo, HasNoColumnsThatSayNothingOfAnyRung) {
  const std::string printed = hone({"demo", "--device=sim"}).printed;
  EXPECT_THAT(printed, HasSubstr("\nrung    device  size    check            time\n"))
      << "a rung of the host has a time";
  EXPECT_THAT(printed, testing::Not(HasSubstr("GFLOP/s")));
  Ladder simulated = small_axpy();
  simulated.rungs.erase(simulated.rungs.begin());
  EXPECT_THAT(hone_on({simulated}, {"demo", "--device=sim"}).printed,
              HasSubstr("  check\nblocks "));
  EXPECT_THAT(hone({"demo", "--device=host"}).printed, HasSubstr("GFLOP/s"));
}

TEST(Demo, FailsWhereARungDoes) {
  const CommandResult result = hone_on(throwing(RuntimeError("no")), {"demo", "--device=sim"});
  EXPECT_THAT(result.printed, testing::EndsWith("\n1 of 1 rungs failed\n"));
  EXPECT_EQ(result.complained, "error: axpy/bad: no\n");
  EXPECT_EQ(result.status, 1);
}

TEST(Doctor, SaysWhatThereIs) {
  const CommandResult result = hone({"doctor"});
  for (const char* label :
       {"Hone  ", "\nsystem  ", "\nCPU  ", "\nC compiler  ", "\nNVRTC  ", "\nCUDA  ", "\ncache  "})
    EXPECT_THAT(result.printed, HasSubstr(label));
  EXPECT_EQ(result.status, 0);
}

TEST(Doctor, SaysThatTheCacheCannotBeUsed) {
  const TemporaryFolder folder;
  write_new_file(folder.file("file"), "");
  const std::string file = folder.file("file");
  const ScopedVariable variable("HONE_CACHE_DIR", file.c_str());
  EXPECT_THAT(hone({"doctor"}).printed, HasSubstr("\ncache       not used: "));
}

TEST(Doctor, SaysThatTheCacheIsOff) {
  const ScopedVariable variable("HONE_CACHE", "off");
  EXPECT_THAT(hone({"doctor"}).printed,
              HasSubstr("\ncache       off: compiled kernels are kept in memory alone\n"));
}

/// In a process of its own, where no compiler was looked for yet.
TEST(DoctorDeathTest, FailsWithoutACCompiler) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const auto ask = [] {
    const ScopedVariable path("PATH", "/no/such/folder");
    const ScopedVariable compiler("CC", nullptr);
    const CommandResult result = hone({"doctor"});
    fmt::print(stderr, "{}{}", result.printed, result.complained);
    std::_Exit(result.status);
  };
  EXPECT_EXIT(ask(), testing::ExitedWithCode(1),
              "C compiler  no C compiler: found none of cc, gcc, clang(.|\n)*"
              "error: kernels cannot run on the host without a C compiler");
}

TEST(Problem, RandomFloatsAreMultiplesOf128thsBetweenMinusOneAndOne) {
  const Problem problem = make_problem(Axpy({}).program.function(), {{"N", 5000}}, {}, /*seed=*/3);
  ASSERT_EQ(problem.arguments.size(), 3u);
  EXPECT_FALSE(problem.arguments[0].is_output);
  EXPECT_TRUE(problem.arguments[2].is_output);
  const std::vector<float> x = Array<float>(problem.arguments[0].array).to_vector();
  for (const float value : x) {
    EXPECT_TRUE(-1 <= value && value < 1) << value;
    EXPECT_EQ(value * 128, std::floor(value * 128));
  }
  EXPECT_EQ(*std::min_element(x.begin(), x.end()), -1);
  EXPECT_EQ(*std::max_element(x.begin(), x.end()), 127.0f / 128);
  EXPECT_NE(x, Array<float>(problem.arguments[1].array).to_vector());
}

TEST(Problem, WhatIsUpdatedInPlaceComesWithValuesOfItsOwn) {
  const Tensor A("A", f32, {8}), C("C", f32, {8});
  const Axis i("i", 8);
  const Function program = Program("add", C(i) += A(i)).function();
  EXPECT_THAT(names_of(inputs_of(program)), testing::ElementsAre("A", "C"));
  EXPECT_THAT(names_of(outputs_of(program)), testing::ElementsAre("C"));
  const Problem problem = make_problem(program, {}, {}, 1);
  const std::vector<float> before = Array<float>(problem.arguments[1].array).to_vector();
  EXPECT_FALSE(std::isnan(before[0]));
  const auto arrays = arrays_on(Device::host(), program, problem);
  EXPECT_EQ(Array<float>(arrays[1]).to_vector(), before);
  AnyArray(arrays[1]).fill_bytes(0);
  EXPECT_EQ(Array<float>(problem.arguments[1].array).to_vector(), before);
}

TEST(Problem, OutputsHoldNoNumber) {
  const Problem problem = make_problem(Axpy({}).program.function(), {{"N", 3}}, {}, 1);
  for (const float value : Array<float>(problem.arguments[2].array).to_vector())
    EXPECT_TRUE(std::isnan(value));
}

}  // namespace command_line_test
}  // namespace hone
