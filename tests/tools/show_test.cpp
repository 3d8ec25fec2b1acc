#include "codegen/parse_kernel.h"
#include "command.h"
#include "ir/interpret/interpreter.h"
#include "ir/text/parser.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace show_test {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

std::string shown(std::vector<std::string> words) {
  words.insert(words.begin(), "show");
  const CommandResult result = hone(words);
  EXPECT_EQ(result.complained, "");
  EXPECT_EQ(result.status, 0);
  return result.printed;
}

TEST(Show, PrintsTheScheduleAsCalls) {
  EXPECT_EQ(shown({"axpy/blocks", "--emit=schedule"}),
            "// Z(i) = X(i) * 2.0 + Y(i)\n"
            "auto [i_0, i_1] = s.split(i, 128);\n"
            "s.bind(i_0, block.x);\n"
            "s.bind(i_1, thread.x);\n");
  EXPECT_EQ(shown({"axpy/serial", "--emit=schedule"}), "// Z(i) = X(i) * 2.0 + Y(i)\n");
}

TEST(Show, PrintsLoops) {
  EXPECT_EQ(shown({"axpy/blocks", "--emit=loops"}),
            R"(func axpy[N](X: f32[N], Y: f32[N], Z: f32[N]) {
  for i.0 in 0..(N + 127) / 128 @block.x {
    for i.1 in 0..128 @thread.x {
      if (i.0*128 + i.1 < N) {
        Z[i.0*128 + i.1] = X[i.0*128 + i.1] * 2.0 + Y[i.0*128 + i.1]
      }
    }
  }
}
)");
}

TEST(Show, MakesTheGivenSizesConstants) {
  EXPECT_EQ(shown({"axpy/serial", "--emit=loops", "-D", "N=256"}),
            "func axpy(X: f32[256], Y: f32[256], Z: f32[256]) {\n"
            "  for i in 0..256 {\n"
            "    Z[i] = X[i] * 2.0 + Y[i]\n"
            "  }\n"
            "}\n");
  EXPECT_THAT(shown({"matmul/threads", "--emit=loops", "-DM=8", "-DN=4"}),
              StartsWith("func matmul[K](A: f32[8, K], B: f32[K, 4], C: f32[8, 4]) {\n"));
}

TEST(Show, PrintsWhatEachStepChanges) {
  const std::string text = shown({"axpy/blocks", "--steps"});
  EXPECT_THAT(text, StartsWith("// step 0: the program\nfunc axpy[N]("));
  EXPECT_THAT(text, HasSubstr("\n\n// step 2: s.bind(i_0, block.x);\n--- step 1\n+++ step 2\n"));
  EXPECT_THAT(text, HasSubstr("\n-  for i.0 in 0..(N + 127) / 128 {\n"
                              "+  for i.0 in 0..(N + 127) / 128 @block.x {\n"));
  expect_usage_error({"show", "axpy/blocks", "--whole"},
                     "--whole says how --steps shows loops; give both");
}

TEST(Show, PrintsTheLoopsAfterEachStep) {
  const std::string text = shown({"axpy/blocks", "--steps", "--whole"});
  llvm::SmallVector<llvm::StringRef> steps;
  llvm::StringRef(text).split(steps, "\n\n");
  ASSERT_EQ(steps.size(), 4u);
  EXPECT_THAT(steps[0].str(), StartsWith("// step 0: the program\nfunc axpy[N]("));
  EXPECT_THAT(steps[1].str(), StartsWith("// step 1: auto [i_0, i_1] = s.split(i, 128);\nfunc "));
  EXPECT_THAT(steps[2].str(), StartsWith("// step 2: s.bind(i_0, block.x);\nfunc "));
  EXPECT_THAT(steps[3].str(), StartsWith("// step 3: s.bind(i_1, thread.x);\nfunc "));
  EXPECT_THAT(steps[3].str(), EndsWith(shown({"axpy/blocks", "--emit=loops"})));
}

