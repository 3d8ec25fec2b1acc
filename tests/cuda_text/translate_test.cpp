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

TEST_F(Translate, ThePreludeHasTheFunctionsOfLaunchesThatBeginEarly) {
  const TranslatedText text = translated(
      "__global__ void k(float* x) {\n  cudaGridDependencySynchronize();\n  *x = 1;\n"
      "  cudaTriggerProgrammaticLaunchCompletion();\n}\n");
  EXPECT_THAT(text.ptx, HasSubstr("griddepcontrol.wait;"));
  EXPECT_THAT(text.ptx, HasSubstr("griddepcontrol.launch_dependents;"));
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
  EXPECT_EQ(refusal({write("#include \"gone.h\"\n#include <cuda_fp16.h>\n__device__ int "
                           "f(int x) { return g(x); }\n"
                           "__global__ void k(int* x) { *x = f(1); }\n")}),
            fmt::format("NVRTC refuses {0}, compiled for compute_90a:\n"
                        "  {0}:1: #include \"gone.h\" is not found; -I names a folder of headers\n"
                        "  {0}:4: identifier \"f\" is undefined\n"
                        "  {0}:3: f is left out for its own error: identifier \"g\" is undefined",
                        path()));
}

TEST_F(Translate, ReasonsAreAChain) {
  EXPECT_EQ(
      refusal({write("typedef enum E e_t;\nenum E { one };\n"
                     "__device__ int g(e_t x) { return x; }\n"
                     "__device__ int f(int x) { return g(one); }\n"
                     "__global__ void k(int* x) { *x = f(1); }\n")}),
      fmt::format("NVRTC refuses {0}, compiled for compute_90a:\n"
                  "  {0}:5: identifier \"f\" is undefined\n"
                  "  {0}:4: f is left out for its own error: identifier \"g\" is undefined\n"
                  "  {0}:3: g is left out for its own error: identifier \"e_t\" is undefined\n"
                  "  {0}:1: e_t is left out for its own error: forward declaration of enum "
                  "type is nonstandard",
                  path()));
}

TEST_F(Translate, ATypeOfTheHostGoesAtOnce) {
  const std::string type =
      "struct Words {\n  std::vector<std::string> all;\n"
      "  Words(int n) { all.resize(n); }\n  template <class T> int f(T x) { return all.size(); "
      "}\n};\n";
  const TranslatedText text = translated(type + "__global__ void k(int* x) { *x = 1; }\n");
  ASSERT_EQ(text.left_out.size(), 1u);
  EXPECT_EQ(text.left_out[0].what, "Words");
  EXPECT_EQ(text.left_out[0].line, 1);
  EXPECT_THAT(translated(type + "__global__ void k(int* x) { *x = sizeof(Words); }\n").left_out,
              testing::Each(testing::Field(&LeftOut::line, testing::Ne(1))));
  const TranslatedText half = translated(
      "struct S { std::vector<int> v; __device__ int f() { return 1; } };\n"
      "__global__ void k(int* x) { *x = 1; }\n");
  ASSERT_EQ(half.left_out.size(), 1u);
  EXPECT_EQ(half.left_out[0].what, "v");
}

TEST_F(Translate, HeadersOfTheToolkitThatDoNotCompileAreLeftOut) {
  const TranslatedText text =
      translated("#include <cub/util_allocator.cuh>\n__global__ void k(int* x) { *x = 1; }\n");
  EXPECT_THAT(names(text), ElementsAre("k"));
  ASSERT_EQ(text.left_out.size(), 1u);
  EXPECT_EQ(text.left_out[0].what, "#include <cub/util_allocator.cuh>");
  EXPECT_EQ(text.left_out[0].why, "namespace \"std\" has no member \"multiset\"");
  EXPECT_FALSE(text.left_out[0].is_missing);
}

TEST_F(Translate, FunctionsFromBeforeCuda9TakeTheActiveLanes) {
  const std::string kernel =
      "__global__ void k(int* x, float* y) {\n  *x = __shfl_down(*x, 1) + __any(*x) + "
      "__ballot(1);\n"
      "  *y = SWAP(*y);\n}\n";
  const TranslatedText text = translated("#define SWAP(x) __shfl_xor(x, 1)\n" + kernel);
  EXPECT_THAT(text.ptx, HasSubstr("activemask.b32"));
  EXPECT_THAT(text.ptx, HasSubstr("shfl.sync.bfly.b32"));
  EXPECT_THAT(text.notes,
              ElementsAre("__shfl_down is of before CUDA 9: it takes the active lanes as its mask",
                          "__shfl_xor is of before CUDA 9: it takes the active lanes as its mask",
                          "__any is of before CUDA 9: it takes the active lanes as its mask",
                          "__ballot is of before CUDA 9: it takes the active lanes as its mask"));
  const TranslatedText own = translated(
      "#define SWAP(x) x\n#define __any(x) 3\n__device__ int __ballot(int x) { return 5; }\n"
      "namespace a { template <class T> __device__ T __shfl_down(T x, int y) { return x; } }\n"
      "using namespace a;\n" +
      kernel);
  EXPECT_THAT(own.notes, IsEmpty());
  EXPECT_THAT(own.ptx, testing::Not(HasSubstr("activemask")));
}

