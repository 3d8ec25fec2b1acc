#include <regex>

#include "command.h"
#include "llvm/ADT/StringRef.h"
#include "runtime/error.h"

namespace hone {
namespace check_test {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

TEST(Check, SaysThatARungIsClean) {
  const CommandResult result = hone({"check", "axpy/blocks"});
  EXPECT_EQ(result.printed, "axpy/blocks: no findings in 8 blocks of 128 threads\n");
  EXPECT_EQ(result.complained, "");
  EXPECT_EQ(result.status, 0);
}

TEST(Check, TakesSizes) {
  EXPECT_EQ(hone({"check", "matmul/register", "-DM=4", "-DN=4", "-DK=2"}).printed,
            "matmul/register: no findings in 1 block of 16 threads\n");
  EXPECT_EQ(hone({"check", "axpy/blocks", "-DN=0"}).printed, "axpy/blocks: no block runs\n");
}

TEST(Check, GoesThroughALadder) {
  const CommandResult result = hone({"check", "matmul"});
  EXPECT_EQ(result.printed,
            "matmul/parallel: runs on the host, not checked\n"
            "matmul/threads: no findings in 4 blocks of 16 threads\n"
            "matmul/register: no findings in 4 blocks of 16 threads\n");
  EXPECT_EQ(result.status, 0);
}

TEST(Check, GoesThroughAllLadders) {
  const CommandResult result = hone({"check", "--all"});
  EXPECT_EQ(result.printed,
            "axpy/serial: runs on the host, not checked\n"
            "axpy/blocks: no findings in 8 blocks of 128 threads\n"
            "matmul/parallel: runs on the host, not checked\n"
            "matmul/threads: no findings in 4 blocks of 16 threads\n"
            "matmul/register: no findings in 4 blocks of 16 threads\n");
  EXPECT_EQ(result.status, 0);
}

/// Z[i] = X[i + 1], which reads one element too many. Definitions refuse an index that is a sum; a
/// minimum is none.
Ladder shifted_ladder() {
  Ladder ladder = small_axpy();
  ladder.name = "shift";
  ladder.sizes = {{"N", 64}};
  ladder.program = [](const Sizes& fixed) {
    const Axpy p(fixed);
    return Program("shift", p.Z(p.i) = p.X(min(p.i + 1, p.N)));
  };
  ladder.rungs = {{"blocks", "", "", RungTarget::gpu, [](const Sizes& fixed, const Sizes&) {
                     const Axpy p(fixed);
                     Schedule s(Program("shift", p.Z(p.i) = p.X(min(p.i + 1, p.N))));
                     auto [b, t] = s.split(p.i, 32);
                     s.bind(b, block.x);
                     s.bind(t, thread.x);
                     return s;
                   }}};
  return ladder;
}

TEST(Check, ShowsAFindingWithItsLinesAndStep) {
  const CommandResult result = hone_on({shifted_ladder()}, {"check", "shift/blocks"});
  EXPECT_EQ(result.printed,
            R"(access out of bounds on X: X[i + 1]: element 64 is outside 0..64
  block (1, 0, 0), thread (31, 0, 0) reads X[i + 1]
    kernel line 4: Z[i] = X[i + 1]
    shift.cu:12: Z[i] = X[i + 1];
    the definition
shift/blocks: 1 kind of findings, 1 in all, in 2 blocks of 32 threads
)");
  EXPECT_EQ(result.complained, "");
  EXPECT_EQ(result.status, 1);
}

/// The same in a loop of a thread.
Ladder shifted_loop() {
  Ladder ladder = shifted_ladder();
  ladder.rungs = {{"loop", "", "", RungTarget::gpu, [](const Sizes& fixed, const Sizes&) {
                     const Axpy p(fixed);
                     Schedule s(Program("shift", p.Z(p.i) = p.X(min(p.i + 1, p.N))));
                     s.bind(s.split(p.i, 32)[0], block.x);
                     return s;
                   }}};
  return ladder;
}

TEST(Check, NamesTheStepThatMadeALoop) {
  const CommandResult result = hone_on({shifted_loop()}, {"check", "shift/loop"});
  EXPECT_THAT(result.printed, HasSubstr("\n    step 1: auto [i_0, i_1] = s.split(i, 32);\n"));
  EXPECT_EQ(result.status, 1);
}

/// The same by way of a temporary.
Ladder shifted_temporary() {
  Ladder ladder = shifted_ladder();
  ladder.rungs = {{"placed", "", "", RungTarget::gpu, [](const Sizes& fixed, const Sizes&) {
                     const Axpy p(fixed);
                     const Tensor T("T", f32, {p.N});
                     const Axis r("r", p.N);
                     Schedule s(Program("shift", T(r) = p.X(min(r + 1, p.N)), p.Z(p.i) = T(p.i)));
                     const auto [outer, inner] = s.split(p.i, 32);
                     s.bind(outer, block.x);
                     s.compute_at(T, inner);
                     return s;
                   }}};
  return ladder;
}

TEST(Check, NamesTheStepThatPlacedATemporary) {
  const CommandResult result = hone_on({shifted_temporary()}, {"check", "shift/placed"});
  EXPECT_THAT(result.printed, HasSubstr("\n    step 3: s.compute_at(T, i_1);\n"));
  EXPECT_EQ(result.status, 1);
}

/// A rung that schedules another program than that of its ladder.
Ladder small_axpy_with(llvm::function_ref<Expr(const Axpy&)> value) {
  Ladder ladder = small_axpy();
  const Axpy p(Sizes{});
  const Program other("axpy", p.Z(p.i) = value(p));
  ladder.rungs = {{"other", "", "", RungTarget::gpu, [other, p](const Sizes&, const Sizes&) {
                     Schedule s(other);
                     auto [b, t] = s.split(p.i, 128);
                     s.bind(b, block.x);
                     s.bind(t, thread.x);
                     return s;
                   }}};
  return ladder;
}

TEST(Check, ComparesWithTheProgramWithoutASchedule) {
  const Ladder ladder = small_axpy_with([](const Axpy& p) { return p.X(p.i) * 3.0 + p.Y(p.i); });
  const CommandResult result = hone_on({ladder}, {"check", "axpy/other"});
  EXPECT_EQ(result.printed,
            "wrong result: Z[0] is 1.375, and the program without a schedule gives 0.859375 "
            "(off by 0.52, where nothing rounds)\n"
            "axpy/other: 1 kind of findings, 1 in all, in 8 blocks of 128 threads\n");
  EXPECT_EQ(result.complained, "");
  EXPECT_EQ(result.status, 1);
}

TEST(Check, CountsAWrongResultInTheLineOfALadder) {
  const Ladder ladder = small_axpy_with([](const Axpy& p) { return p.X(p.i) + p.Y(p.i); });
  const CommandResult result = hone_on({ladder}, {"check", "axpy"});
  EXPECT_EQ(result.printed,
            "axpy/other: 1 kind of findings, 1 in all, in 8 blocks of 128 threads; check "
            "axpy/other shows them\n");
  EXPECT_EQ(result.status, 1);
}

TEST(Check, ComparesNoResultsWhereABlockEndedEarly) {
  const Ladder ladder = small_axpy_with([](const Axpy& p) { return p.X(min(p.i + 1, p.N)); });
  const CommandResult result = hone_on({ladder}, {"check", "axpy/other"});
  EXPECT_THAT(result.printed, StartsWith("access out of bounds on X: X[i + 1]: "));
  EXPECT_THAT(result.printed, Not(HasSubstr("wrong result")));
  EXPECT_EQ(result.status, 1);
}

TEST(Check, ComparesNothingWhereTheLadderHasNoProgram) {
  Ladder ladder = small_axpy_with([](const Axpy& p) { return p.X(p.i) + p.Y(p.i); });
  ladder.program = nullptr;
  EXPECT_EQ(hone_on({ladder}, {"check", "axpy/other"}).printed,
            "axpy/other: no findings in 8 blocks of 128 threads\n");
}

/// T = 2 X in a kernel, and Z[i] = T[i + 1] in the next one.
Ladder two_kernels() {
  const auto program = [](const Sizes& fixed) {
    const Expr n = size_of(fixed, "N");
    const Tensor X("X", f32, {n}), T("T", f32, {n}), Z("Z", f32, {n});
    const Axis i("i", n), j("j", n);
    return Program("pair", T(i) = X(i) * 2.0, Z(j) = T(min(j + 1, i.extent())));
  };
  Ladder ladder;
  ladder.name = "pair";
  ladder.sizes = {{"N", 64}};
  ladder.program = program;
  ladder.rungs = {{"blocks", "", "", RungTarget::gpu, [program](const Sizes& fixed, const Sizes&) {
                     Schedule s(program(fixed));
                     for (const char* axis : {"i", "j"}) {
                       auto [b, t] = s.split(s.axis(axis), 32);
                       s.bind(b, block.x);
                       s.bind(t, thread.x);
                     }
                     return s;
                   }}};
  return ladder;
}

/// The line of that number of what `hone show` prints, without its indentation.
std::string shown_line(const char* form, const std::string& number) {
  const CommandResult result = hone_on({two_kernels()}, {"show", "pair/blocks", "--emit", form});
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(result.printed).split(lines, '\n');
  return lines[std::stoul(number) - 1].trim().str();
}

TEST(Check, CountsTheLinesOfAllKernels) {
  const std::string printed = hone_on({two_kernels()}, {"check", "pair/blocks"}).printed;
  std::smatch found;
  ASSERT_TRUE(std::regex_search(printed, found,
                                std::regex("kernel line (.*): (.*)\n    pair.cu:(.*): (.*)\n")))
      << printed;
  EXPECT_EQ(found[2], "Z[j] = T[j + 1]");
  EXPECT_EQ(shown_line("kernel", found[1]), found[2]);
  EXPECT_EQ(shown_line("cuda", found[3]), found[4]);
  EXPECT_THAT(printed, EndsWith("pair/blocks: 1 kind of findings, 1 in all, in 2 blocks of 32 "
                                "threads, 2 blocks of 32 threads\n"));
}

TEST(Check, FailsForALadderWithAFinding) {
  const CommandResult result = hone_on({shifted_ladder()}, {"check", "shift"});
  EXPECT_EQ(
      result.printed,
      "shift/blocks: 1 kind of findings, 1 in all, in 2 blocks of 32 threads; check shift/blocks "
      "shows them\n");
  EXPECT_EQ(result.status, 1);
}

TEST(Check, RefusesARungOfTheHost) {
  expect_usage_error({"check", "axpy/serial"},
                     "axpy/serial runs on the host, and has no kernel for a GPU");
}

TEST(Check, TakesOneSubject) {
  const std::string subjects = "check takes one of LADDER/RUNG, LADDER, --all and --kernel=FILE, ";
  expect_usage_error({"check"}, subjects + "got 0");
  expect_usage_error({"check", "axpy", "--all"}, subjects + "got 2");
  expect_usage_error({"check", "--kernel=a", "--all"}, subjects + "got 2");
  expect_usage_error({"check", "--all", "-DN=3"},
                     "-D gives a size of one ladder; name it, and leave --all out");
  expect_usage_error({"check", "axpi"}, "there is no ladder 'axpi'; did you mean 'axpy'?");
}

TEST(Check, GoesOnBehindARungThatFails) {
  Ladder ladder = small_axpy();
  ladder.rungs.insert(ladder.rungs.begin() + 1,
                      {"bad", "", "", RungTarget::gpu, [](const Sizes&, const Sizes&) -> Schedule {
                         throw RuntimeError("no luck");
                       }});
  const CommandResult result = hone_on({ladder}, {"check", "axpy"});
  EXPECT_EQ(result.complained, "error: axpy/bad: no luck\n");
  EXPECT_THAT(result.printed, HasSubstr("axpy/blocks: no findings in 8 blocks of 128 threads\n"));
  EXPECT_EQ(result.status, 1);
}

}  // namespace check_test
}  // namespace hone