TEST(Show, EveryStepParsesAndMeansTheSame) {
  const std::string text = shown({"matmul/register", "--steps", "--whole", "--emit=loops"});
  llvm::SmallVector<llvm::StringRef> steps;
  llvm::StringRef(text).split(steps, "\n\n");
  ASSERT_EQ(steps.size(), 7u);
  const Sizes sizes = {{"M", 3}, {"N", 5}, {"K", 2}};
  for (const llvm::StringRef step : steps) {
    const Function function = parse_function(step);
    Buffers buffers = {
        {"A", Buffer(f32, {3, 2})}, {"B", Buffer(f32, {2, 5})}, {"C", Buffer(f32, {3, 5})}};
    for (int n = 0; n < 6; ++n) buffers["A"].set(n, n);
    for (int n = 0; n < 10; ++n) buffers["B"].set(n, n);
    interpret(function, sizes, buffers);
    EXPECT_EQ(buffers["C"].get(14), 4 * 4 + 5 * 9) << step.str();
  }
}

TEST(Show, PrintsKernelIrThatParses) {
  const std::string text = shown({"matmul/threads", "--emit=kernel"});
  EXPECT_THAT(text, StartsWith("kernel matmul[M, N, K](A: f32[M, K]"));
  EXPECT_EQ(to_string(parse_kernel(text)) + "\n", text);
  EXPECT_THAT(shown({"matmul/parallel", "--emit=kernel"}), HasSubstr("@parallel"));
}

TEST(Show, PrintsCudaUnlessAskedForAnother) {
  const std::string text = shown({"axpy/blocks"});
  EXPECT_THAT(text, StartsWith("// Z(i) = X(i) * 2.0 + Y(i)\n// auto [i_0, i_1] ="));
  EXPECT_THAT(text, HasSubstr("extern \"C\" __global__ void"));
  EXPECT_EQ(shown({"axpy/blocks", "--emit", "cuda"}), text);
}

TEST(Show, PrintsCUnlessAskedForAnotherWhereTheHostRuns) {
  EXPECT_THAT(shown({"matmul/parallel"}), HasSubstr("#pragma omp parallel for"));
  EXPECT_THAT(shown({"axpy/blocks", "--emit=c"}), HasSubstr("\nvoid hone_axpy("));
}

TEST(Show, PrintsTheLaunch) {
  const std::string arguments =
      "axpy\n  X: f32[{0}], read\n  Y: f32[{0}], read\n  Z: f32[{0}], written\n";
  const std::string promises =
      "promised: X and Z share no memory\npromised: Y and Z share no memory\n";
  EXPECT_EQ(shown({"axpy/blocks", "--emit=launch"}),
            fmt::format(fmt::runtime(arguments), "N") + "  N, a size\n" + promises +
                "axpy: grid ((N + 127) / 128, 1, 1), block (128, 1, 1), no shared memory, "
                "32-bit indices\n"
                "  takes X, Y, Z, N\n"
                "  limit: N <= 2146435072\n"
                "  limit: ((N + 127) / 128)*128 <= 2146435072\n");
  EXPECT_EQ(shown({"axpy/blocks", "--emit=launch", "-D", "N=1000"}),
            fmt::format(fmt::runtime(arguments), 1000) + promises +
                "axpy: grid (8, 1, 1), block (128, 1, 1), no shared memory, 32-bit indices\n"
                "  takes X, Y, Z\n");
}

TEST(Show, PrintsMachineCodeWhereThereIsADisassembler) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const CommandResult result = hone({"show", "axpy/blocks", "--emit=sass", "--arch=sm_90"});
  if (result.status == 0)
    EXPECT_THAT(result.printed, HasSubstr("EXIT"));
  else
    EXPECT_THAT(result.complained, StartsWith("error: no disassembler: "));
}