TEST_F(Translate, AShuffleOfDoublesMayBeTheTextsOwn) {
  const TranslatedText text = translated(
      "__device__ double __shfl_down(double x, unsigned n) {\n  int2 y = *(int2*)&x;\n"
      "  y.x = __shfl_down(y.x, n);\n  y.y = __shfl_down(y.y, n);\n  return *(double*)&y;\n}\n"
      "__global__ void k(double* x) { *x += __shfl_down(*x, 1); }\n");
  EXPECT_THAT(text.ptx, HasSubstr("shfl.sync.down.b32"));
  EXPECT_THAT(text.ptx, testing::Not(HasSubstr("cvt.rn.f64.s32")));
  EXPECT_EQ(text.notes.size(), 1u);
}

TEST_F(Translate, ExtensionsOfNvccAreTaken) {
  const TranslatedText text = translated(
      "#define PAIR(x) (float2){x, x}\n"
      "template <class F> __device__ float apply(F f, float x) { return f(x); }\n"
      "__device__ float2 f(float x) { return (float2){x, 2 * x}; }\n"
      "__global__ void k(float2* p) {\n"
      "  const float y = apply([=] __host__ __device__(float x) { return x + p->x; }, 2);\n"
      "  float2 z = f(y), w = (struct float2){z.x, y}; *p = w.x > z.x ? PAIR(y) : w;\n}\n");
  EXPECT_THAT(text.left_out, IsEmpty());
  EXPECT_THAT(names(text), ElementsAre("k"));
}

TEST_F(Translate, ErrorsComeFirstWhereNvrtcCrashesOnInstances) {
  CudaText text{write("template <int n>\n__global__ void fill(half* x, float *y, int size, int "
                      "head) { if (x) y[threadIdx.x] = n; }\n"),
                "sm_90a",
                {},
                {},
                {"fill<4>"}};
  EXPECT_THAT(refusal(text), StartsWith(fmt::format("NVRTC refuses {}, compiled for", path())));
  EXPECT_THAT(refusal(text), HasSubstr(":2: identifier \"half\" is undefined\n"));
}

TEST_F(Translate, AnswersAreKeptForLaterProcesses) {
  DiskCache cache(folder_.file("cache"));
  CompileJob job;
  job.by_hand = true;
  job.arch = "compute_90";
  job.source = "#include \"n.h\"\ntemplate <int n> __global__ void k(int* x) { *x = n + N; }\n";
  job.headers = {{"n.h", "#define N 4\n"}};
  job.expressions = {"k<3>"};
  const CompileReply first = compile_kept(job, cache), again = compile_kept(job, cache);
  EXPECT_FALSE(first.is_kept);
  EXPECT_TRUE(again.is_kept);
  EXPECT_EQ(again.ptx, first.ptx);
  EXPECT_THAT(again.mangled, ElementsAre("_Z1kILi3EEvPi"));
  job.headers = {{"n.h", ""}};
  const CompileReply refused = compile_kept(job, cache);
  EXPECT_FALSE(refused.is_kept || refused.is_compiled);
  EXPECT_TRUE(compile_kept(job, cache).is_kept);
  EXPECT_EQ(compile_kept(job, cache).log, refused.log);
  job.options = {"-DN=5"};
  EXPECT_FALSE(compile_kept(job, cache).is_kept);
  job.expressions = {"k<6>"};
  EXPECT_THAT(compile_kept(job, cache).mangled, ElementsAre("_Z1kILi6EEvPi"));
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
  for (const char* const unknown : {"no_such<3>", "plain<3>", "a::k<3>"}) {
    write(
        "template <int N> __global__ void k(int* x) { *x = N; }\n"
        "namespace a {}\n__global__ void plain(int* x) { *x = 1; }\n");
    text.expressions = {unknown};
    EXPECT_THAT(translate(text).mangled, IsEmpty()) << unknown;
    EXPECT_THAT(names(translate(text)), ElementsAre("plain")) << unknown;
  }
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
