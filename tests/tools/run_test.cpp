#include <sys/stat.h>

#include <numeric>

#include "command.h"
#include "runtime/device.h"
#include "runtime/io/npy.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace run_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;

bool exists(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0;
}

std::string saved(const TemporaryFolder& folder, const char* name, const AnyArray& array) {
  write_npy(folder.file(name), array);
  return folder.file(name);
}

TEST(Run, PrintsRungDeviceAndSizes) {
  const CommandResult result = hone({"run", "axpy/blocks", "--device=sim", "-D", "N=300"});
  EXPECT_EQ(result.complained, "");
  EXPECT_EQ(result.printed, "axpy/blocks on sim: N=300\n");  // which has no times
  EXPECT_EQ(result.status, 0);
}

TEST(Run, TakesTheSizesOfTheLadderWhereNoneIsGiven) {
  EXPECT_THAT(hone({"run", "matmul/parallel"}).printed,
              StartsWith("matmul/parallel on host: K=7 M=6 N=5, "));
}

TEST(Run, ChecksEveryRungOnEveryDevice) {
  for (const char* device : {"auto", "sim", "host"})
    for (const char* rung : {"axpy/blocks", "matmul/threads", "matmul/register"}) {
      const CommandResult result = hone({"run", rung, "--check", "--device", device});
      EXPECT_THAT(result.printed, HasSubstr(", correct (exact)\n")) << result.complained;
      EXPECT_EQ(result.status, 0);
    }
}

TEST(Run, HostRungsRunOnTheHost) {
  EXPECT_THAT(hone({"run", "axpy/serial", "--check"}).printed,
              MatchesRegex("axpy/serial on host: N=1000, .* ms, correct \\(exact\\)\n"));
  expect_usage_error({"run", "axpy/serial", "--device=cuda"},
                     "axpy/serial runs on the host, not on cuda; use --device=host");
  expect_usage_error({"run", "axpy/serial", "--device=sim"},
                     "axpy/serial runs on the host, not on sim; use --device=host");
}

TEST(Run, RunsWithoutElements) {
  for (const char* device : {"sim", "host"}) {
    EXPECT_THAT(hone({"run", "axpy/blocks", "-DN=0", "--check", "--device", device}).printed,
                HasSubstr("N=0, "));
    const CommandResult result =
        hone({"run", "matmul/register", "-DK=0", "-DM=3", "--check", "--device", device});
    EXPECT_THAT(result.printed, HasSubstr("K=0 M=3 N=5, ")) << result.complained;
    EXPECT_EQ(result.status, 0);
  }
}

TEST(Run, ReadsInputsAndWritesOutputs) {
  const TemporaryFolder folder;
  const std::string x = saved(folder, "x.npy", Array<float>({1, 2, 3}, {3}));
  const std::string y = saved(folder, "y.npy", Array<float>({10, 20, 30}, {3}));
  const std::string z = folder.file("z.npy");
  for (const char* rung : {"axpy/serial", "axpy/blocks"}) {
    const CommandResult result =
        hone({"run", rung, "--input=X=" + x, "--input", "Y=" + y, "--output", "Z=" + z, "--check"});
    EXPECT_EQ(result.complained, "");
    EXPECT_THAT(result.printed, HasSubstr(": N=3, "));
    EXPECT_THAT(Array<float>(read_npy(z)).to_vector(), ElementsAre(12, 24, 36));
    ::unlink(z.c_str());
  }
}

TEST(Run, ComputesAProductOfGivenMatrices) {
  const TemporaryFolder folder;
  std::vector<float> a(6), b(12);
  std::iota(a.begin(), a.end(), 0);
  std::iota(b.begin(), b.end(), 0);
  const std::string c = folder.file("c.npy");
  const CommandResult result =
      hone({"run", "matmul/register", "--device=sim",
            "--input=A=" + saved(folder, "a.npy", Array<float>(a, {2, 3})),
            "--input=B=" + saved(folder, "b.npy", Array<float>(b, {3, 4})), "--output=C=" + c});
  EXPECT_EQ(result.complained, "");
  EXPECT_THAT(result.printed, HasSubstr(": K=3 M=2 N=4\n"));
  EXPECT_THAT(read_npy(c).shape(), ElementsAre(2, 4));
  EXPECT_THAT(Array<float>(read_npy(c)).to_vector(), ElementsAre(20, 23, 26, 29, 56, 68, 80, 92));
}

TEST(Run, RandomInputsDependOnTheSeedAlone) {
  const TemporaryFolder folder;
  const auto output = [&](const char* seed, const char* device) {
    const std::string file = folder.file("c.npy");
    EXPECT_EQ(
        hone({"run", "matmul/threads", "--output=C=" + file, "--seed", seed, "--device", device})
            .complained,
        "");
    return Array<float>(read_npy(file)).to_vector();
  };
  const std::vector<float> first = output("1", "sim");
  EXPECT_EQ(output("1", "host"), first);
  EXPECT_NE(output("2", "sim"), first);
  EXPECT_NE(output("4294967297", "sim"), first);
}

