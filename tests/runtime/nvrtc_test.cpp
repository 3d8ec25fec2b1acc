#include "runtime/nvrtc/nvrtc.h"

#include <filesystem>

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "runtime/files.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace nvrtc_test {

constexpr const char* saxpy_source =
    R"(extern "C" __global__ void saxpy(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
)";

class Nvrtc : public testing::Test {
 protected:
  void SetUp() override {
    if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  }

  static CompileJob saxpy(const std::string& arch) {
    CompileJob job;
    job.source = saxpy_source;
    job.name = "saxpy";
    job.arch = arch;
    return job;
  }

  static bool compiles_for(int architecture) {
    const auto& known = nvrtc_info()->architectures;
    return std::count(known.begin(), known.end(), architecture) > 0;
  }
};

TEST_F(Nvrtc, IsDescribed) {
  EXPECT_EQ(nvrtc_missing(), "");
  EXPECT_GE(nvrtc_info()->major, 11);
  EXPECT_TRUE(std::filesystem::exists(nvrtc_info()->path));
  EXPECT_THAT(nvrtc_info()->architectures, testing::Contains(90));
  EXPECT_FALSE(nvrtc_info()->fingerprint.empty());
}

class NvrtcArchitecture : public Nvrtc, public testing::WithParamInterface<int> {};

TEST_P(NvrtcArchitecture, CompilesToMachineCode) {
  if (!compiles_for(GetParam())) GTEST_SKIP() << "this NVRTC does not know sm_" << GetParam();
  const Compiled compiled = nvrtc_compile(saxpy(fmt::format("sm_{}", GetParam())));
  ASSERT_GT(compiled.cubin.size(), 4u);
  EXPECT_EQ(std::string(compiled.cubin.data(), 4),
            "\x7f"
            "ELF");
  EXPECT_THAT(compiled.ptx, testing::HasSubstr(fmt::format(".target sm_{}", GetParam())));
  ASSERT_EQ(compiled.kernels.size(), 1u);
  EXPECT_EQ(compiled.kernels[0].kernel, "saxpy");
  EXPECT_GT(compiled.kernels[0].registers, 0);
  EXPECT_FALSE(compiled.kernels[0].spills());
  EXPECT_TRUE(compiled.warnings.empty());
  EXPECT_FALSE(compiled.from_cache);
}

INSTANTIATE_TEST_SUITE_P(, NvrtcArchitecture, testing::Values(75, 80, 86, 89, 90, 100, 120),
                         [](const auto& info) { return fmt::format("sm_{}", info.param); });

TEST_F(Nvrtc, CompilesForTheFeaturesOfOneArchitecture) {
  const Compiled compiled = nvrtc_compile(saxpy("sm_90a"));
  EXPECT_GT(compiled.cubin.size(), 4u);
  EXPECT_THAT(compiled.ptx, testing::HasSubstr(".target sm_90a"));
}

TEST_F(Nvrtc, MakesPtxAloneForAVirtualArchitecture) {
  const Compiled compiled = nvrtc_compile(saxpy("compute_90"));
  EXPECT_THAT(compiled.ptx, testing::HasSubstr(".visible .entry saxpy("));
  EXPECT_EQ(compiled.ptx.back(), '\n');
  EXPECT_TRUE(compiled.cubin.empty());
}

TEST_F(Nvrtc, MakesTheSameBytesEachTime) {
  const Compiled first = nvrtc_compile(saxpy("sm_90")), second = nvrtc_compile(saxpy("sm_90"));
  EXPECT_EQ(first.cubin, second.cubin);
  EXPECT_EQ(first.ptx, second.ptx);
}

TEST_F(Nvrtc, FindsTheHalfTypes) {
  if (nvrtc_info()->headers.empty()) GTEST_SKIP() << "no CUDA headers beside NVRTC";
  CompileJob job = saxpy("sm_90");
  job.source =
      "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
      "extern \"C\" __global__ void k(__half* a, __nv_bfloat16* b) { a[0] += a[1]; b[0] += b[1]; }";
  EXPECT_FALSE(nvrtc_compile(job).cubin.empty());
}

