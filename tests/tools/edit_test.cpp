// Kernels and CUDA text that a user has changed by hand, in the place of a rung's own.
#include <filesystem>

#include "command.h"
#include "runtime/device.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace edit_test {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

std::string replaced(std::string text, const std::string& before, const std::string& after) {
  const size_t place = text.find(before);
  EXPECT_NE(place, std::string::npos) << before << " is not in\n" << text;
  return place == std::string::npos ? text : text.replace(place, before.size(), after);
}

/// B[j, i] = A[i, j] by tiles in shared memory.
Ladder tiles_ladder() {
  const auto make = [](const Sizes& fixed, bool with_schedule) {
    const Expr M = size_of(fixed, "M"), N = size_of(fixed, "N");
    const Tensor A("A", f32, {M, N}), B("B", f32, {N, M});
    const Axis i("i", M), j("j", N);
    Schedule s(Program("transpose", B(j, i) = A(i, j)));
    if (!with_schedule) return s;
    auto [jo, io, ji, ii] = s.tile({j, i}, {4, 4});
    s.bind(jo, block.y);
    s.bind(io, block.x);
    s.bind(ji, thread.y);
    s.bind(ii, thread.x);
    s.cache_shared(A, io);
    return s;
  };
  Ladder ladder;
  ladder.name = "transpose";
  ladder.sizes = {{"M", 9}, {"N", 7}};
  ladder.program = [](const Sizes& fixed) {
    const Expr M = size_of(fixed, "M"), N = size_of(fixed, "N");
    const Tensor A("A", f32, {M, N}), B("B", f32, {N, M});
    const Axis i("i", M), j("j", N);
    return Program("transpose", B(j, i) = A(i, j));
  };
  ladder.rungs = {{"tiled", "", "", RungTarget::gpu,
                   [make](const Sizes& fixed, const Sizes&) { return make(fixed, true); }}};
  return ladder;
}

CommandResult hone_tiles(std::vector<std::string> words) {
  return hone_on({tiles_ladder(), small_axpy(), small_matmul()}, std::move(words));
}

/// The text of a rung, with one place changed, in a file.
class Edit : public testing::Test {
 protected:
  std::string edited(const std::string& form, const std::string& before = "",
                     const std::string& after = "", const char* rung = "transpose/tiled",
                     std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"show", rung, "--emit", form};
    words.insert(words.end(), more.begin(), more.end());
    const std::string text = hone_tiles(words).printed;
    const std::string path = folder_.file(form == "cuda" ? "my.cu" : "my.kernel");
    write(path, before.empty() ? text : replaced(text, before, after));
    return path;
  }

  static void write(const std::string& path, const std::string& text) {
    std::filesystem::remove(path);
    write_new_file(path, text);
  }

  TemporaryFolder folder_;
};

// ---- Kernel IR ----------------------------------------------------------------------------------

TEST_F(Edit, AKernelAsItWasShownIsClean) {
  const std::string path = edited("kernel");
  for (const char* m : {"1", "3", "4", "5", "9"})
    for (const char* n : {"1", "4", "7"}) {
      const std::vector<std::string> sizes = {"-D", std::string("M=") + m, "-D",
                                              std::string("N=") + n};
      std::vector<std::string> words = {"check", "transpose/tiled", "--kernel", path};
      words.insert(words.end(), sizes.begin(), sizes.end());
      const CommandResult result = hone_tiles(words);
      EXPECT_THAT(result.printed, StartsWith("transpose/tiled with " + path + ": no findings in "));
      EXPECT_EQ(result.complained, "");
      EXPECT_EQ(result.status, 0);
      words[0] = "run";
      words.push_back("--device=sim");
      EXPECT_THAT(hone_tiles(words).printed,
                  MatchesRegex("transpose/tiled with .* on sim: M=.* N=.*, correct "
                               "\\(exact\\)\n"));
    }
}

TEST_F(Edit, CheckFindsAMissingBarrier) {
  const std::string path = edited("kernel", "  barrier\n", "");
  const CommandResult result = hone_tiles({"check", "transpose/tiled", "--kernel", path});
  EXPECT_THAT(result.printed, StartsWith("race on A.shared["));
  EXPECT_THAT(result.printed, HasSubstr("no barrier between two threads of a block"));
  EXPECT_EQ(result.status, 1);
}

