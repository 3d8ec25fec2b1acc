#include "runtime/cuda_text/kernels.h"

#include "fmt/format.h"
#include "gmock/gmock.h"
#include "tests/support/runtime/temporary_folder.h"

namespace hone::ptx {
namespace kernels_test {

using testing::ElementsAre;

std::string described(const NamedKernel& kernel) {
  std::string text = fmt::format("{} = {}:", kernel.name, kernel.signature);
  for (const KernelArgument& one : kernel.arguments)
    text += fmt::format(" {}|{}", one.type, one.name);
  return text;
}

/// The kernels of PTX with these entries, with what `source` says about them.
std::vector<NamedKernel> kernels(const std::vector<std::string>& entries,
                                 const std::string& source) {
  const TemporaryFolder folder;
  write_new_file(folder.file("k.cu"), source);
  const Sources sources(folder.file("k.cu"), {});
  std::string ptx;
  for (const std::string& entry : entries)
    ptx += fmt::format(".visible .entry {}(\n)\n{{ }}\n", entry);
  return kernels_in(ptx, &sources);
}

TEST(Kernels, HaveTypesFromTheirNameAndNamesFromTheText) {
  const auto found = kernels({"_Z1kPKfiPf"},
                             "__global__ void k(const float* __restrict__ x, int n = 3,\n"
                             "  float y[]);\n");
  EXPECT_EQ(described(found.at(0)),
            "k = k(float const*, int, float*): float const*|x int|n float*|y");
}

TEST(Kernels, WithCLinkageHaveTypesFromTheText) {
  const auto found = kernels({"k"},
                             "extern \"C\" __global__ void k(const float *x, unsigned int n,\n"
                             "  half y[4], float4*) {}\n");
  EXPECT_EQ(described(found.at(0)), "k = k: const float*|x unsigned int|n half*|y float4*|");
}

TEST(Kernels, OfTemplatesAreInstances) {
  const auto found = kernels({"_Z4gemmILi4EfEvPT0_i"},
                             "template <int BM, class T>\n__global__ void gemm(T* c, int n) {}\n");
  EXPECT_EQ(described(found.at(0)), "gemm<4, float> = gemm<4, float>(float*, int): float*|c int|n");
}

TEST(Kernels, HaveNamesBesideComments) {
  const auto found = kernels({"_Z1kIfEvPT_i"},
                             "template <class T>\n__global__ void k(T* a, /* T* mask, */ int n,\n"
                             "  // int m, T by,\n  T by) {}\ntemplate <class T>\n"
                             "__global__ void k(T* b, /* T* mask, */ int m) {}\n");
  EXPECT_EQ(described(found.at(0)), "k<float> = k<float>(float*, int): float*|b int|m");
}

TEST(Kernels, OverloadsHaveTheNamesOfTheirOwn) {
  const auto found =
      kernels({"_Z1kPf", "_Z1kPfi"},
              "__global__ void k(float* a) {}\n__global__ void k(float* b, int c) {}\n");
  EXPECT_EQ(described(found.at(0)), "k = k(float*): float*|a");
  EXPECT_EQ(described(found.at(1)), "k = k(float*, int): float*|b int|c");
}

TEST(Kernels, AreFoundByTheWordsForThem) {
  const auto found = kernels({"_ZN1a4gemmILi4EEEvPf"}, "");
  for (const char* const words :
       {"gemm", "a::gemm", "a::gemm<4>", "_ZN1a4gemmILi4EEEvPf", "a::gemm<4>(float*)"})
    EXPECT_TRUE(is_named(found.at(0), words)) << words;
  for (const char* const words : {"a", "gem", "gemm<5>"})
    EXPECT_FALSE(is_named(found.at(0), words)) << words;
}

TEST(Kernels, OfPtxAloneHaveTypesButNoNames) {
  const auto found = kernels_in(".entry _Z1kPfi (.param .u64 a)\n.entry plain\n()", nullptr);
  EXPECT_EQ(described(found.at(0)), "k = k(float*, int): float*| int|");
  EXPECT_EQ(described(found.at(1)), "plain = plain:");
}

TEST(Kernels, TemplatesAreListedWithTheirParameters) {
  const TemporaryFolder folder;
  write_new_file(folder.file("k.cu"),
                 "template <int N,\n  class T = float> // why\n__global__ void k(T* x) {}\n"
                 "template <> __global__ void k<3, int>(int* x) {}\n__global__ void plain() {}\n"
                 "template <class T> __device__ T f(T x) { return x; }\n");
  EXPECT_THAT(kernel_templates(Sources(folder.file("k.cu"), {})),
              ElementsAre("k<int N, class T=float>"));
}

}  // namespace kernels_test
}  // namespace hone::ptx
