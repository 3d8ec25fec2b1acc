#include "fmt/format.h"
#include "gmock/gmock.h"
#include "runtime/cuda_text/compile_apart.h"
#include "runtime/cuda_text/compile_log.h"
#include "runtime/cuda_text/cuda_text.h"
#include "runtime/error.h"
#include "tests/support/runtime/errors.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone::ptx {
namespace translate_test {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class Translate : public testing::Test {
 protected:
  void SetUp() override {
    if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  }
  std::string write(const std::string& text) const {
    replace_file(path(), {text});
    return path();
  }
  std::string path() const { return folder_.file("k.cu"); }
  TranslatedText translated(const std::string& text) const { return translate({write(text)}); }
  std::string refusal(const CudaText& text) const {
    return thrown_message<RuntimeError>([&] { translate(text); });
  }
  /// A kernel that stores the value of an expression.
  std::string ptx_of(const std::string& expression, const std::string& before = "") const {
    return translated(
               fmt::format("{}\n__global__ void k(double* p) {{ *p = {}; }}\n", before, expression))
        .ptx;
  }

  TemporaryFolder folder_;
};

std::vector<std::string> names(const TranslatedText& text) {
  std::vector<std::string> names;
  for (const NamedKernel& kernel : text.kernels) names.push_back(kernel.name);
  return names;
}

TEST_F(Translate, AProgramWithHostCodeNeedsNoChange) {
  const TranslatedText text = translated(
      "#include <cstdio>\n#include <vector>\n#include <cuda_runtime.h>\n"
      "#define CHECK(x) if ((x) != cudaSuccess) exit(1)\n"
      "__global__ void k(float* x, uint32_t n) { if (threadIdx.x < n) x[threadIdx.x] = FLT_MAX; }\n"
      "std::vector<float> data;\n"
      "int main() {\n  float* x;\n  CHECK(cudaMalloc(&x, 4));\n  k<<<1, 32>>>(x, 1);\n}\n");
  EXPECT_THAT(names(text), ElementsAre("k"));
  EXPECT_THAT(text.ptx, HasSubstr(".target sm_90a"));
  EXPECT_THAT(text.ptx, HasSubstr(fmt::format(".file\t1 \"{}\"", path())));
  EXPECT_THAT(text.ptx, HasSubstr(".loc\t1 5 "));
}

TEST_F(Translate, ThePreludeHasWhatHostHeadersHave) {
  for (const char* const expression :
       {"FLT_MAX + DBL_EPSILON + INT_MAX + (double)UINT64_MAX", "M_PI + INFINITY + NAN",
        "sqrt(3) + pow(2, 3) + pow(2.0f, 3.0) + log(5u)", "std::min(1, 2) + std::max(1.f, 2.f)",
        "std::sqrt(2.f) + std::abs(-1.f)",
        "sizeof(uint8_t) + sizeof(std::size_t) + sizeof(ssize_t)",
        "(assert(p != nullptr), printf(\"%d\", 1))", "(double)EXIT_FAILURE + CHAR_BIT"})
    EXPECT_THAT(ptx_of(expression), HasSubstr("st.global")) << expression;
}

TEST_F(Translate, TemplatesOfTheStandardLibraryComeFromLibcu) {
  EXPECT_THAT(ptx_of("std::numeric_limits<float>::max() + std::is_same<int, int>::value",
                     "#include <limits>\n#include <type_traits>"),
              HasSubstr("st.global"));
}

TEST_F(Translate, DeclarationsWithErrorsAreLeftOut) {
  const TranslatedText text = translated(
      "struct Timer {\n  clock_type start;\n  int n;\n};\n"
      "__device__ int broken(int x) { return no_such(x); }\n"
      "__global__ void k(int* x) { Timer t{1}; *x = t.n; }\n");
  EXPECT_THAT(names(text), ElementsAre("k"));
  ASSERT_EQ(text.left_out.size(), 2u);
  EXPECT_EQ(text.left_out[0].what, "start");
  EXPECT_EQ(text.left_out[0].line, 2);
  EXPECT_EQ(text.left_out[0].why, "identifier \"clock_type\" is undefined");
  EXPECT_FALSE(text.left_out[0].is_for_device);
  EXPECT_EQ(text.left_out[1].what, "broken");
  EXPECT_TRUE(text.left_out[1].is_for_device);
}

TEST_F(Translate, AKernelWithErrorsIsLeftOutBesideAnother) {
  const TranslatedText text = translated(
      "__global__ void good(int* x) { *x = 1; }\n__global__ void bad(int* x) { *x = y; }\n");
  EXPECT_THAT(names(text), ElementsAre("good"));
  EXPECT_EQ(text.left_out.at(0).what, "bad");
  EXPECT_EQ(text.left_out.at(0).why, "identifier \"y\" is undefined");
}

TEST_F(Translate, RefusesWhereNoKernelIsLeft) {
  EXPECT_EQ(refusal({write("#include \"gone.h\"\n__device__ int f(int x) { return g(x); }\n"
                           "__global__ void k(int* x) { *x = f(1); }\n")}),
            fmt::format("NVRTC refuses {0}, compiled for compute_90a:\n"
                        "  {0}:3: identifier \"f\" is undefined\n"
                        "  {0}:1: #include \"gone.h\" is not found\n"
                        "  {0}:2: f is left out for its own error: identifier \"g\" is undefined",
                        path()));
}

TEST_F(Translate, InstancesHaveNamesOfTheirOwn) {
  CudaText text{write("template <int N, class T> __global__ void k(T* x) { *x = N; }\n")};
  EXPECT_THAT(translate(text).kernels, IsEmpty());
  EXPECT_THAT(translate(text).templates, ElementsAre("k<int N, class T>"));
  text.expressions = {"k<3, float>"};
  EXPECT_THAT(translate(text).mangled, ElementsAre("_Z1kILi3EfEvPT0_"));
  EXPECT_THAT(names(translate(text)), ElementsAre("k<3, float>"));
  text.expressions = {"k<3, foo>"};
  EXPECT_EQ(refusal(text), fmt::format("NVRTC does not understand the kernel 'k<3, foo>' of {}: "
                                       "identifier \"foo\" is undefined",
                                       path()));
}

TEST_F(Translate, OptionsReachNvrtc) {
  CudaText text{write("__global__ void k(float* x) { if constexpr (N > 3) *x = __expf(*x); }\n")};
  text.options = {"-DN=4", "--std=c++20"};
  text.arch = "sm_80";
  EXPECT_THAT(translate(text).ptx, HasSubstr("ex2.approx"));
  EXPECT_THAT(translate(text).ptx, HasSubstr(".target sm_80"));
  text.options = {"-DN=4", "--no-such-option"};
  EXPECT_THAT(refusal(text), StartsWith(fmt::format("NVRTC refuses {}, compiled for compute_80:\n"
                                                    "  nvrtc: error: unrecognized option",
                                                    path())));
  text.arch = "sm_12";
  EXPECT_THAT(refusal(text), StartsWith("unknown architecture 'compute_12': NVRTC "));
}

TEST_F(Translate, ATextThatTakesTooLongIsRefused) {
  CompileJob job;
  job.by_hand = true;
  job.name = "slow";
  job.arch = "compute_90";
  job.source = "#define A0 x[i] += i;\n";
  for (int n = 0; n < 18; ++n) job.source += fmt::format("#define A{} A{} A{}\n", n + 1, n, n);
  job.source += "__global__ void k(int* x, int i) { A18 }\n";
  EXPECT_EQ(thrown_message<RuntimeError>([&] { compile_apart(job, 1); }),
            "NVRTC takes longer than 1 seconds for slow");
}

TEST(CompileLog, NamesFilesAndLinesOfErrors) {
  const auto errors = errors_in(
      "a/b (2).cu(3): error: identifier \"x\" is undefined\n  x = 1;\n  ^\n\n"
      "k.cu(4): warning #177-D: variable \"y\" was declared\n"
      "k.cu(5): error #20012-D: a: b\n"
      "k.cu(6): catastrophic error: cannot open source file \"z.h\"\n2 errors detected\n");
  ASSERT_EQ(errors.size(), 3u);
  EXPECT_EQ(errors[0].file, "a/b (2).cu");
  EXPECT_EQ(errors[0].line, 3);
  EXPECT_EQ(errors[0].text, "identifier \"x\" is undefined");
  EXPECT_EQ(errors[1].text, "a: b");
  EXPECT_EQ(missing_header(errors[2]), "z.h");
  EXPECT_EQ(missing_header(errors[0]), "");
}

}  // namespace translate_test
}  // namespace hone::ptx