TEST_F(Edit, CheckFindsABoundThatIsOffByOne) {
  const std::string path = edited("kernel", " < M", " <= M");
  const CommandResult result = hone_tiles({"check", "transpose/tiled", "--kernel", path});
  EXPECT_THAT(result.printed, StartsWith("access out of bounds on A: "));
  EXPECT_EQ(result.status, 1);
}

TEST_F(Edit, CheckFindsAWrongResult) {
  const std::string path = edited("kernel", "* 2.0", "* 3.0", "axpy/blocks");
  const CommandResult result = hone({"check", "axpy/blocks", "--kernel", path, "-DN=129"});
  EXPECT_THAT(result.printed, StartsWith("wrong result: Z[0] is "));
  EXPECT_THAT(result.printed, EndsWith("axpy/blocks with " + path +
                                       ": 1 kind of findings, 1 in all, in 2 blocks of 128 "
                                       "threads\n"));
  EXPECT_EQ(result.status, 1);
}

TEST_F(Edit, RunComparesWithoutBeingAsked) {
  const std::string path = edited("kernel", "* 2.0", "* 3.0", "axpy/blocks");
  const CommandResult result =
      hone({"run", "axpy/blocks", "--kernel", path, "--device=sim", "-DN=1"});
  EXPECT_THAT(result.complained, StartsWith("error: axpy/blocks with " + path + ": Z[0] is "));
  EXPECT_EQ(result.printed, "");
  EXPECT_EQ(result.status, 1);
}

/// The simulated device would compute the right result: its threads wait for nobody.
TEST_F(Edit, RunRefusesARaceOnTheSimulatedDevice) {
  const std::string path = edited("kernel", "  barrier\n", "");
  const CommandResult result =
      hone_tiles({"run", "transpose/tiled", "--kernel", path, "--device=sim"});
  EXPECT_THAT(result.complained,
              AllOf(StartsWith("error: transpose/tiled with " + path + ": 1 kind of findings, "),
                    EndsWith("; `hone check transpose/tiled --kernel=" + path + "` shows them\n")));
  EXPECT_EQ(result.status, 1);
}

/// Lanes eight floats apart ask for a sector each: 32 of a request, instead of 4.
TEST_F(Edit, CountersAreThoseOfTheEditedKernel) {
  const std::string path = edited("kernel", "X[i]", "X[i*8 % N]", "axpy/blocks");
  const std::vector<std::string> words = {"counters", "axpy/blocks", "-DN=1024"};
  EXPECT_THAT(hone(words).printed, HasSubstr("\nglobal_load_sectors                   256 "));
  const CommandResult result = hone({words[0], words[1], words[2], "--kernel", path});
  EXPECT_THAT(result.printed, StartsWith("axpy/blocks with " + path + ": N=1024\n"));
  EXPECT_THAT(result.printed, HasSubstr("\nglobal_load_sectors                  1152 "));
  EXPECT_EQ(result.status, 0);
}

TEST_F(Edit, CountersStopAtAStrayAccess) {
  const std::string path = edited("kernel", " < M", " <= M");
  const CommandResult result = hone_tiles({"counters", "transpose/tiled", "--kernel", path});
  EXPECT_THAT(result.complained, HasSubstr("is outside 0..63"));
  EXPECT_EQ(result.status, 1);
}

TEST_F(Edit, AKernelForConstantSizesRunsAtThose) {
  const std::string path = edited("kernel", "", "", "axpy/blocks", {"-DN=300"});
  const CommandResult result = hone({"check", "axpy/blocks", "--kernel", path, "-DN=300"});
  EXPECT_EQ(result.printed,
            "axpy/blocks with " + path + ": no findings in 3 blocks of 128 threads\n");
  expect_failure(
      {"check", "axpy/blocks", "--kernel", path, "-DN=301"},
      path + ": axpy takes X as f32[300], and in axpy/blocks it is f32[N]; give -D N=300");
  expect_failure(
      {"counters", "axpy/blocks", "--kernel", path},
      path + ": axpy takes X as f32[300], and in axpy/blocks it is f32[N]; give -D N=300");
}

