// `hone cuda`, and whole programs that nvcc compiles, where there is one.
#include <fstream>

#include "gmock/gmock.h"
#include "runtime/process.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone {
namespace command_test {

using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

/// `hone cuda` in a folder of its own.
class CudaCommand : public testing::Test {
 protected:
  ProcessOutcome run(std::vector<std::string> words) const {
    words.insert(words.begin(), {HONE_PROGRAM, "cuda"});
    return run_program(words, folder_.file(fmt::format("log{}", ++runs_)));
  }
  std::string file(const std::string& name, const std::string& text) const {
    std::ofstream(folder_.file(name)) << text;
    return folder_.file(name);
  }

  TemporaryFolder folder_;

 private:
  mutable int runs_ = 0;
};

class CudaPrograms : public CudaCommand {
 protected:
  void SetUp() override {
    const std::string source = file("probe.cu", "");
    const std::string answer = run({"--nvcc-options=--version", source}).output;
    if (answer.find("nvcc of CUDA 13, which compiles") != std::string::npos)
      GTEST_SKIP() << "there is no nvcc of CUDA 13";
  }
};

TEST_F(CudaCommand, RefusesWhatItCanNotRun) {
  EXPECT_EQ(run({}).output,
            "error: cuda takes a CUDA source or a program; `hone cuda --help` says more\n");
  EXPECT_EQ(run({folder_.file("none.cu")}).output,
            "error: there is no file " + folder_.file("none.cu") + "\n");
  const std::string text = file("text", "no program");
  EXPECT_EQ(run({text}).output,
            "error: " + text + " is neither a CUDA source (.cu) nor a program\n");
  EXPECT_THAT(run({"/bin/sh"}).output,
              StartsWith("error: /bin/sh does not load libcudart.so.13, so it can not run on the "
                         "simulated device; compile it with nvcc of CUDA 13 and `-cudart shared`"));
  EXPECT_EQ(run({"--blocks=none", text}).output,
            "error: --blocks is a number from 1 on, got 'none'\n");
  EXPECT_EQ(run({"--blocks=2", "--all", text}).output,
            "error: --all checks all, --blocks and --launches some; give one of them\n");
  EXPECT_EQ(run({"--count", "--run", text}).output,
            "error: --count counts all launches and checks none; leave --run out\n");
}

TEST_F(CudaCommand, PrintsItsEnvironment) {
  const ScopedVariable path("LD_LIBRARY_PATH", "/else/where");
  const std::string text = run({"--env", "--launches=2", "--fail"}).output;
  EXPECT_THAT(text,
              AllOf(StartsWith("export HONE_CUDA_LAUNCHES='2'\nexport HONE_CUDA_FAIL='1'\n"
                               "export LD_LIBRARY_PATH='"),
                    HasSubstr("/cudart:/else/where'\nexport NVCC_APPEND_FLAGS='-cudart shared "
                              "-no-compress -lineinfo -L"),
                    EndsWith("/cudart/cuda12_names.h -arch=compute_90 -code=compute_90'\n")));
  EXPECT_THAT(run({"--env", "--nvcc-options=-arch=compute_90a"}).output,
              EndsWith("/cudart/cuda12_names.h -arch=compute_90a'\n"));
}

// The guide shows this text.
TEST_F(CudaPrograms, AreChecked) {
  const ProcessOutcome outcome = run({"--fail", "examples/cuda/reverse.cu"});
  std::ifstream expected("tests/cudart/reverse.txt");
  EXPECT_EQ(outcome.output, std::string(std::istreambuf_iterator<char>(expected), {}));
  EXPECT_FALSE(outcome.success);
}

TEST_F(CudaPrograms, AreCountedByTheirMachineCode) {
  const std::string source = file("rows.cu", R"(
__global__ void rows(const float* x, float* out) {
  __shared__ float tile[32][4];
  for (int i = 0; i < 4; ++i) tile[threadIdx.x][i] = x[32 * i + threadIdx.x];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum += tile[threadIdx.x][i];
  out[threadIdx.x] = sum;
}
int main() {
  float* x;
  cudaMalloc(&x, 512);
  cudaMemset(x, 0, 512);
  rows<<<1, 32>>>(x, x);
  rows<<<2, 32>>>(x, x);
  return cudaDeviceSynchronize();
}
)");
  const std::string text = run({"--count", source}).output;
  EXPECT_THAT(text, StartsWith("hone: requests as machine code of ptxas has them\n\n"
                               "rows(float const*, float*): grid (1, 1, 1), block (32, 1, 1), 1 "
                               "launch\n"));
  EXPECT_THAT(text, HasSubstr("grid (2, 1, 1), block (32, 1, 1), 1 launch\n"));
  EXPECT_THAT(text, HasSubstr("\nshared_load_instructions                1  "));
  EXPECT_THAT(text, HasSubstr("\nshared_load_instructions                2  "));
}

TEST_F(CudaPrograms, HaveTheirArgumentsTheirStatusAndNamesOfCuda12) {
  const std::string source = file("old.cu", R"(
#include <cstdio>
int main(int count, char** words) {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  int* data;
  cudaMallocManaged(&data, 64);
  cudaMemAdvise(data, 64, cudaMemAdviseSetReadMostly, 0);
  cudaMemPrefetchAsync(data, 64, cudaCpuDeviceId);
  std::printf("%d %s\n", properties.clockRate, cudaGetErrorString(cudaThreadSynchronize()));
  for (int i = 1; i < count; ++i) std::puts(words[i]);
  return count;
}
)");
  const ProcessOutcome outcome = run({source, "one", "--", "-n"});
  EXPECT_EQ(outcome.output, "1755000 no error\none\n-n\n");
  EXPECT_FALSE(outcome.success);
}

TEST_F(CudaPrograms, HaveNoSampleOfBlocksThatWaitForEachOther) {
  const std::string source = file("grid.cu", R"(
#include <cooperative_groups.h>
__global__ void kernel() { cooperative_groups::this_grid().sync(); }
int main() {
  cudaLaunchCooperativeKernel(kernel, 4, 1, nullptr);
  return cudaDeviceSynchronize();
}
)");
  EXPECT_EQ(run({"--blocks=2", source}).output,
            "hone: 1 launch of 1 kernel, 4 blocks, all checked: no findings\n");
}

TEST_F(CudaPrograms, MayHaveSeveralObjects) {
  const std::string other = file("other.cu", "__device__ int twice(int x) { return 2 * x; }\n");
  const std::string source = file("main.cu", R"(
#include <cstdio>
extern __device__ int twice(int);
__global__ void kernel() { std::printf("twice %d\n", twice(threadIdx.x + 3)); }
int main() {
  kernel<<<1, 1>>>();
  return cudaDeviceSynchronize();
}
)");
  EXPECT_EQ(run({"--nvcc-options=-rdc=true " + other, source}).output,
            "twice 6\nhone: 1 launch of 1 kernel, 1 block, all checked: no findings\n");
}

}  // namespace command_test
}  // namespace hone