TEST_F(Nvrtc, PassesOptionsOn) {
  CompileJob job = saxpy("sm_90");
  job.source = "extern \"C\" __global__ void k(float* a) { a[0] = SCALE; }";
  job.options = {"--define-macro=SCALE=3.0f"};
  EXPECT_FALSE(nvrtc_compile(job).cubin.empty());
  const std::vector<std::string> options = nvrtc_options(job);
  EXPECT_THAT(options, testing::IsSupersetOf(
                           {"--gpu-architecture=sm_90", "--std=c++17", "--ptxas-options=-v"}));
  EXPECT_EQ(options.back(), "--define-macro=SCALE=3.0f");
}

TEST_F(Nvrtc, PassesOptionsOfTheEnvironmentOn) {
  const TemporaryFolder folder;
  replace_file(folder.file("options"), {"--define-macro=SCALE=2.0f\n--maxrregcount=64\n"});
  CompileJob job = saxpy("sm_90");
  job.source = "extern \"C\" __global__ void k(float* a) { a[0] = SCALE * (SHIFT); }";
  const std::string words = "'--define-macro=SHIFT=1 + 1' @" + folder.file("options");
  const ScopedVariable variable("HONE_NVRTC_OPTIONS", words.c_str());
  EXPECT_FALSE(nvrtc_compile(job).cubin.empty());
  const std::vector<std::string> options = nvrtc_options(job);
  EXPECT_THAT(std::vector(options.end() - 3, options.end()),
              testing::ElementsAre("--define-macro=SHIFT=1 + 1", "--define-macro=SCALE=2.0f",
                                   "--maxrregcount=64"));
}

/// The first line of the error, which is where the options come from.
std::string refusal_with(const char* options, const CompileJob& job) {
  const ScopedVariable variable("HONE_NVRTC_OPTIONS", options);
  const std::string text = thrown_message<std::runtime_error>([&] { nvrtc_compile(job); });
  return text.substr(0, text.find('\n'));
}

TEST_F(Nvrtc, SaysWhereOptionsComeFromThatItRefuses) {
  const CompileJob job = saxpy("sm_90");
  const auto text = [](const char* error, const char* option) {
    return fmt::format(
        "NVRTC refused the CUDA that hone generated for 'saxpy' (sm_90, {}): "
        "HONE_NVRTC_OPTIONS adds {}; if it fails without, it is a bug in hone",
        error, option);
  };
  EXPECT_EQ(refusal_with("@no-such-file", job),
            text("NVRTC_ERROR_INVALID_OPTION", "@no-such-file"));
  EXPECT_EQ(refusal_with("--ptxas-options=--nonsense", job),
            text("NVRTC_ERROR_COMPILATION", "--ptxas-options=--nonsense"));
}

TEST_F(Nvrtc, RefusesAnArchitectureAmongTheOptionsOfTheEnvironment) {
  for (const char* option : {"--gpu-architecture=sm_80", "-arch=sm_80"})
    EXPECT_EQ(refusal_with(option, saxpy("sm_90")),
              fmt::format("HONE_NVRTC_OPTIONS: {}: Hone chooses the architecture", option));
}

TEST_F(Nvrtc, ReportsSpills) {
  CompileJob job = saxpy("sm_90");
  job.options = {"--maxrregcount=16"};
  job.source =
      "extern \"C\" __global__ void k(float* a) {\n"
      "  float t[64];\n"
      "#pragma unroll\n  for (int i = 0; i < 64; i++) t[i] = a[i];\n"
      "  __syncthreads();\n"
      "#pragma unroll\n  for (int i = 0; i < 64; i++) a[i] = t[63 - i] * t[i];\n}";
  const Compiled compiled = nvrtc_compile(job);
  ASSERT_EQ(compiled.kernels.size(), 1u);
  EXPECT_TRUE(compiled.kernels[0].spills());
  EXPECT_GT(compiled.kernels[0].stack_bytes, 0);
}

TEST_F(Nvrtc, RefusesAnUnknownArchitecture) {
  const std::string rest = fmt::format("': NVRTC {}.{} compiles for {}", nvrtc_info()->major,
                                       nvrtc_info()->minor, supported_architectures(*nvrtc_info()));
  for (const char* arch : {"sm_42", "sm_80a", "sm_90f", "sm_", "sm_90aa", "90", "compute_1", ""})
    EXPECT_EQ(thrown_message<RuntimeError>([&] { nvrtc_compile(saxpy(arch)); }),
              "unknown architecture '" + std::string(arch) + rest);
}