TEST_F(Edit, SeveralKernelsTakeThePlaceOfOne) {
  const std::string path = folder_.file("two.kernel");
  const auto half = [](const char* name, const char* from, const char* to) {
    return fmt::format(
        "kernel {}[N](X: f32[N], Y: f32[N], Z: f32[N]) grid(1, 1, 1) block(1, 1, 1) @index32 {{\n"
        "  for i in 0..{} {{\n    Z[{} + i] = X[{} + i]*2.0 + Y[{} + i]\n  }}\n}}\n",
        name, to, from, from, from);
  };
  write(path, half("low", "0", "N / 2") + half("high", "N / 2", "N - N / 2"));
  for (const char* size : {"-DN=1", "-DN=2", "-DN=7"}) {
    EXPECT_EQ(
        hone({"check", "axpy/blocks", "--kernel", path, size}).printed,
        "axpy/blocks with " + path + ": no findings in 1 block of 1 thread, 1 block of 1 thread\n");
    EXPECT_EQ(hone({"check", "--kernel", path, size}).printed,
              path + ": no findings in 1 block of 1 thread, 1 block of 1 thread\n");
  }
  write(path, half("low", "0", "N / 2") + half("low", "N / 2", "N - N / 2"));
  expect_failure({"check", "axpy/blocks", "--kernel", path},
                 path +
                     ":6:8: there are two kernels low\n  kernel low[N](X: f32[N], Y: f32[N], "
                     "Z: f32[N]) grid(1, 1, 1) block(1, 1, 1) @index32 {\n         ^");
}

TEST_F(Edit, KernelsOfAFileAgreeOnWhatTheyTake) {
  const std::string path = folder_.file("two.kernel");
  write(path,
        "kernel low(X: f32[4]) grid(1, 1, 1) block(1, 1, 1) @index32 {\n  X[0] = 1.0\n}\n"
        "kernel high(X: f64[4]) grid(1, 1, 1) block(1, 1, 1) @index32 {\n  X[0] = 1.0f64\n}\n");
  expect_failure({"check", "--kernel", path},
                 path + ": high takes X as f64[4], and a kernel before takes it as f32[4]");
}

TEST_F(Edit, RefusesOtherArguments) {
  const std::string start = "axpy[N](X: f32[N], Y: f32[N], Z: f32[N])";
  const auto error_of = [&](const std::string& signature) {
    return edited("kernel", start, signature, "axpy/blocks");
  };
  std::string path = error_of("axpy[N](X: f32[N], Y: f32[N], Z: f32[N], W: f32[N])");
  expect_failure({"check", "axpy/blocks", "--kernel", path},
                 path + ": axpy takes W, which axpy/blocks does not have; it has X, Y, Z");
  path = error_of("axpy[N](X: f32[N], Y: f64[N], Z: f32[N])");
  expect_failure({"check", "axpy/blocks", "--kernel", path},
                 path +
                     ":4:23: sum of X[i] * 2.0 (f32) and Y[i] (f64); use cast\n"
                     "      Z[i] = X[i] * 2.0 + Y[i]\n                        ^");
  path = error_of("axpy[N](X: f32[N], Y: f32[N + 1], Z: f32[N])");
  expect_failure({"run", "axpy/blocks", "--kernel", path, "--device=sim"},
                 path + ": axpy takes Y as f32[N + 1], and in axpy/blocks it is f32[N]");
  path = error_of("axpy[N, K](X: f32[N], Y: f32[N], Z: f32[N])");
  expect_failure({"counters", "axpy/blocks", "--kernel", path},
                 path + ": axpy has a size K, which axpy/blocks does not have; it has N");
}

TEST_F(Edit, ShowsTheLineOfAParseError) {
  const std::string path = edited("kernel", "  barrier\n", "  barier\n");
  const CommandResult result = hone_tiles({"run", "transpose/tiled", "--kernel", path});
  EXPECT_THAT(result.complained, MatchesRegex("error: .*my.kernel:[0-9]+:3: expected a statement, "
                                              "found 'barier'\n    barier\n    \\^\n"));
  EXPECT_EQ(result.status, 1);
}

TEST_F(Edit, RefusesFilesThatHoldNoText) {
  const std::string empty = folder_.file("empty.kernel"), huge = folder_.file("huge.cu");
  write(empty, " \n");
  write(huge, "x");
  std::filesystem::resize_file(huge, (16 << 20) + 1);
  for (const auto& [command, option] :
       {std::pair("check", "--kernel"), {"run", "--kernel"}, {"run", "--replace-source"}}) {
    expect_failure({command, "axpy/blocks", option, empty}, empty + " is empty");
    expect_failure({command, "axpy/blocks", option, huge},
                   huge + " has 16777217 bytes, and a text that Hone reads at most 16777216");
    expect_failure({command, "axpy/blocks", option, folder_.path()},
                   folder_.path() + " is a folder");
    expect_failure({command, "axpy/blocks", option, "/no/such.kernel"},
                   "cannot read /no/such.kernel: No such file or directory");
  }
}

