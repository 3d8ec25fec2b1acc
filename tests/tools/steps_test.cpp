// Commands on schedules that are given as text.
#include <filesystem>
#include <future>

#include "command.h"
#include "dsl/tune_table.h"
#include "ir/text/printer.h"
#include "runtime/device.h"
#include "runtime/files.h"
#include "runtime/model/gpus.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace steps_test {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* tiles =
    "y, x, iy, ix = tile({i, j}, {16, 16})\n"
    "bind(y, block.y) bind(x, block.x) bind(iy, thread.y) bind(ix, thread.x)\n";

class Steps : public testing::Test {
 protected:
  /// The words of a command, with the steps in a file.
  CommandResult with_steps(const std::string& steps, std::vector<std::string> words) {
    replace_file(file_, {steps});
    words.push_back("--steps=" + file_);
    return hone(words);
  }
  std::string printed(const std::string& steps, const std::vector<std::string>& words) {
    const CommandResult result = with_steps(steps, words);
    EXPECT_EQ(result.complained, "");
    EXPECT_EQ(result.status, 0);
    return result.printed;
  }

  TemporaryFolder folder_;
  const std::string file_ = folder_.path() + "/tiles.txt";
};

TEST_F(Steps, ScheduleTheProgramOfALadder) {
  EXPECT_EQ(printed("x, t = split(i, 64)\nbind(x, block.x); bind(t, thread.x);",
                    {"try", "axpy", "--emit=schedule"}),
            "// Z(i) = X(i) * 2.0 + Y(i)\n"
            "auto [x, t] = s.split(i, 64);\n"
            "s.bind(x, block.x);\n"
            "s.bind(t, thread.x);\n");
  EXPECT_THAT(printed(tiles, {"try", "matmul"}), HasSubstr("threadIdx.y;"));
}

/// The schedule that `show` prints of a rung is a text of steps.
TEST_F(Steps, AreWhatShowPrints) {
  const std::string schedule = hone({"show", "matmul/threads", "--emit=schedule"}).printed;
  EXPECT_EQ(printed(schedule, {"try", "matmul", "--emit=schedule"}), schedule);
  EXPECT_EQ(printed(schedule, {"try", "matmul"}), hone({"show", "matmul/threads"}).printed);
}

TEST_F(Steps, GoToOtherCommands) {
  EXPECT_EQ(printed(tiles, {"check", "matmul"}),
            "matmul/tiles.txt: no findings in 1 block of 256 threads\n");
  EXPECT_THAT(printed(tiles, {"run", "matmul", "--check", "--device=sim", "-DM=33"}),
              HasSubstr(", correct ("));
  EXPECT_THAT(printed(tiles, {"counters", "matmul"}), HasSubstr("block (16, 16, 1)"));
  EXPECT_THAT(printed(tiles, {"draw", "matmul", "threads"}), HasSubstr("thread"));
  EXPECT_THAT(printed(tiles, {"explain", "matmul/threads"}),
              HasSubstr("matmul/tiles.txt against matmul/threads"));
  EXPECT_THAT(printed(tiles, {"diff", "matmul/threads"}),
              StartsWith("--- matmul/threads\n+++ matmul/tiles.txt\n"));
  EXPECT_THAT(printed(tiles, {"export", "matmul", "--to=" + folder_.path() + "/out"}),
              HasSubstr("/out/matmul.cu\n"));
}

/// A loop that cores of the host run makes it a rung for the host.
TEST_F(Steps, RunOnTheHost) {
  EXPECT_THAT(printed("bind(i, parallel)", {"try", "axpy"}), HasSubstr("#pragma omp parallel for"));
  EXPECT_THAT(printed("bind(i, parallel)", {"run", "axpy", "--check"}), HasSubstr(" on host: "));
}

/// A program is a text, or a file with one.
TEST_F(Steps, ScheduleProgramsThatAreText) {
  const std::string program = "rows(A: f32[M, K]) -> S(i) = sum(k, A(i, k)) / 2";
  const std::string steps = "x, t = split(i, 32) bind(x, block.x) bind(t, thread.x)";
  EXPECT_EQ(printed(steps, {"check", program}),
            "rows/tiles.txt: no findings in 8 blocks of 32 threads\n");
  replace_file(folder_.file("rows.txt"), {program});
  EXPECT_THAT(printed(steps, {"run", folder_.file("rows.txt"), "--device=sim", "--check", "-DM=7"}),
              StartsWith("rows/tiles.txt on sim: K=256 M=7, "));
  EXPECT_THAT(printed(steps, {"try", program, "-DM=64", "--emit=loops"}),
              StartsWith("func rows[K](A: f32[64, K], S: f32[64]) {\n"));
  EXPECT_THAT(with_steps(steps, {"try", "rows(A: f32[M]) -> S(i) = B(i)"}).complained,
              StartsWith("error: 1:27: there is no tensor B, and no function of that name\n"));
  EXPECT_THAT(printed("", {"try", "mean(A: f32[M, N]) -> S(i) = sum(j, A(i, j)) / cast(f32, N)",
                           "--emit=loops"}),
              HasSubstr("S[i] = S[i] / f32(N)"));
}

