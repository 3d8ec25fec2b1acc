#include <sys/stat.h>

#include "command.h"
#include "llvm/Support/JSON.h"
#include "runtime/io/npy.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/runtime/temporary_folder.h"
#include "tools/cli/json_text.h"

namespace hone {
namespace kernel_files_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* saxpy_text = R"(#include <cstdio>
#include <vector>

__global__ void saxpy(int n, float a, const float* x, float* y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i] + y[i];
  if (i == 0) printf("n is %d\n", n);
}

int main() { saxpy<<<4, 256>>>(1000, 2, nullptr, nullptr); }
)";

constexpr const char* reverse_text = R"(__global__ void reverse(int* x) {
  __shared__ int s[64];
  s[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void past(float* x) { x[threadIdx.x + 1] = 1; }
template <int N, class T> __global__ void fill(T* x) { x[threadIdx.x] = N; }
)";

constexpr const char* store_text = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry store(.param .u64 p) {
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, 7;
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

/// Files of kernels, and command lines about them.
class KernelFiles : public testing::Test {
 protected:
  void SetUp() override {
    if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
    saxpy_ = write("saxpy.cu", saxpy_text);
    reverse_ = write("reverse.cu", reverse_text);
  }
  std::string write(const char* name, std::string_view text) const {
    write_new_file(folder_.file(name), text);
    return folder_.file(name);
  }

  /// The command on saxpy.cu for 10 elements, with more words.
  std::vector<std::string> saxpy(const char* command, std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {
        command,       saxpy_,        "--grid=cdiv(N, 4)",  "--block=4",       "-DN=10",
        "--arg=i32:N", "--arg=f32:2", "--arg=f32:arange:N", "--arg=f32:ones:N"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  /// `run` on saxpy.cu with these arguments.
  void expect_refused(const std::vector<std::string>& arguments, const std::string& error) const {
    std::vector<std::string> words = {"run", saxpy_, "--grid=1", "--block=32", "-DN=8"};
    for (const std::string& argument : arguments) words.push_back("--arg=" + argument);
    expect_usage_error(words, error);
  }

  TemporaryFolder folder_;
  std::string saxpy_, reverse_;
};

TEST_F(KernelFiles, RunPrintsOutputAndTheArraysThatAreWritten) {
  const CommandResult result = hone(saxpy("run"));
  EXPECT_EQ(result.complained, "");
  EXPECT_EQ(result.printed, fmt::format("n is 10\n{}: saxpy ran 3 blocks of 4 threads\n"
                                        "y: f32[10] = 1, 3, 5, 7, 9, 11, ... (2 more), 17, 19\n",
                                        saxpy_));
  EXPECT_EQ(result.status, 0);
}

TEST_F(KernelFiles, CheckFindsNothingInARightKernel) {
  const CommandResult result = hone(saxpy("check"));
  EXPECT_EQ(result.complained, "");
  EXPECT_EQ(result.printed,
            fmt::format("n is 10\n{}: saxpy: no findings in 3 blocks of 4 threads\n", saxpy_));
  EXPECT_EQ(result.status, 0);
}

TEST_F(KernelFiles, CheckTellsOfARaceWithTheLinesOfTheFile) {
  const CommandResult result = hone(
      {"check", reverse_, "--kernel=reverse", "--grid=1", "--block=64", "--arg=i32:arange:64"});
  EXPECT_THAT(result.printed, StartsWith("race: s, byte "));
  EXPECT_THAT(result.printed, HasSubstr("/reverse.cu:4: block (0, 0, 0), thread ("));
  EXPECT_THAT(result.printed, HasSubstr("\n    x[threadIdx.x] = s[63 - threadIdx.x];\n"));
  EXPECT_THAT(result.printed, HasSubstr("\n    s[threadIdx.x] = x[threadIdx.x];\n"));
  EXPECT_EQ(result.status, 1);
}

TEST_F(KernelFiles, RunWarnsOfAnAccessCloseToMemory) {
  const CommandResult result =
      hone({"run", reverse_, "--kernel=past", "--grid=1", "--block=8", "--arg=f32:zeros:8"});
  EXPECT_THAT(result.complained, StartsWith("warning: access out of bounds: 0 bytes behind the end "
                                            "of x (32 bytes)\n"));
  EXPECT_THAT(result.printed, HasSubstr("x: f32[8] = 0, 1, 1, 1, 1, 1, 1, 1\n"));
  EXPECT_EQ(result.status, 0);
}

TEST_F(KernelFiles, RunEndsWithANullPointer) {
  const CommandResult result =
      hone({"run", reverse_, "--kernel=past", "--grid=1", "--block=8", "--arg=ptr:0"});
  EXPECT_THAT(result.complained,
              StartsWith("error: access out of bounds: the null pointer, and 4 bytes more\n"));
  EXPECT_EQ(result.printed, "");
  EXPECT_EQ(result.status, 1);
}

TEST_F(KernelFiles, CheckPrintsJson) {
  const CommandResult result = hone(
      {"check", reverse_, "--kernel=past", "--grid=1", "--block=8", "--arg=f32:zeros:8", "--json"});
  auto value = llvm::json::parse(result.printed);
  ASSERT_TRUE(static_cast<bool>(value)) << result.printed;
  const llvm::json::Object& row = *value->getAsArray()->front().getAsObject();
  EXPECT_EQ(row.getString("kernel"), llvm::StringRef("past"));
  EXPECT_FALSE(value_or(row.getBoolean("is_clean"), true));
  const llvm::json::Object& finding = *row.getArray("findings")->front().getAsObject();
  EXPECT_EQ(finding.getString("kind"), llvm::StringRef("access out of bounds"));
  const llvm::json::Object& site = *finding.getArray("sites")->front().getAsObject();
  EXPECT_EQ(value_or(site.getInteger("line"), 0), 6);
  EXPECT_THAT(site.getString("text")->str(), StartsWith("__global__ void past"));
  EXPECT_EQ(result.status, 1);
}

TEST_F(KernelFiles, AKernelIsChosenByItsNameOrAsAnInstance) {
  EXPECT_THAT(hone({"run", reverse_, "--kernel=fill<3, short>", "--grid=1", "--block=4",
                    "--arg=i16:zeros:4"})
                  .printed,
              HasSubstr(": fill<3, short> ran 1 block of 4 threads\nx: i16[4] = 3, 3, 3, 3\n"));
  expect_usage_error({"run", reverse_}, fmt::format("{} has 2 kernels; choose one with --kernel:\n"
                                                    "  reverse(int* x)\n  past(float* x)\n"
                                                    "templates need their arguments, as in "
                                                    "--kernel='NAME<128, float>':\n"
                                                    "  fill<int N, class T>",
                                                    reverse_));
  expect_usage_error(
      {"run", reverse_, "--kernel=revers"},
      fmt::format("there is no kernel 'revers' in {}; did you mean 'reverse'?", reverse_));
  expect_usage_error({"run", reverse_, "--kernel=fill"},
                     fmt::format("fill of {} is a template, fill<int N, class T>; name an "
                                 "instance, as in --kernel='fill<...>'",
                                 reverse_));
}

TEST_F(KernelFiles, AnInstanceOfNoTemplateIsRefused) {
  const auto expect_refusal = [&](const std::string& kernel, const std::string& error) {
    expect_usage_error({"run", reverse_, "--kernel=" + kernel}, error);
  };
  expect_refusal("revers<3>", fmt::format("there is no kernel 'revers' in {}; did you mean "
                                          "'reverse'?",
                                          reverse_));
  expect_refusal("fil<3, int>",
                 fmt::format("there is no kernel 'fil' in {}; did you mean 'fill'?", reverse_));
  expect_refusal("past<3>",
                 fmt::format("past of {} is no template; --kernel=past names it", reverse_));
}

TEST_F(KernelFiles, OneOfSeveralKernelsOfANameIsChosenByAllOfItsWords) {
  const std::string file = write("scale.h",
                                 "__global__ void scale(int* x, int by) { *x *= by; }\n"
                                 "__global__ void scale(float* x, int by) { *x *= by; }\n");
  const auto run = [&](const std::string& kernel) {
    return std::vector<std::string>{
        "run", file, "--kernel=" + kernel, "--grid=1", "--block=1", "--arg=f32:3:1", "--arg=i32:2"};
  };
  expect_usage_error(run("scale"),
                     fmt::format("'scale' names 2 kernels of {}; choose one by all of "
                                 "its words:\n  scale(int* x, int by)\n"
                                 "  scale(float* x, int by)",
                                 file));
  for (const char* const words : {"scale(float* x, int by)", "scale(float*, int)"})
    EXPECT_THAT(hone(run(words)).printed, HasSubstr("x: f32[1] = 6\n"));
}

TEST_F(KernelFiles, NotesSayWhatIsDoneToTheText) {
  const std::string file =
      write("old.cu",
            "__device__ int f(int x) { return g(x); }\n__device__ int h(int x) { return f(x); }\n"
            "__global__ void bad(int* x) { *x = h(*x); }\n"
            "__global__ void sum(int* x) { *x = __shfl_xor(*x, 1); }\n");
  const auto run = [&](const std::string& kernel) {
    return std::vector<std::string>{"run",      file,        "--kernel=" + kernel,
                                    "--grid=1", "--block=1", "--arg=i32:3:1"};
  };
  EXPECT_THAT(hone(run("sum")).complained,
              StartsWith("note: __shfl_xor is of before CUDA 9: it takes the active lanes as its "
                         "mask\nnote: f is left out, "));
  expect_usage_error(
      run("bad"), fmt::format("bad of {0} does not compile: line 3: identifier \"h\" is undefined\n"
                              "  {0}:2: h is left out for its own error: identifier \"f\" is "
                              "undefined\n"
                              "  {0}:1: f is left out for its own error: identifier \"g\" is "
                              "undefined",
                              file));
}

TEST_F(KernelFiles, ALaunchNeedsItsShape) {
  expect_usage_error({"run", saxpy_, "--block=32"},
                     "a launch needs its shape: --grid is missing, as in --grid='cdiv(N, 256)' "
                     "--block=256 -D N=1000");
  expect_usage_error({"run", saxpy_, "--grid=1"},
                     "a launch needs its shape: --block is missing, as in --grid='cdiv(N, 256)' "
                     "--block=256 -D N=1000");
  expect_usage_error({"run", saxpy_, "--grid=1,2,3,4", "--block=1"},
                     "--grid takes one to three extents, got '1,2,3,4'");
}

TEST_F(KernelFiles, ArgumentsFitTheKernel) {
  expect_refused({"i32:N"},
                 "saxpy takes 4 arguments (int n, float a, float const* x, float* y), "
                 "and --arg gives 1");
  const std::string x = "f32:ones:N";
  expect_refused({"i64:N", "f32:2", x, x},
                 "argument 1 of saxpy, int n, has 4 bytes, and i64:N has 8");
  expect_refused({"i32:N", "i32:2", x, x},
                 "argument 2 of saxpy, float a, is f32, and i32:2 has i32");
  expect_refused({"i32:N", "f32:2", "f64:ones:N", x},
                 "argument 3 of saxpy, float const* x, leads to f32, and f64:ones:N has f64");
  expect_refused({"i32:N", "f32:2", "f64:1", x},
                 "argument 3 of saxpy, float const* x, is a pointer, and f64:1 is a number");
  expect_refused({"i32:N", "f32:2", x, "alias:z"}, "alias:z: there is no argument 'z' of saxpy");
  expect_refused({"i32:N", "f32:2", x, "alias:1"},
                 "alias:1 leads to argument 1, which is no array");
}

TEST_F(KernelFiles, AliasesAndNullArePointers) {
  EXPECT_THAT(hone({"run", saxpy_, "--grid=1", "--block=4", "--arg=i32:4", "--arg=f32:2",
                    "--arg=alias:y+8", "--arg=f32:arange:8"})
                  .printed,
              HasSubstr("y: f32[8] = 4, 7, 10, 13, 4, 5, 6, 7\n"));
  EXPECT_THAT(hone({"run", saxpy_, "--grid=1", "--block=4", "--arg=i32:4", "--arg=bytes:00000040",
                    "--arg=ptr:0", "--arg=f32:arange:8"})
                  .complained,
              HasSubstr("null pointer"));
}

TEST_F(KernelFiles, AnArrayThatTheKernelStoresToIsWritten) {
  const std::string file =
      write("same.cu", "__global__ void same(int* x, int* y) { x[threadIdx.x] = *y; }\n");
  const std::string out = folder_.file("out");
  EXPECT_EQ(hone({"run", file, "--grid=1", "--block=2", "--arg=i32:ones:2", "--arg=i32:ones:1",
                  "--save=" + out})
                .printed,
            file + ": same ran 1 block of 2 threads\nx: i32[2] = 1, 1\n");
  EXPECT_THAT(Array<int32_t>(read_npy(out + "/x.npy")).to_vector(), ElementsAre(1, 1));
  struct stat status;
  EXPECT_NE(::stat((out + "/y.npy").c_str(), &status), 0);
}

TEST_F(KernelFiles, APointerLeadsIntoTheMiddleOfAnArray) {
  const std::string file = write(
      "shift.cu", "__global__ void shift(int* x) { x[threadIdx.x] = x[(int)threadIdx.x - 2]; }\n");
  EXPECT_THAT(hone({"run", file, "--grid=1", "--block=2", "--arg=i32:arange:4@8"}).printed,
              HasSubstr("x: i32[4] = 0, 1, 0, 1\n"));
  EXPECT_THAT(
      hone({"run", file, "--grid=1", "--block=2", "--arg=i32:arange:4@4"}).complained,
      StartsWith("warning: access out of bounds: 4 bytes before the begin of x (16 bytes)\n"));
}

TEST_F(KernelFiles, AStructMayHoldPointers) {
  const std::string file = write(
      "row.cu",
      "struct Row { char n; const float* x; float* y; };\n"
      "__global__ void twice(Row r, const float* z) {\n"
      "  if (threadIdx.x < r.n) r.y[threadIdx.x] = 2 * r.x[threadIdx.x] + z[threadIdx.x];\n}\n");
  const auto run = [&](const std::string& row, const std::string& z) {
    return hone({"run", file, "--grid=1", "--block=4", "--arg=" + row, "--arg=" + z});
  };
  EXPECT_EQ(run("struct:(i8:2, f32:arange:2, f32:unset:3)", "alias:r.2").printed,
            file + ": twice ran 1 block of 4 threads\nr.3: f32[3] = 0, 3, unset\n");
  EXPECT_THAT(
      run("struct:(i8:3, alias:2, f32:unset:2)", "f32:ones:9").complained,
      StartsWith("warning: access out of bounds: 0 bytes behind the end of r.3 (8 bytes)\n"));
  EXPECT_EQ(run("struct:(i8:2, f32:arange:2)", "f32:ones:2").complained,
            "error: argument 1 of twice, Row r, has 24 bytes, and struct:(i8:2, f32:arange:2) has "
            "16\n");
}

TEST_F(KernelFiles, ArraysAreReadFromFilesSavedAndCompared) {
  const std::string x = folder_.file("x.npy"), out = folder_.file("out");
  write_npy(x, Array<float>({10, 20}, {2}));
  const std::vector<std::string> words = {"run",         saxpy_,          "--grid=1",
                                          "--block=2",   "--arg=i32:2",   "--arg=f32:1",
                                          "--arg=@" + x, "--arg=f32:1:2", "--save=" + out};
  EXPECT_EQ(hone(words).status, 0);
  EXPECT_THAT(Array<float>(read_npy(out + "/y.npy")).to_vector(), ElementsAre(11, 21));
  struct stat status;
  EXPECT_NE(::stat((out + "/x.npy").c_str(), &status), 0);

  auto expecting = words;
  expecting.push_back("--expect=y=" + out + "/y.npy");
  EXPECT_THAT(hone(expecting).printed, HasSubstr(" ran 1 block of 2 threads: as expected\n"));
  expecting.back() = "--expect=y=" + x + ":0.01";
  const CommandResult wrong = hone(expecting);
  EXPECT_EQ(wrong.complained, "error: y[0] is 11, and 10 is expected; 2 of 2 elements differ\n");
  EXPECT_EQ(wrong.status, 1);
  expecting.back() = "--expect=y=" + x + ":1";
  EXPECT_EQ(hone(expecting).complained, "");
  expecting.back() = "--expect=n=" + x;
  expect_usage_error(expecting, "--expect compares arrays, and n is none");
}

TEST_F(KernelFiles, ALaunchFileBesideTheTextSaysTheSame) {
  write("saxpy.launch.json",
        R"x({"grid": "cdiv(N, 4)", "block": [2, 2], "sizes": {"N": 3},
             "args": ["i32:N", "f32:2", "f32:arange:N", "f32:ones:N"]})x");
  EXPECT_THAT(hone({"run", saxpy_, "--block=4"}).printed, HasSubstr("y: f32[3] = 1, 3, 5\n"));
  write_npy(folder_.file("x.npy"), Array<float>({7, 8, 9}, {3}));
  const std::string other = write("other.json", R"x({"grid": 1, "block": 2,
             "args": ["i32:2", "f32:1", "f32:@x.npy@4", "f32:zeros:3@4"]})x");
  EXPECT_THAT(hone({"run", saxpy_, "--launch=" + other}).printed,
              HasSubstr("y: f32[3] = 0, 8, 9\n"));
  EXPECT_THAT(hone({"run", saxpy_, "--block=4", "-D", "N=2"}).printed,
              HasSubstr("y: f32[2] = 1, 3\n"));
}

TEST_F(KernelFiles, VariablesAreSetBeforeTheLaunch) {
  const std::string file =
      write("scale.cu",
            "namespace a { __constant__ float w[2]; }\n"
            "static __device__ int n = 1;\n"
            "__global__ void k(float* x) { x[threadIdx.x] = a::w[threadIdx.x] * n; }\n");
  const auto run = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"run", file, "--grid=1", "--block=2", "--arg=f32:unset:2"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  EXPECT_THAT(hone(run({"--set=a::w=f32:arange:2"})).printed, HasSubstr("x: f32[2] = 0, 1\n"));
  EXPECT_THAT(hone(run({"--set=a::w=f32:ones:2", "--set", "n=i32:3"})).printed,
              HasSubstr("x: f32[2] = 3, 3\n"));
  expect_usage_error(run({"--set=n=i64:3"}), "the variable n has 4 bytes, and i64:3 has 8");
  expect_usage_error(run({"--set=m=i32:3"}), "there is no variable 'm'; did you mean 'n'?");
  for (const char* const value : {"alias:x", "i32:ones:1@4", "struct:(i32:1)"})
    expect_usage_error(run({std::string("--set=n=") + value}),
                       fmt::format("--set takes numbers and arrays, got '{}'", value));
}

TEST_F(KernelFiles, LaunchFilesAreRefused) {
  const auto expect_refusal = [&](const char* name, const char* text, const std::string& error) {
    const std::string file = write(name, text);
    expect_failure({"run", saxpy_, "--launch=" + file}, file + ": " + error);
  };
  expect_refusal("1.json", "[]", "an object is expected");
  expect_refusal("2.json", R"({"grids": 1})", "there is no field 'grids'; did you mean 'grid'?");
  expect_refusal("3.json", R"({"sizes": [1]})", "the field sizes is an object of numbers");
  expect_refusal("4.json", R"({"grid": {}})",
                 "the field grid is a text, a number, or an array of these");
  expect_failure({"run", saxpy_, "--launch=" + folder_.file("none.json")},
                 "cannot read " + folder_.file("none.json") + ": No such file or directory");
}

TEST_F(KernelFiles, PtxNeedsNoCompiler) {
  const std::string file = write("k.ptx", store_text);
  ;
  EXPECT_EQ(hone({"run", file, "--grid=1", "--block=1", "--arg=i32:unset:2"}).printed,
            file + ": store ran 1 block of 1 thread\nargument 1: i32[2] = 7, unset\n");
}

TEST_F(KernelFiles, CountersAreThoseOfMachineCodeByLine) {
  const std::string file = write("mean.cu", R"(__global__ void mean(const float* x, float* out) {
  __shared__ float tile[32][4];
  for (int i = 0; i < 4; ++i) tile[threadIdx.x][i] = x[32 * i + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum += tile[threadIdx.x][i];
  out[128 * blockIdx.x + threadIdx.x] = sum / 4;
}
)");
  const std::vector<std::string> words = {
      "counters", file, "--grid=2", "--block=32", "--arg=f32:ones:128", "--arg=f32:unset:256"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), words.begin(), words.end());
    return hone(more).printed;
  };
  const std::string text = with({});
  EXPECT_THAT(text, StartsWith(file + ": mean: grid (2, 1, 1), block (32, 1, 1)\n"
                                      "accesses are those of machine code for sm_90a, by NVRTC "));
  EXPECT_THAT(text, HasSubstr(":6  for (int i = 0; i < 4; ++i) sum += tile[threadIdx.x][i];\n"
                              "  shared load   tile, 4 bytes                                  2   "
                              "        1024            8    4.00         0\n"
                              "    ptxas makes 2 of 8 requests of PTX, of 16 bytes\n"));
  EXPECT_THAT(text, HasSubstr("shared_load_wavefronts                  8  "
                              "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum\n"));
  // One of the two blocks counts for both.
  const auto below_heading = [](const std::string& all) { return all.substr(all.find('\n')); };
  EXPECT_EQ(below_heading(with({"--blocks=1"})), below_heading(text));
  auto value = llvm::json::parse(with({"--json"}));
  ASSERT_TRUE(static_cast<bool>(value));
  const llvm::json::Object& object = *value->getAsObject();
  EXPECT_TRUE(value_or(object.getBoolean("is_compiled"), false));
  const llvm::json::Object& load = *(*object.getArray("accesses"))[2].getAsObject();
  EXPECT_EQ(load.getString("array"), llvm::StringRef("tile"));
  EXPECT_EQ(value_or(load.getInteger("line"), 0), 6);
  EXPECT_EQ(value_or(load.getInteger("requests"), 0), 2);
  EXPECT_EQ(value_or(load.getInteger("requests_in_ptx"), 0), 8);
}

TEST_F(KernelFiles, CountersOfPtxAreThoseThatItHas) {
  const std::string file = write("k.ptx", store_text);
  EXPECT_THAT(hone({"counters", file, "--grid=1", "--block=1", "--arg=i32:unset:2"}).printed,
              HasSubstr("accesses are those of PTX; ptxas may merge or drop some\n"));
}

TEST_F(KernelFiles, HelpIsThatOfFiles) {
  EXPECT_THAT(hone({"check", "x.cu", "--help"}).printed,
              StartsWith("usage: hone check FILE.cu|FILE.ptx [OPTION]...\n"));
  EXPECT_THAT(hone({"run", "--grid", "x.cu", "axpy/blocks", "--help"}).complained,
              StartsWith("error: there is no option '--grid'"));
  expect_usage_error({"run", "x.cu", "--blok=3"},
                     "there is no option '--blok'; did you mean '--block'?");
  expect_failure({"run", "x.cu", "--grid=1"}, "cannot read x.cu: there is no such file");
}

}  // namespace kernel_files_test
}  // namespace hone
