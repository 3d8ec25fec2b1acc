// `hone exercise` as a user has it: files that are compiled, run and judged.
#include "examples/exercises/command.h"

#include "examples/exercises/checker.h"
#include "examples/exercises/own.h"
#include "gmock/gmock.h"
#include "runtime/files.h"
#include "tests/tools/command.h"

namespace hone {
namespace command_test {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

CommandResult exercise(std::vector<std::string> words) {
  words.insert(words.begin(), "exercise");
  CapturedOutput out;
  const int status = run_command(words, {}, out, "hone", exercise_commands());
  return {status, out.printed, out.complained};
}

/// The judgement on a file my.cpp with this text, as the answer to 1.1.
CommandResult judged(const std::string& text, std::vector<std::string> options = {}) {
  const ScopedFolder folder(make_private_folder(temporary_root(), "hone-test-"));
  const std::string path = folder.path() + "/my.cpp";
  write_new_file(path, "#include <hone/exercises/answer.h>\nusing namespace hone;\n" + text);
  options.insert(options.begin(), {"1.1", path});
  CommandResult result = exercise(options);
  for (size_t at; (at = result.printed.find(path)) != std::string::npos;)
    result.printed.replace(at, path.size(), "my.cpp");
  return result;
}

TEST(ExerciseCommand, ListsTheExercises) {
  const CommandResult result = exercise({});
  EXPECT_THAT(result.printed, StartsWith("1.1   a kernel with blocks of 128 threads\n1.2   "));
  EXPECT_EQ(result.status, 0);
}

TEST(ExerciseCommand, ShowsATaskAndItsStart) {
  EXPECT_THAT(
      exercise({"1.1"}).printed,
      AllOf(StartsWith("Exercise 1.1: a kernel with blocks of 128 threads\n\nThe program is"),
            EndsWith("To have it judged: `hone exercise 1.1 1_1.cpp`\n"
                     "Or without a compiler, by steps alone: `hone exercise 1.1 --start-steps > "
                     "steps.txt`, and `hone exercise 1.1 steps.txt`\n")));
  EXPECT_THAT(exercise({"3.2"}).printed,
              EndsWith("\nTo have it judged: `hone exercise 3.2 3_2.kernel`\n"));
  EXPECT_THAT(exercise({"1.1", "--start"}).printed,
              StartsWith("#include <hone/exercises/answer.h>\n"));
}

TEST(ExerciseCommand, StartsAsStepsDoNotPrint) {
  EXPECT_EQ(exercise({"1.1", "--start-steps"}).printed,
            "const Axis i = s.axis(\"i\");\n// Your steps go here.\n");
  EXPECT_EQ(exercise({"3.1", "--start-steps"}).printed,
            "auto [by, rows] = s.split(s.axis(\"i\"), 8);\n// ...\n");
}

TEST(ExerciseCommand, RefusesAnExerciseAndAFileThatThereAreNot) {
  EXPECT_EQ(exercise({"17.1"}).complained,
            "error: there is no exercise '17.1': lessons go to 16\n");
  EXPECT_EQ(exercise({"1.3"}).complained,
            "error: there is no exercise '1.3'; did you mean '1.1'?\n");
  EXPECT_EQ(exercise({"1.1", "nowhere.cpp"}).complained,
            "error: cannot read nowhere.cpp: No such file or directory\n");
  EXPECT_EQ(exercise({"1.1", "examples/exercises/1_1/solution.cpp", "--limit=0"}).complained,
            "error: --limit takes 1 to 3600 seconds, got '0'\n");
}

TEST(ExerciseCommand, PassesASolution) {
  const CommandResult result = exercise({"1.1", "examples/exercises/1_1/solution.cpp"});
  EXPECT_THAT(result.printed, StartsWith("1.1 passed\n  right results at n=1\n"));
  EXPECT_EQ(result.status, 0);
}

TEST(ExerciseCommand, ShowsWhatAnAnswerPrints) {
  const CommandResult result =
      judged("void solve(Schedule& s) { fmt::print(\"{}\\n\", s.trace().size()); }\n");
  EXPECT_THAT(result.printed, StartsWith("0\n1.1 not yet: a block has 1 thread at n=1000; "
                                         "wanted: 128 threads a block\n"));
  EXPECT_EQ(result.status, 1);
}

TEST(ExerciseCommand, ShowsTheStepThatWasRefusedWithItsLine) {
  EXPECT_THAT(judged("void solve(Schedule& s) {\n  s.split(s.axis(\"i\"), 0);\n}\n").printed,
              StartsWith("1.1 not yet: a step was refused\nmy.cpp:4: error: split: "));
}

TEST(ExerciseCommand, ShowsTheFirstErrorOfACompiler) {
  EXPECT_THAT(judged("void solve(Schedule& s) {\n  s.split(i, 128);\n  s.bind(j);\n}\n").printed,
              AllOf(StartsWith("1.1 not yet: it does not compile\nmy.cpp:4: "),
                    EndsWith("axes and tensors of the program are looked up: `s.axis(\"i\")`, "
                             "`s.tensor(\"A\")`\n")));
}

TEST(ExerciseCommand, SaysThatTheGridIsBoundTo) {
  EXPECT_THAT(
      judged("void solve(Schedule& s) {\n  s.bind(s.axis(\"i\"), blockIdx.x);\n}\n").printed,
      AllOf(StartsWith("1.1 not yet: it does not compile\nmy.cpp:4: "),
            EndsWith("the indices of the grid are `block.x` and `thread.x`, which axes are "
                     "bound to\n")));
}

TEST(ExerciseCommand, SaysWhichFunctionAnAnswerLacks) {
  const std::string lacking =
      "1.1 not yet: it does not compile\nthe answer has to define `void solve(Schedule& s)`\n";
  EXPECT_EQ(judged("void answer(Schedule&) {}\n").printed, lacking);
  EXPECT_EQ(judged("int solve(int x) { return x; }\n").printed, lacking);
  EXPECT_EQ(judged("Schedule solve() { throw 1; }\n").printed,
            "1.1 not yet: this exercise asks for `void solve(Schedule& s)`\n");
}

TEST(ExerciseCommand, StopsALoopThatGoesOnForEver) {
  const CommandResult result =
      judged("void solve(Schedule& s) { for (;;) s.trace_text(); }\n", {"--limit=1"});
  EXPECT_EQ(
      result.printed,
      "1.1 not yet: it was stopped after 1 seconds; does a loop of `solve` go on for ever?\n");
  EXPECT_EQ(result.status, 1);
}

TEST(ExerciseCommand, SaysHowAnAnswerCrashed) {
  EXPECT_THAT(judged("void solve(Schedule&) { *(volatile int*)nullptr = 1; }\n").printed,
              StartsWith("1.1 not yet: it crashed: Segmentation fault"));
}

TEST(ExerciseCommand, StopsAnAnswerThatPrintsWithoutEnd) {
  const CommandResult result =
      judged("void solve(Schedule&) { for (;;) fmt::print(\"again and again\\n\"); }\n");
  EXPECT_THAT(result.printed, AllOf(StartsWith("again and again\n"),
                                    EndsWith("...\n1.1 not yet: it was stopped because it prints "
                                             "more than a mebibyte\n")));
}

TEST(ExerciseCommand, IsNotImpressedByAnAnswerThatEndsTheProgram) {
  const CommandResult result =
      judged("#include <cstdlib>\nvoid solve(Schedule&) { std::puts(\"1.1 passed\"); exit(0); }\n");
  EXPECT_EQ(result.printed,
            "1.1 passed\n1.1 not yet: it ended the program before it was judged; `solve` has to "
            "return\n");
  EXPECT_EQ(result.status, 1);
}

TEST(ExerciseCommand, SaysWhenThereIsNoCompiler) {
  setenv("CXX", "no-such-compiler", 1);
  const CommandResult result = exercise({"1.1", "examples/exercises/1_1/solution.cpp"});
  unsetenv("CXX");
  EXPECT_EQ(result.complained,
            "error: no C++ compiler: there is no no-such-compiler; install g++, or set CXX to the "
            "one to use\n");
}

TEST(ExerciseCommand, JudgesAKernel) {
  EXPECT_THAT(exercise({"3.2", "examples/exercises/3_2/solution.kernel"}).printed,
              StartsWith("3.2 passed\n"));
  EXPECT_THAT(exercise({"3.2", "examples/exercises/3_2/task.md"}).printed,
              StartsWith("3.2 not yet: 1:78: unexpected character '.'"));
}

TEST(ExerciseCommand, RefusesAnAnswerInTheOtherLanguage) {
  const std::string cpp = "examples/exercises/1_1/solution.cpp",
                    kernel = "examples/exercises/3_2/solution.kernel";
  EXPECT_EQ(exercise({"3.2", cpp}).complained,
            "error: " + cpp + " is C++, and 3.2 takes kernel IR; `--start` prints some\n");
  EXPECT_EQ(exercise({"1.1", kernel}).complained,
            "error: " + kernel + " is kernel IR, and 1.1 takes C++; `--start` prints some\n");
}

/// An exercise of a user's own, by the judge of the lessons'.
OwnExercise own(const char* number, const char* size = "n") {
  const auto task = [size] {
    const Param n("n");
    const Tensor A("A", f32, {n}), B("B", f32, {n});
    const Axis i("i", n);
    return Task{Program("twice", B(i) = A(i) * 2.0),
                {{{size, 1}}, {{size, 65}}},
                {{"n", 1000}},
                {threads_per_block(64, 64, "Split by 64.")}};
  };
  return {hone::exercise(number, "blocks of 64 threads", task), "Give each block 64 threads.\n",
          "x, t = split(i, 32)\n"};
}

TEST(OwnExercises, AreListedShownAndJudged) {
  use_exercises({own("1"), own("2")});
  EXPECT_EQ(exercise({}).printed, "1     blocks of 64 threads\n2     blocks of 64 threads\n");
  EXPECT_EQ(exercise({"1"}).printed,
            "Exercise 1: blocks of 64 threads\n\nGive each block 64 threads.\n\n"
            "To start from, `hone exercise 1 --start > 1.txt`:\n\nx, t = split(i, 32)\n\n"
            "To have it judged: `hone exercise 1 1.txt`\n"
            "Or in C++: a file that includes <hone/exercises/answer.h> and defines `void "
            "solve(hone::Schedule& s)`\n");
  EXPECT_EQ(exercise({"2", "--start"}).printed, "x, t = split(i, 32)\n");
  const ScopedFolder folder(make_private_folder(temporary_root(), "hone-test-"));
  const std::string path = folder.path() + "/1.txt";
  const auto judged = [&](const std::string& steps) {
    replace_file(path, {steps});
    return exercise({"1", path});
  };
  EXPECT_EQ(judged("x, t = split(i, 64) bind(x, block.x) bind(t, thread.x)").printed,
            "1 passed\n  right results at n=1\n  right results at n=65\n  64 threads a block\n");
  EXPECT_EQ(judged("x, t = split(i, 32) bind(x, block.x) bind(t, thread.x)").printed,
            "1 not yet: a block has 32 threads at n=1000; wanted: 64 threads a block\n"
            "Split by 64.\n");
  EXPECT_EQ(exercise({"3"}).complained, "error: there is no exercise '3': they go to 2\n");
  EXPECT_THROW(use_exercises({own("1"), own("1")}), DefinitionError);
  EXPECT_EQ(all_exercises().size(), 2u);  // as before
  use_lesson_exercises();
}

/// The judgement of the body of `solve` as the answer to own("1").
std::string judged_in_cpp(const std::string& body) {
  const ScopedFolder folder(make_private_folder(temporary_root(), "hone-test-"));
  const std::string path = folder.path() + "/1.cpp";
  write_new_file(path,
                 "#include <hone/exercises/answer.h>\nusing namespace hone;\n"
                 "void solve(Schedule& s) {\n" +
                     body + "}\n");
  const CommandResult result = exercise({"1", path});
  EXPECT_EQ(result.complained, "");
  std::string text = result.printed;
  for (size_t at; (at = text.find(path)) != std::string::npos;)
    text.replace(at, path.size(), "1.cpp");
  return text;
}

TEST(OwnExercises, TakeAnswersInCpp) {
  use_exercises({own("1")});
  EXPECT_EQ(judged_in_cpp("  auto [x, t] = s.split(s.axis(\"i\"), 64);\n  s.bind(x, block.x);\n"
                          "  s.bind(t, thread.x);\n  fmt::print(\"bound\\n\");\n"),
            "bound\n1 passed\n  right results at n=1\n  right results at n=65\n"
            "  64 threads a block\n");
  EXPECT_EQ(judged_in_cpp("  for (int lanes : {32})\n"
                          "    s.bind(s.split(s.axis(\"i\"), lanes)[1], thread.x);\n"),
            "1 not yet: a block has 32 threads at n=1000; wanted: 64 threads a block\n"
            "Split by 64.\n");
  EXPECT_EQ(judged_in_cpp("  s.split(s.axis(\"i\"), 0);\n"),
            "1 not yet: a step was refused\n"
            "1.cpp:4: error: split: the factor must be positive, got 0\n"
            "  for i in 0..n {                    <-- here\n    B[i] = A[i] * 2.0\n");
  EXPECT_EQ(judged_in_cpp("  s.bind(i, thread.x);\n"),
            "1 not yet: it does not compile\n1.cpp:4: ‘i’ was not declared in this scope\n"
            "axes and tensors of the program are looked up: `s.axis(\"i\")`, `s.tensor(\"A\")`\n");
  use_lesson_exercises();
}

TEST(OwnExercises, SayWhichSizeTheirAuthorLeftOut) {
  use_exercises({own("1", "N")});
  const ScopedFolder folder(make_private_folder(temporary_root(), "hone-test-"));
  const std::string path = folder.path() + "/1.txt";
  write_new_file(path, "x, t = split(i, 64) bind(x, block.x) bind(t, thread.x)");
  EXPECT_EQ(exercise({"1", path}).printed,
            "1 not yet: the task leaves n out at N=1; the sizes of twice are n\n");
  use_lesson_exercises();
}

TEST(ExerciseCommand, PrintsJson) {
  EXPECT_THAT(exercise({"--json"}).printed, HasSubstr("\"number\": \"1.1\""));
  EXPECT_THAT(exercise({"1.1", "--json"}).printed, HasSubstr("\"start\": \"#include"));
  EXPECT_THAT(exercise({"3.2", "examples/exercises/3_2/solution.kernel", "--json"}).printed,
              HasSubstr("\"has_passed\": true"));
}

}  // namespace command_test
}  // namespace hone