TEST(Show, CompilesToPtxAndCubin) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  EXPECT_THAT(shown({"axpy/blocks", "--emit=ptx", "--arch=sm_90"}), HasSubstr(".target sm_90"));
  EXPECT_THAT(shown({"axpy/blocks", "--emit=cubin", "--arch=sm_90"}), StartsWith("\x7f"
                                                                                 "ELF"));
  EXPECT_THAT(shown({"axpy/blocks", "--emit=ptx"}), HasSubstr(".visible .entry axpy("));
}

TEST(Show, RefusesACubinOfAVirtualArchitecture) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  expect_failure({"show", "axpy/blocks", "--emit=cubin", "--arch=compute_90"},
                 "compute_90 is a virtual architecture, for which there is PTX and no cubin");
}

TEST(Show, RefusesAnArchitectureThatNvrtcDoesNotKnow) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const CommandResult result = hone({"show", "axpy/blocks", "--emit=ptx", "--arch=sm_1"});
  EXPECT_THAT(result.complained, StartsWith("error: "));
  EXPECT_THAT(result.complained, HasSubstr("sm_1"));
  EXPECT_EQ(result.status, 1);
}

TEST(Show, RefusesAnArchitectureThatLacksWhatTheKernelNeeds) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  Ladder ladder = small_axpy();
  ladder.rungs.push_back(make_rung<Axpy>("clusters", "two blocks a cluster", RungTarget::gpu,
                                         [](Schedule& s, const Axpy& p) {
                                           auto [b, rest] = s.split(p.i, 256);
                                           auto [c, t] = s.split(rest, 128);
                                           s.bind(b, block.x);
                                           s.bind(c, cluster.x);
                                           s.bind(t, thread.x);
                                         }));
  const CommandResult result =
      hone_on({ladder}, {"show", "axpy/clusters", "--emit=ptx", "--arch=sm_80"});
  EXPECT_EQ(result.complained,
            "error: axpy has clusters of blocks, which GPUs have from sm_90 on, and not sm_80\n");
  EXPECT_EQ(result.status, 1);
}

TEST(Show, RefusesACubinOnATerminal) {
  const CommandResult result =
      hone_on({small_axpy()}, {"show", "axpy/blocks", "--emit=cubin"}, /*is_terminal=*/true);
  EXPECT_EQ(result.complained, "error: a cubin is no text for a terminal; name a file with -o\n");
  EXPECT_EQ(result.status, 2);
}

TEST(Show, WritesToAFile) {
  const TemporaryFolder folder;
  EXPECT_EQ(shown({"axpy/serial", "--emit=loops", "-o", folder.file("axpy.txt")}), "");
  EXPECT_EQ(read_small_file(folder.file("axpy.txt"), 10000),
            shown({"axpy/serial", "--emit=loops"}));
}

TEST(Show, SaysThatAFileCannotBeWritten) {
  const CommandResult result = hone({"show", "axpy/serial", "-o", "/no/such/folder/axpy.txt"});
  EXPECT_THAT(result.complained, StartsWith("error: cannot write /no/such/folder/axpy.txt"));
  EXPECT_EQ(result.status, 1);
}

TEST(Show, RefusesAFormOfTheGpuForTheHost) {
  for (const char* form : {"cuda", "ptx", "cubin", "sass", "launch"})
    expect_usage_error({"show", "axpy/serial", "--emit", form},
                       fmt::format("axpy/serial runs on the host and has no {}; it has source, "
                                   "schedule, dependences, loops, kernel, c",
                                   form));
}

TEST(Show, RefusesAnUnknownForm) {
  expect_usage_error({"show", "axpy/serial", "--emit=loop"},
                     "there is no form 'loop' in --emit; did you mean 'loops'?");
  expect_usage_error(
      {"show", "axpy/serial", "--emit=assembly"},
      "there is no form 'assembly' in --emit; there are source, schedule, dependences, loops, "
      "kernel, cuda, c, ptx, cubin, sass, launch");
}

TEST(Show, RefusesStepsOfAnotherForm) {
  expect_usage_error({"show", "axpy/serial", "--emit=cuda", "--steps"},
                     "--steps shows loops, not cuda");
}

