// hone explain FILE.cu: the time of a kernel, what it does in vain, and what is new in another one.

#include "command.h"
#include "llvm/Support/JSON.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/runtime/temporary_folder.h"
#include "tools/cli/json_text.h"

namespace hone {
namespace kernel_explanation_test {

using testing::HasSubstr;
using testing::MatchesRegex;
using testing::Not;
using testing::StartsWith;

constexpr const char* transpose_text = R"(
__global__ void naive(const float* in, float* out, int n) {
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  out[x * n + y] = in[y * n + x];
}
template <int width> __global__ void tiled(const float* in, float* out, int n) {
  __shared__ float tile[32][width];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] =
      tile[threadIdx.x][threadIdx.y];
}
)";

class KernelExplanations : public testing::Test {
 protected:
  void SetUp() override {
    if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  }
  std::string write(const std::string& name, const std::string& text) const {
    write_new_file(folder_.file(name), text);
    return folder_.file(name);
  }
  /// Transposes 512 x 512 elements.
  CommandResult explain_transpose(std::vector<std::string> more) const {
    std::vector<std::string> words = {
        "explain",    file_,         "--grid=N/32,N/32",    "--block=32,32",
        "-DN=1024",   "--blocks=16", "--arg=f32:zeros:N*N", "--arg=f32:unset:N*N",
        "--arg=i32:N"};
    words.insert(words.end(), more.begin(), more.end());
    return hone(words);
  }

  TemporaryFolder folder_;
  const std::string file_ = write("transpose.cu", transpose_text);
};

/// The text between a heading and the next empty line.
std::string section(const std::string& text, const std::string& heading) {
  const size_t begin = text.find("\n" + heading + ":\n");
  if (begin == std::string::npos) return "";
  const size_t first = begin + heading.size() + 3;
  return text.substr(first, text.find("\n\n", first) + 1 - first);
}

TEST_F(KernelExplanations, SectorsThatNobodyUsesAreInVain) {
  const std::string text = explain_transpose({"--kernel=naive"}).printed;
  EXPECT_THAT(text, StartsWith(file_ + ": naive, 16 of 1024 blocks of 1024 threads\n\n"
                                       "time on H100 SXM: about "));
  EXPECT_THAT(text, HasSubstr(" ms, bound by L2\n"));
  EXPECT_EQ(section(text, "in vain"),
            "1. " + file_ +
                ":4: a request of the global store to out takes 32 sectors, and 4 would hold its "
                "bytes\n");
  EXPECT_THAT(text.substr(text.find("parts of the launch")),
              MatchesRegex("parts of the launch, by line:\n"
                           " instructions shared or L1           L2        waits  line\n"
                           " +[0-9]+ % +100 % +100 % +[0-9]+ %  .*cu:4  out(.|\n)*"));
}

TEST_F(KernelExplanations, BankConflictsAreInVain) {
  const std::string conflicts =
      section(explain_transpose({"--kernel=tiled<32>"}).printed, "in vain");
  EXPECT_THAT(conflicts, StartsWith("1. " + file_ +
                                    ":12: a request of the shared load of tile "
                                    "takes 32 passes, 31 of them for bank "
                                    "conflicts\n"));
  EXPECT_THAT(explain_transpose({"--kernel=tiled<33>"}).printed, Not(HasSubstr("conflicts")));
}

TEST_F(KernelExplanations, TheSecondLaunchIsComparedWithTheFirst) {
  const std::string text =
      explain_transpose({"--kernel=tiled<33>", "--before=--kernel='tiled<32>'"}).printed;
  EXPECT_THAT(
      text, StartsWith(file_ + ": tiled<33>, 16 of 1024 blocks of 1024 threads\nagainst " + file_ +
                       ": tiled<32>, 16 of 1024 blocks of 1024 threads\n\n"
                       "time on H100 SXM, "));
  EXPECT_THAT(section(text, "what changed"),
              StartsWith("1. passes of shared loads fall 32x, 1.05e+06 -> 32768 (bank conflicts of "
                         "one 31 -> 0): "));
  EXPECT_THAT(section(text, "what changed"), HasSubstr(" us less for shared memory and L1\n"));
  EXPECT_THAT(text, MatchesRegex("(.|\n)*[0-9.]+x as fast:\n  before: about (.|\n)*"));
}

