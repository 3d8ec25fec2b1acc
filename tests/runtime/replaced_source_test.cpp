// CUDA text in the place of a program's own: what is compiled, and what reaches the driver.
#include "runtime/replaced_source.h"

#include <gmock/gmock.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "ir/text/parser.h"
#include "runtime/compile.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/fake_cuda.h"

namespace hone {
namespace replaced_source_test {

class ReplacedSourceTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  }

  /// T = 2 A, then C = T + 1, a kernel each.
  const Function function_ = parse_function(R"(func pair[N](A: f32[N], C: f32[N]) {
  alloc T: f32[N] @global
  for i in 0..N @block.x {
    T[i] = A[i]*2.0
  }
  for j in 0..N @block.x {
    C[j] = T[j] + 1.0
  }
})");
  const Module module_ = lower(function_);

  std::string source() const {
    return emit_cuda(module_.kernels[0]) + "\n" + emit_cuda(module_.kernels[1]);
  }
};

TEST_F(ReplacedSourceTest, HasOneCodeForAllKernels) {
  const auto code =
      compile_source({"__device__ int mine;\n" + source(), "my.cu"}, module_, "sm_90");
  ASSERT_EQ(code.size(), 2u);
  EXPECT_EQ(code[0], code[1]);
  EXPECT_EQ(code[0]->kernels.size(), 2u);
}

TEST_F(ReplacedSourceTest, IsLaunchedAsTheProgramIs) {
  const FakeCuda cuda;
  const Kernel kernel = compile(module_, function_, cuda.device(), {source(), "my.cu"});
  EXPECT_EQ(kernel.source(), source());
  EXPECT_EQ(kernel.functions().size(), 2u);
  for (const int64_t n : {1, 7, 129}) {
    kernel(Array<float>({n}, cuda.device()), Array<float>({n}, cuda.device()));
    EXPECT_EQ(cuda.last_launch(),
              (std::array<unsigned, 7>{static_cast<unsigned>(n), 1, 1, 1, 1, 1, 0}));
  }
  EXPECT_EQ(cuda.launches(), 6);
}

TEST_F(ReplacedSourceTest, LacksAFunction) {
  const std::string one = emit_cuda(module_.kernels[0]);
  EXPECT_THAT(thrown_message<RuntimeError>([&] {
                compile_source({one, "my.cu"}, module_, "sm_90");
              }),
              testing::StartsWith("my.cu: there is no function pair_1, which the launch starts; "
                                  "there are pair_0. It is declared so:\n"));
}

TEST_F(ReplacedSourceTest, IsNoBugOfHoneWhereItDoesNotCompile) {
  const std::string message = thrown_message<CompileError>([&] {
    compile_source({source() + "\nint wrong(", "folder/my.cu"}, module_, "sm_90");
  });
  EXPECT_THAT(message, testing::StartsWith("NVRTC refuses folder/my.cu, compiled for sm_90:\n"));
  EXPECT_THAT(message, testing::Not(testing::HasSubstr("report")));
}

/// What the assembler refuses names no line, and what it has too little memory for, no error.
TEST_F(ReplacedSourceTest, IsRefusedInTheWordsOfTheLog) {
  const auto message = [&](const std::string& before, const std::string& statement) {
    const std::string text =
        before + "extern \"C\" __global__ void f(float* A) { " + statement + " }";
    return thrown_message<CompileError>([&] { compile_source({text, "my.cu"}, module_, "sm_90"); });
  };
  EXPECT_EQ(message("extern \"C\" __device__ float other();\n", "A[0] = other();"),
            "NVRTC refuses my.cu, compiled for sm_90:\n"
            "  ptxas fatal   : Unresolved extern function 'other'");
  const std::string silent =
      "NVRTC refuses my.cu, compiled for sm_90:\n"
      "  the log names no error; a kernel has at most 49152 bytes of shared memory that is not "
      "`extern`, and a file 65536 of constants\n  ptxas info    : ";
  const std::string shared = message(
      "", "__shared__ float s[12289]; s[threadIdx.x] = A[0]; __syncthreads(); A[1] = s[1];");
  EXPECT_THAT(shared, testing::StartsWith(silent));
  EXPECT_THAT(shared, testing::HasSubstr(" 49156 bytes smem"));
  EXPECT_THAT(message("__constant__ float table[20000];\n", "A[0] = table[threadIdx.x];"),
              testing::StartsWith(silent));
}

}  // namespace replaced_source_test
}  // namespace hone