TEST(Run, RefusesAnInputOfAnotherType) {
  const TemporaryFolder folder;
  const std::string x = saved(folder, "x.npy", Array<double>({1, 2}, {2}));
  expect_failure({"run", "axpy/blocks", "--input=X=" + x}, x + " holds f64[2], and X is f32[N]");
}

TEST(Run, RefusesAnInputOfAnotherRank) {
  const TemporaryFolder folder;
  const std::string a = saved(folder, "a.npy", Array<float>({1, 2}, {2}));
  expect_failure({"run", "matmul/threads", "--input=A=" + a},
                 a + " holds f32[2], and A is f32[M, K]");
}

TEST(Run, RefusesInputsThatContradictEachOther) {
  const TemporaryFolder folder;
  const std::string a = saved(folder, "a.npy", Array<float>({2, 3}));
  const std::string b = saved(folder, "b.npy", Array<float>({4, 5}));
  expect_failure({"run", "matmul/threads", "--input=B=" + b, "--input=A=" + a},
                 b + " holds f32[4, 5], and B is f32[K, N] with K=3 N=5");
}

TEST(Run, RefusesAnInputThatContradictsAGivenSize) {
  const TemporaryFolder folder;
  const std::string a = saved(folder, "a.npy", Array<float>({2, 3}));
  expect_failure({"run", "matmul/threads", "--input=A=" + a, "-D", "M=9"},
                 a + " holds f32[2, 3], and A is f32[M, K] with K=3 M=9");
}

TEST(Run, RefusesFilesForTensorsThatThereAreNot) {
  expect_usage_error({"run", "matmul/threads", "--input=C=c.npy"},
                     "there is no input 'C' in matmul; did you mean 'A'?");
  expect_usage_error({"run", "axpy/serial", "--output=Result=c.npy"},
                     "there is no output 'Result' in axpy; there are Z");
  expect_usage_error({"run", "axpy/serial", "--input=X"}, "--input takes NAME=VALUE, got 'X'");
}

TEST(Run, RefusesATensorThatIsGivenTwice) {
  const TemporaryFolder folder;
  const std::string x = saved(folder, "x.npy", Array<float>({1, 2}, {2}));
  expect_usage_error({"run", "axpy/serial", "--input=X=" + x, "--input=X=" + x},
                     "the input X is given twice");
  expect_usage_error({"run", "axpy/serial", "--output=Z=a.npy", "--output=Z=b.npy"},
                     "the output Z is given twice");
}

TEST(Run, SaysThatAnInputCannotBeRead) {
  expect_failure({"run", "axpy/serial", "--input=X=/no/such/x.npy"},
                 "cannot read /no/such/x.npy: No such file or directory");
}

TEST(Run, RefusesAnOutputInAFolderThatThereIsNot) {
  expect_failure({"run", "axpy/serial", "--output=Z=/no/such/z.npy"},
                 "cannot write /no/such/z.npy: there is no folder /no/such");
}

TEST(Run, RefusesWhatIsNoSize) {
  for (const char* size : {"x", "-1", "1.5", "99999999999999999999"})
    expect_usage_error({"run", "axpy/serial", std::string("-DN=") + size},
                       fmt::format("the size N is a number from 0 on, got '{}'", size));
  expect_usage_error({"run", "axpy/serial", "-DN=1", "-DN=2"},
                     "the size N is given twice, 1 and 2");
  expect_usage_error({"run", "axpy/serial", "-D", "N"}, "-D takes NAME=VALUE, got 'N'");
  expect_usage_error({"run", "matmul/threads", "-DDepth=1"},
                     "there is no size 'Depth' in matmul; there are K, M, N");
}

TEST(Run, RefusesWhatIsNoSeed) {
  expect_usage_error({"run", "axpy/serial", "--seed=one"},
                     "--seed takes a number from 0 on, got 'one'");
}

TEST(Run, RefusesAnUnknownDevice) {
  expect_usage_error({"run", "axpy/blocks", "--device=cud"},
                     "there is no device 'cud'; did you mean 'cuda'?");
  expect_usage_error({"run", "axpy/blocks", "--device=simulated"},
                     "there is no device 'simulated'; there are auto, cuda, cuda:N, sim, host");
}

TEST(Run, SaysWhyThereIsNoGpu) {
  if (why_no_cuda().empty()) GTEST_SKIP() << "a CUDA device answers";
  expect_failure({"run", "axpy/blocks", "--device=cuda"}, why_no_cuda());
}