TEST_F(KernelExplanations, MultiprocessorsAreAFactOfTheirOwn) {
  const std::string file = write("fill.cu", R"(__global__ void fill(float* x, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) x[i] = 1;
})");
  const std::vector<std::string> words = {"explain",    file,          "--grid=264",
                                          "--block=64", "-DN=1000000", "--arg=f32:unset:N",
                                          "--arg=i32:N"};
  std::vector<std::string> against = words;
  against.emplace_back("--before=--grid=2");
  const std::string changed = section(hone(against).printed, "what changed");
  EXPECT_THAT(changed, HasSubstr(". multiprocessors at work rise 66x, 2 -> 132: "));
  EXPECT_THAT(changed, HasSubstr(". microseconds of all rounds of blocks fall "));
  EXPECT_THAT(changed, Not(HasSubstr("L2")));  // as many bytes as before
  std::vector<std::string> alone = words;
  alone[2] = "--grid=2";
  EXPECT_THAT(
      section(hone(alone).printed, "in vain"),
      MatchesRegex("1\\. 2 blocks for 132 multiprocessors: 130 of these have nothing to do\n"
                   "2\\. a multiprocessor has 2 of 64 warps at a time to wait with, as "
                   "there are no more blocks\n"));
}

TEST_F(KernelExplanations, LanesAndArraysOfThreadsAreTold) {
  const std::string file = write("some.cu", R"(__global__ void some(int* x, int n) {
  if (threadIdx.x % 8 != 0) return;
  int sum = threadIdx.x;
  for (int i = 0; i < n; ++i) sum = sum * 3 + 1;
  x[threadIdx.x] = sum;
}
__global__ void counts(int* x, int n) {
  int held[16] = {};
  for (int i = 0; i < n; ++i) ++held[(i * i + threadIdx.x) & 15];
  x[threadIdx.x] = held[n & 15];
})");
  const auto vain = [&](const char* kernel) {
    return section(hone({"explain", file, kernel, "--grid=1320", "--block=256", "-DN=200",
                         "--arg=i32:unset:256", "--arg=i32:N", "--blocks=8"})
                       .printed,
                   "in vain");
  };
  EXPECT_THAT(vain("--kernel=some"), HasSubstr(" of the 32 lanes of a warp are at work, on "));
  EXPECT_THAT(vain("--kernel=counts"), HasSubstr(" instructions go to local memory: arrays of a "
                                                 "thread whose indices are not constants\n"));
}

TEST_F(KernelExplanations, ABusyPipeHasAColumn) {
  const std::string file = write("roots.cu", R"(__global__ void roots(float* x, int n) {
  float v = x[threadIdx.x];
  for (int i = 0; i < n; ++i) v = rsqrtf(v);
  x[threadIdx.x] = v;
})");
  const std::string text = hone({"explain", file, "--grid=1056", "--block=256", "--blocks=2",
                                 "--arg=f32:ones:256", "--arg=i32:512"})
                               .printed;
  EXPECT_THAT(text, HasSubstr("bound by special functions\n"));
  EXPECT_THAT(
      text.substr(text.find("parts of the launch")),
      MatchesRegex("parts of the launch, by line:\n"
                   " instructions      special shared or L1           L2        waits  line\n"
                   " +[0-9]+ % +100 % +0 % +0 % +[0-9]+ %  .*cu:3  for(.|\n)*"));
}

TEST_F(KernelExplanations, BlocksWithLittleToDoAreTold) {
  const std::string file =
      write("triangle.cu", R"(__global__ void sums(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = i; j < n; ++j) sum += x[j];
  y[i] = sum;
})");
  const std::string vain = section(hone({"explain", file, "--grid=32", "--block=64", "-DN=2048",
                                         "--arg=f32:ones:N", "--arg=f32:unset:N", "--arg=i32:N"})
                                       .printed,
                                   "in vain");
  EXPECT_THAT(vain,
              HasSubstr("32 blocks for 132 multiprocessors: 100 of these have nothing to do"));
  EXPECT_THAT(vain, HasSubstr("16 of 32 blocks have less than half of the instructions that others "
                              "have\n"));
}