TEST_F(Edit, FollowsALinkToAFile) {
  const std::string path = edited("kernel", "", "", "axpy/blocks");
  const std::string link = folder_.file("link.kernel");
  std::filesystem::create_symlink(path, link);
  EXPECT_EQ(hone({"check", "axpy/blocks", "--kernel", link}).status, 0);
}

TEST_F(Edit, SaysWhatATextIsThatTheOptionDoesNotTake) {
  const std::string cuda = edited("cuda"), kernel = edited("kernel");
  expect_failure(
      {"check", "axpy/blocks", "--kernel", cuda},
      "--kernel: " + cuda + " is CUDA, as `show --emit=cuda` prints it; --replace-source takes it");
  expect_failure({"run", "axpy/blocks", "--replace-source", kernel},
                 "--replace-source: " + kernel +
                     " is kernel IR, as `show --emit=kernel` prints it; --kernel takes it");
  const std::string loops = edited("loops");
  for (const char* option : {"--kernel", "--replace-source"})
    expect_failure({"run", "axpy/blocks", option, loops},
                   std::string(option) + ": " + loops +
                       " is a loop nest, as `show --emit=loops` prints it, which no option takes; "
                       "change the schedule instead, or the kernel of `show --emit=kernel`");
}

TEST_F(Edit, RefusesWhatDoesNotGoTogether) {
  const std::string path = edited("kernel", "", "", "axpy/blocks");
  expect_usage_error({"run", "axpy/blocks", "--kernel", path, "--replace-source", path},
                     "--kernel and --replace-source both say what runs; give one of them");
  expect_usage_error({"run", "axpy/serial", "--kernel", path},
                     "axpy/serial runs on the host, and has no kernel for a GPU");
  expect_usage_error({"counters", "axpy/serial", "--kernel", path},
                     "axpy/serial runs on the host, and has no kernel for a GPU");
  expect_usage_error({"run", "axpy/blocks", "--kernel", path, "--device=host"},
                     "--kernel runs on a GPU or on the simulated device");
  expect_usage_error({"run", "axpy/blocks", "--replace-source", path, "--device=host"},
                     "--replace-source runs on a GPU or on the simulated device");
  expect_usage_error({"check", "--replace-source", path, "--all"},
                     "--replace-source takes the place of a rung's kernels; name it");
  expect_usage_error({"check", "axpy/blocks", "--replace-source", path, "--order=1"},
                     "--order is for kernel IR, and --replace-source gives CUDA");
  expect_usage_error({"check", "axpy", "--kernel", path},
                     "'axpy' is a ladder; name one of its rungs, as in axpy/serial");
}

// ---- CUDA ---------------------------------------------------------------------------------------

class EditedSource : public Edit {
 protected:
  void SetUp() override {
    if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  }

  static CommandResult run(const std::string& path, std::vector<std::string> more = {}) {
    std::vector<std::string> words = {"run", "transpose/tiled", "--replace-source", path};
    words.insert(words.end(), more.begin(), more.end());
    return hone_tiles(words);
  }
};

TEST_F(EditedSource, RunsOnTheSimulatedDevice) {
  const std::string path = edited("cuda", "__syncthreads();", "__syncthreads(); // mine");
  for (const char* m : {"-DM=1", "-DM=9"}) {
    const CommandResult result = run(path, {m, "--device=sim"});
    EXPECT_THAT(result.printed, MatchesRegex("transpose/tiled with .*my.cu on sim: M=.* N=7, "
                                             "correct \\(exact\\)\n"))
        << result.complained;
    EXPECT_EQ(result.status, 0);
  }
  EXPECT_THAT(hone_tiles({"check", "transpose/tiled", "--replace-source", path, "-DM=9"}).printed,
              MatchesRegex("transpose/tiled with .*my.cu: no findings in [0-9]+ blocks of 16 "
                           "threads\n"));
}

TEST_F(EditedSource, IsCheckedOnTheSimulatedDevice) {
  const std::string path = edited("cuda", "__syncthreads();", "");
  const CommandResult result =
      hone_tiles({"check", "transpose/tiled", "--replace-source", path, "-DM=9"});
  EXPECT_THAT(result.printed, StartsWith("race: "));
  EXPECT_THAT(result.printed, HasSubstr(path + ":"));
  EXPECT_THAT(result.printed, HasSubstr("A_shared"));
  EXPECT_EQ(result.status, 1);
  EXPECT_THAT(
      hone_tiles({"check", "transpose/tiled", "--replace-source", path, "-DM=9", "--json"}).printed,
      HasSubstr("\"file\": \"" + path + "\""));
  EXPECT_THAT(run(path, {"-DM=9", "--device=sim"}).complained,
              MatchesRegex("error: transpose/tiled with .*my.cu: [0-9]+ kinds? of findings, .*; "
                           "`hone check transpose/tiled --replace-source=.*my.cu` shows them\n"));
}