TEST(Run, RunsOnAGpu) {
  if (!why_no_cuda().empty()) GTEST_SKIP() << why_no_cuda();
  for (const char* rung : {"axpy/blocks", "matmul/threads", "matmul/register"}) {
    const CommandResult result = hone({"run", rung, "--check", "--device=cuda"});
    EXPECT_THAT(result.printed, HasSubstr(" on cuda:0: ")) << result.complained;
    EXPECT_THAT(result.printed, HasSubstr(" ms, correct (exact)\n"));
  }
}

/// Z = X - 2 Y under the name of axpy.
Schedule wrong_axpy(const Sizes& fixed, const Sizes&) {
  const Axpy p(fixed);
  return Schedule(Program("axpy", p.Z(p.i) = p.X(p.i) - p.Y(p.i) * 2.0));
}

/// Leaves the last element as it is.
Schedule unfinished_axpy(const Sizes&, const Sizes& expected) {
  const Axpy p(expected);
  const Axis i("i", expected.at("N") - 1);
  return Schedule(Program("axpy", p.Z(i) = p.X(i) * 2.0 + p.Y(i)));
}

std::vector<Ladder> broken_ladders() {
  Ladder ladder = small_axpy();
  ladder.rungs = {{"wrong", "", "", RungTarget::host, wrong_axpy},
                  {"unfinished", "", "", RungTarget::host, unfinished_axpy}};
  return {ladder};
}

TEST(Run, FailsWhereARungComputesSomethingElse) {
  const TemporaryFolder folder;
  const std::string z = folder.file("z.npy");
  const std::vector<std::string> words = {
      "run",
      "axpy/wrong",
      "--check",
      "--output=Z=" + z,
      "--input=X=" + saved(folder, "x.npy", Array<float>({1, 2, 3}, {3})),
      "--input=Y=" + saved(folder, "y.npy", Array<float>({0, 4, 0}, {3}))};
  const CommandResult result = hone_on(broken_ladders(), words);
  EXPECT_EQ(result.printed, "");
  EXPECT_EQ(result.complained,
            "error: axpy/wrong: Z[0] is 1, and the program without a schedule gives 2 "
            "(off by 1, where nothing rounds)\n");
  EXPECT_EQ(result.status, 1);
  EXPECT_FALSE(exists(z));
}

TEST(Run, FailsWhereAnElementIsNotWritten) {
  const CommandResult result =
      hone_on(broken_ladders(), {"run", "axpy/unfinished", "--check", "-D", "N=20"});
  EXPECT_THAT(
      result.complained,
      StartsWith("error: axpy/unfinished: Z[19] is -nan, as memory is that nothing has written, "));
  EXPECT_EQ(result.status, 1);
}

TEST(Run, NeedsTheProgramForACheckAlone) {
  Ladder ladder = small_axpy();
  ladder.program = nullptr;
  EXPECT_EQ(hone_on({ladder}, {"run", "axpy/serial"}).status, 0);
  const CommandResult result = hone_on({ladder}, {"run", "axpy/serial", "--check"});
  EXPECT_EQ(result.complained,
            "error: the ladder axpy has no Ladder::program, which its rungs are checked against\n");
  EXPECT_EQ(result.status, 1);
}

/// out = in * in, of any type, with a thread per element.
Ladder square_ladder(DType type) {
  const auto build = [type](const Sizes& fixed) {
    const Expr n = size_of(fixed, "N");
    const Tensor in("in", type, {n}), out("out", type, {n});
    const Axis i("i", n);
    return Program("square", out(i) = in(i)*in(i));
  };
  Ladder ladder;
  ladder.name = "square";
  ladder.sizes = {{"N", 100}};
  ladder.program = build;
  ladder.rungs = {{"blocks", "", "", RungTarget::gpu, [build](const Sizes& fixed, const Sizes&) {
                     Schedule s(build(fixed));
                     auto [b, t] = s.split(s.axis("i"), 32);
                     s.bind(b, block.x);
                     s.bind(t, thread.x);
                     return s;
                   }}};
  return ladder;
}

TEST(Run, ChecksEveryElementType) {
  for (const DType type : {f64, f32, f16, bf16, i64, i32, i8, u8}) {
    const CommandResult result =
        hone_on({square_ladder(type)}, {"run", "square/blocks", "--check", "--device=sim"});
    EXPECT_THAT(result.printed, HasSubstr(", correct (exact)\n"))
        << name(type).str() << result.complained;
  }
}

TEST(Run, RefusesToWriteBfloat16) {
  const CommandResult result =
      hone_on({square_ladder(bf16)}, {"run", "square/blocks", "--output=out=o.npy"});
  EXPECT_EQ(result.complained, "error: cannot write out to o.npy: bf16 has no .npy form\n");
  EXPECT_EQ(result.status, 1);
}

}  // namespace run_test
}  // namespace hone