TEST(Diff, ComparesWithTheRungBefore) {
  const CommandResult result = hone({"diff", "matmul/register", "--emit=schedule"});
  EXPECT_EQ(result.printed,
            "--- matmul/threads\n+++ matmul/register\n@@ -4,3 +4,4 @@\n"
            " s.bind(j_0, block.x);\n s.bind(i_1, thread.y);\n s.bind(j_1, thread.x);\n"
            "+s.cache_registers(C, j_1);\n");
  EXPECT_EQ(result.status, 0);
}

TEST(Diff, ComparesTwoRungs) {
  const CommandResult result = hone({"diff", "axpy/blocks", "axpy/serial", "--emit=schedule"});
  EXPECT_EQ(result.printed,
            "--- axpy/blocks\n+++ axpy/serial\n@@ -1,4 +1,1 @@\n // Z(i) = X(i) * 2.0 + Y(i)\n"
            "-auto [i_0, i_1] = s.split(i, 128);\n-s.bind(i_0, block.x);\n"
            "-s.bind(i_1, thread.x);\n");
  EXPECT_EQ(hone({"diff", "axpy/serial", "axpy/serial"}).printed, "");
}

TEST(Diff, ComparesCudaUnlessOneRungRunsOnTheHost) {
  EXPECT_THAT(hone({"diff", "matmul/register"}).printed, HasSubstr("\n+// s.cache_registers(C"));
  EXPECT_THAT(hone({"diff", "axpy/serial", "axpy/blocks"}).printed,
              HasSubstr("\n-  for i in 0..N {\n"));
}

TEST(Show, AsJsonHasTheSameText) {
  const CommandResult result = hone({"show", "matmul/register", "-DM=8", "--json"});
  auto value = llvm::json::parse(result.printed);
  ASSERT_TRUE(bool(value)) << llvm::toString(value.takeError());
  const llvm::json::Object& object = *value->getAsObject();
  EXPECT_EQ(object.getString("form")->str(), "cuda");
  EXPECT_EQ(object.getString("text")->str(), hone({"show", "matmul/register", "-DM=8"}).printed);
}

TEST(Show, RefusesJsonOfWhatIsNoText) {
  expect_usage_error({"show", "axpy/blocks", "--emit=cubin", "--json"},
                     "a cubin is no text; name a file with -o and leave --json out");
  expect_usage_error({"show", "axpy/blocks", "--json", "-o", "file"},
                     "-o writes the text as it is; leave --json or -o out");
}

TEST(Show, RefusesAConstantThatIsNoSize) {
  Ladder ladder = small_axpy();
  ladder.rungs[1].constants = {"N", "n"};
  EXPECT_EQ(hone_on({ladder}, {"show", "axpy/blocks"}).complained,
            "error: axpy/blocks has n as a constant, which is no size of its ladder\n");
  EXPECT_EQ(hone_on({ladder}, {"run", "axpy/blocks", "--device=sim"}).complained,
            "error: axpy/blocks has n as a constant, which is no size of its ladder\n");
}

TEST(Diff, RefusesARungThatBuildsOnNoneAlone) {
  for (const char* rung : {"axpy/serial", "matmul/threads"})
    expect_usage_error(
        {"diff", rung},
        std::string(rung) + " builds on no other rung; name the one to compare it with");
}

/// Rungs in between do not count.
TEST(Diff, ComparesARungWithTheOneThatItBuildsOn) {
  Ladder ladder = small_matmul();
  std::swap(ladder.rungs[0], ladder.rungs[1]);
  EXPECT_THAT(hone_on({ladder}, {"diff", "matmul/register"}).printed,
              StartsWith("--- matmul/threads\n+++ matmul/register\n"));
}

TEST(Diff, RefusesCubins) {
  expect_usage_error({"diff", "matmul/register", "--emit=cubin"},
                     "a cubin has no lines to compare; use --emit=ptx");
}

}  // namespace show_test
}  // namespace hone