TEST_F(EditedSource, IsComparedOnTheSimulatedDevice) {
  const std::string path = edited("cuda", "] = A_shared", "] = 2.0f * A_shared");
  EXPECT_THAT(run(path, {"-DM=9", "--device=sim"}).complained,
              HasSubstr("and the program without a schedule gives"));
  EXPECT_THAT(hone_tiles({"check", "transpose/tiled", "--replace-source", path, "-DM=9"}).printed,
              StartsWith("wrong result: "));
}

TEST_F(EditedSource, RunsOnAGpuWithTheArraysOfTheRung) {
  if (!why_no_cuda().empty()) GTEST_SKIP() << why_no_cuda();
  const std::string path = edited("cuda", "__syncthreads();", "__syncthreads(); // mine");
  for (const char* m : {"-DM=1", "-DM=4", "-DM=9", "-DM=129"}) {
    const CommandResult result = run(path, {m});
    EXPECT_THAT(result.printed, MatchesRegex("transpose/tiled with .*my.cu on cuda.*: M=.* N=7, "
                                             "correct \\(exact\\)\n"))
        << result.complained;
    EXPECT_EQ(result.status, 0);
  }
}

TEST_F(EditedSource, IsComparedOnAGpu) {
  if (!why_no_cuda().empty()) GTEST_SKIP() << why_no_cuda();
  const CommandResult result = run(edited("cuda", "] = A_shared", "] = 2.0f * A_shared"));
  EXPECT_THAT(result.complained, HasSubstr("and the program without a schedule gives"));
  EXPECT_EQ(result.status, 1);
}

TEST_F(EditedSource, ShowsErrorsWithTheUsersLines) {
  const std::string path = edited("cuda", "__syncthreads()", "__syncthread()");
  const CommandResult result = run(path);
  EXPECT_THAT(result.complained,
              MatchesRegex("error: NVRTC refuses .*my.cu, compiled for sm_[0-9]+:\n"
                           "  .*my.cu\\([0-9]+\\): error: identifier \"__syncthread\" is "
                           "undefined\n *[0-9]+ \\|   __syncthread\\(\\);\n"));
  EXPECT_THAT(result.complained, Not(HasSubstr("bug in hone")));
  EXPECT_EQ(result.status, 1);
}

TEST_F(EditedSource, SaysWhichFunctionIsMissing) {
  const std::string path = edited("cuda", "transpose(", "transposed(");
  const CommandResult result = run(path);
  EXPECT_EQ(result.complained,
            "error: " + path +
                ": there is no function transpose, which the launch starts; there are transposed. "
                "It is declared so:\nextern \"C\" __global__ void\n"
                "transpose(const float* __restrict__ A, float* __restrict__ B, int N, int M)\n");
  EXPECT_EQ(result.status, 1);
}

TEST_F(EditedSource, SaysThatAFunctionLacksExternC) {
  const std::string path = edited("cuda", "extern \"C\" ", "");
  EXPECT_EQ(run(path).complained, "error: " + path +
                                      ": the function transpose lacks extern \"C\", without which "
                                      "C++ calls it _Z9transposePKfPfii\n");
}

TEST_F(EditedSource, RefusesOtherParameters) {
  const std::string path = edited("cuda", "int N, int M)", "int N, int M, int K)");
  EXPECT_EQ(run(path).complained,
            "error: " + path +
                ": the parameters of transpose have 8, 8, 4, 4, 4 bytes, and a launch gives it 4 "
                "with 8, 8, 4, 4 bytes. It is declared so:\nextern \"C\" __global__ void\n"
                "transpose(const float* __restrict__ A, float* __restrict__ B, int N, int M)\n");
}

TEST_F(EditedSource, RefusesATextWithoutKernels) {
  const std::string path = folder_.file("my.cu");
  write(path, "#define NOTHING\n__device__ int x;\n");
  EXPECT_THAT(run(path).complained,
              StartsWith("error: " + path +
                         ": there is no function transpose, which the launch starts; there is no "
                         "__global__ function in it. It is declared so:\n"));
}

}  // namespace edit_test
}  // namespace hone