TEST_F(Steps, FindWrongSchedulesAsRungsDo) {
  const CommandResult result = with_steps("split(i, 64)\nunroll(i)", {"try", "axpy"});
  EXPECT_EQ(result.status, 1);
  EXPECT_EQ(result.complained, file_ + ":2: error: unroll: axis i no longer exists; split at " +
                                   file_ + ":1 made it i.0 and i.1\n");
  EXPECT_EQ(with_steps("split(i, 64", {"check", "axpy"}).complained,
            "error: " + file_ +
                ":1:12: expected ',' or ')', found the end of the text\n"
                "  split(i, 64\n             ^\n");
}

TEST_F(Steps, RefuseWhatIsNotThere) {
  EXPECT_THAT(hone({"try", "axpy", "--emit=loops"}).printed, StartsWith("func axpy["));
  EXPECT_EQ(hone({"try", "nope.txt"}).complained,
            "error: cannot read nope.txt: there is no such file, and no ladder of that name\n");
  replace_file(file_, {"split(i, 4)"});
  expect_usage_error({"try", "axpi", "--steps=" + file_},
                     "there is no ladder 'axpi'; did you mean 'axpy'?");
  expect_usage_error({"check", "axpy/blocks", "--watch"},
                     "--watch waits for the file of --steps to change; give both");
  expect_usage_error(
      {"check", "f(A: f32[N]) -> B(i) = A(i)"},
      "a program as text has no schedule; commands that take --steps=FILE take one from there");
  EXPECT_EQ(hone({"try", "axpy", "--steps=/dev/null"}).complained,
            "error: cannot read /dev/null: it is no regular file\n");
  EXPECT_THAT(hone({"try", "axpy", "--steps=" + folder_.path() + "/none"}).complained,
              EndsWith("/none: No such file or directory\n"));
}

/// A table of `hone tune` has a schedule for each GPU and for sizes that are near. A machine asks
/// for its own GPU.
TEST_F(Steps, AreThoseOfATableByGpuAndSizes) {
  const Gpu* const here = gpu_of_device(Device::best().properties().name);
  const std::string own = here ? here->name : "H100 SXM";
  const std::string table = folder_.path() + "/tuned.jsonl";
  const std::string program = to_string(Axpy({}).program.function());
  std::string lines;
  for (const auto& [gpu, N, factor] :
       {std::tuple(own, 1024, 32), {own, 65536, 64}, {"A100 SXM 80GB", 1024, 128}})
    lines += tune::to_json(
        {program,
         gpu,
         {{"N", N}},
         "",
         fmt::format("x, t = split(i, {})\nbind(x, block.x)\nbind(t, thread.x)", factor),
         1,
         true,
         "a test"});
  replace_file(table, {lines});
  const auto printed = [&](std::vector<std::string> words) {
    words.push_back("--steps=" + table);
    const CommandResult result = hone(words);
    return result.complained + result.printed;
  };
  EXPECT_EQ(printed({"check", "axpy", "-DN=2000"}),
            "axpy/tuned.jsonl: no findings in 63 blocks of 32 threads\n");
  EXPECT_EQ(printed({"check", "axpy", "-DN=40000"}),
            "axpy/tuned.jsonl: no findings in 625 blocks of 64 threads\n");
  EXPECT_THAT(printed({"explain", "axpy", "-DN=2000", "--gpu=A100 SXM 80GB"}),
              HasSubstr("multiprocessors at work: 16 of the GPU's 108\n"));
  EXPECT_THAT(printed({"run", "axpy", "--check", "--device=sim", "-DN=77"}),
              HasSubstr("axpy/tuned.jsonl on sim: N=77, correct ("));
  EXPECT_EQ(printed({"explain", "axpy", "--gpu=RTX 4090"}),
            "error: " + table +
                " has no schedule of axpy for RTX 4090; it has some for A100 SXM 80GB, " + own +
                "\n");
  EXPECT_EQ(printed({"check", "matmul"}), "error: " + table + " has no schedule of matmul for " +
                                              own + "; it has none of this program\n");
}

/// Until the file is gone.
TEST_F(Steps, RunAgainWhenTheFileChanges) {
  replace_file(file_, {"split(i, 64)"});
  auto watched = std::async(std::launch::async, [&] {
    return hone({"try", "axpy", "--emit=schedule", "--watch", "--steps=" + file_});
  });
  for (const char* const steps : {"split(i, ", "split(i, 32)"}) {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    replace_file(file_, {steps});
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  std::filesystem::remove(file_);
  const CommandResult result = watched.get();
  EXPECT_EQ(result.printed, "---- " + file_ +
                                "\n// Z(i) = X(i) * 2.0 + Y(i)\n"
                                "auto [i_0, i_1] = s.split(i, 64);\n---- " +
                                file_ + "\n---- " + file_ +
                                "\n// Z(i) = X(i) * 2.0 + Y(i)\n"
                                "auto [i_0, i_1] = s.split(i, 32);\n");
  EXPECT_THAT(result.complained, HasSubstr(":1:9: expected an expression, found the end of"));
}

}  // namespace steps_test
}  // namespace hone