TEST(NvrtcArchitectures, AreListedWithTheirVariants) {
  NvrtcInfo info;
  info.architectures = {75, 90, 120};
  EXPECT_EQ(supported_architectures(info), "sm_75, sm_90[a], sm_120[a|f]");
}

TEST(NvrtcArchitectures, OfNewerDevicesAreReachedThroughPtx) {
  NvrtcInfo info;
  info.major = 12;
  info.architectures = {75, 80, 90};
  EXPECT_EQ(nvrtc_target(info, "sm_80"), "sm_80");
  EXPECT_EQ(nvrtc_target(info, "sm_87"), "compute_80");
  EXPECT_EQ(nvrtc_target(info, "sm_130"), "compute_90");
  EXPECT_EQ(thrown_message<RuntimeError>([&] { nvrtc_target(info, "sm_61"); }),
            "unknown architecture 'sm_61': NVRTC 12.0 compiles for sm_75, sm_80, sm_90[a]");
}

TEST_F(Nvrtc, SavesAReportOfASourceThatItRefuses) {
  const TemporaryFolder root;
  const ScopedVariable temporary("TMPDIR", root.path().c_str());
  CompileJob job = saxpy("sm_90");
  job.name = "my/kernel";
  job.source = "extern \"C\" __global__ void k(float* a) {\n  a[0] = b;\n  a[1] = c;\n}\n";
  job.options = {"--extra-device-vectorization"};
  job.schedule = "s.split(i, 4);\n";
  try {
    nvrtc_compile(job);
    FAIL() << "the source compiled";
  } catch (const CompileError& error) {
    EXPECT_THAT(error.folder(), testing::StartsWith(root.file("hone-failed-my_kernel-")));
    EXPECT_EQ(error.what(),
              "NVRTC refused the CUDA that hone generated for 'my/kernel' (sm_90, "
              "NVRTC_ERROR_COMPILATION): this is a bug in hone, not in the schedule\n"
              "  my/kernel.cu(2): error: identifier \"b\" is undefined\n"
              "       2 |   a[0] = b;\n"
              "  my/kernel.cu(3): error: identifier \"c\" is undefined\n"
              "       3 |   a[1] = c;\n"
              "source, options, log and schedule are in " +
                  error.folder() + "; please report them");
    const auto content = [&](const char* name) {
      return read_small_file(error.folder() + "/" + name, 1 << 20).value();
    };
    EXPECT_EQ(content("kernel.cu"), job.source);
    EXPECT_EQ(content("schedule.txt"), job.schedule);
    EXPECT_EQ(content("log.txt"), error.log());
    std::string options;
    for (const std::string& option : nvrtc_options(job)) options += option + "\n";
    EXPECT_EQ(content("options.txt"), options);
  }
}

TEST_F(Nvrtc, ShowsOnlyTheFirstErrors) {
  const TemporaryFolder root;
  const ScopedVariable temporary("TMPDIR", root.path().c_str());
  CompileJob job = saxpy("sm_90");
  job.source =
      "__global__ void k(float* a) {\n  a[0] = b;\n  a[1] = c;\n  a[1] = d;\n a[1] = e;\n}\n";
  const std::string message = thrown_message<CompileError>([&] { nvrtc_compile(job); });
  EXPECT_THAT(message, testing::HasSubstr("identifier \"d\" is undefined"));
  EXPECT_THAT(message, testing::Not(testing::HasSubstr("identifier \"e\" is undefined")));
}

TEST_F(Nvrtc, SaysSoWhereTheReportCannotBeSaved) {
  const ScopedVariable temporary("TMPDIR", "/nowhere");
  CompileJob job = saxpy("sm_90");
  job.source = "int main() { return x; }";
  EXPECT_THAT(
      thrown_message<CompileError>([&] { nvrtc_compile(job); }),
      testing::EndsWith("\nthe report could not be saved: cannot make a folder in /nowhere: "
                        "No such file or directory"));
}

}  // namespace nvrtc_test
}  // namespace hone