TEST_F(KernelExplanations, LanesAreThoseOfTheBlock) {
  const std::string file = write("half.cu", R"(__global__ void half(float* x, int n) {
  float v = threadIdx.x;
  for (int i = 0; i < n; ++i) v = v * 2 + 1;
  x[threadIdx.x] = v;
})");
  EXPECT_THAT(hone({"explain", file, "--grid=13200", "--block=16", "--blocks=2",
                    "--arg=f32:unset:16", "--arg=i32:500"})
                  .printed,
              HasSubstr(". 16.0 of the 32 lanes of a warp are at work, on average\n"));
}

TEST_F(KernelExplanations, UpdatesOfOneAddressAreLeftOut) {
  const std::string file =
      write("add.cu", "__global__ void add(int* x) { atomicAdd(x, threadIdx.x); }");
  EXPECT_THAT(hone({"explain", file, "--grid=100", "--block=64", "--arg=i32:zeros:1"}).printed,
              HasSubstr("\n  not in it: atomic updates of one address wait for each other\n"));
}

TEST_F(KernelExplanations, JsonHasBothLaunches) {
  auto value = llvm::json::parse(
      explain_transpose({"--kernel=tiled<32>", "--before=--kernel=naive", "--json"}).printed);
  ASSERT_TRUE(static_cast<bool>(value));
  const llvm::json::Object& object = *value->getAsObject();
  EXPECT_EQ(object.getString("kernel"), llvm::StringRef("tiled<32>"));
  EXPECT_EQ(object.getArray("wastes")->size(), 1U);
  EXPECT_GE(object.getArray("changes")->size(), 3U);
  const llvm::json::Object& line = *object.getArray("lines")->front().getAsObject();
  EXPECT_EQ(value_or(line.getInteger("line"), 0), 12);
  EXPECT_GT(value_or(line.getNumber("load_store"), 0), 0.5);
  const llvm::json::Object& against = *object.getObject("against");
  EXPECT_EQ(against.getString("kernel"), llvm::StringRef("naive"));
  EXPECT_EQ(against.getObject("time")->getString("bound"), llvm::StringRef("L2"));
}

TEST_F(KernelExplanations, TwoFilesHaveLaunchesBesideThem) {
  const std::string other = write("naive.cu", "__global__ void one(int* x) { *x = 1; }");
  write("naive.launch.json", R"({"grid": 1, "block": 1, "args": ["i32:unset:1"]})");
  const std::string copy = write("copy.cu", "__global__ void two(int* x) { *x = 2; }");
  write("copy.launch.json", R"({"grid": 2, "block": 32, "args": ["i32:unset:1"]})");
  EXPECT_THAT(hone({"explain", other, copy}).printed,
              StartsWith(copy + ": two, 2 blocks of 32 threads\nagainst " + other +
                         ": one, 1 block of 1 thread\n\ntime on H100 SXM, "));
}

TEST_F(KernelExplanations, PtxHasLinesAndNoTime) {
  const std::string file = write("store.ptx", R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry store(.param .u64 p) {
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p];
  st.global.u32 [%rd1], 7;
  ret;
})");
  EXPECT_THAT(hone({"explain", file, "--grid=1", "--block=1", "--arg=i32:unset:1"}).printed,
              HasSubstr("\nno time: registers of a block are not known, as of a file of PTX\n"));
}

TEST_F(KernelExplanations, RefusesWhatIsNoLaunch) {
  const auto complaint = [&](std::vector<std::string> words) {
    words.insert(words.begin(), "explain");
    const CommandResult result = hone(words);
    EXPECT_EQ(result.status, 2);
    return result.complained;
  };
  EXPECT_EQ(complaint({file_, "axpy/blocks"}),
            "error: axpy/blocks is no file of kernels, so there is nothing to compare with " +
                file_ + "\n");
  EXPECT_EQ(complaint({file_, "--before=naive"}),
            "error: --before takes options of a launch, got 'naive'\n");
  EXPECT_EQ(complaint({file_, "--before=--gird=1"}),
            "error: there is no option '--gird'; did you mean '--grid'?\n");
}

}  // namespace kernel_explanation_test
}  // namespace hone
