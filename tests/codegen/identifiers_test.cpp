#include "codegen/c_form/identifiers.h"

#include "codegen/c_form/owned_words.h"
#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "gmock/gmock.h"
#include "ir/text/parser.h"

namespace hone {
namespace identifiers_test {

using testing::HasSubstr;

TEST(OwnedWords, StandWithAnUnderscore) {
  EXPECT_EQ(unowned("log"), "log_");
  EXPECT_EQ(unowned("while"), "while_");
  EXPECT_EQ(unowned("fmaxf"), "fmaxf_");
  EXPECT_EQ(unowned("float4"), "float4_");
  EXPECT_EQ(unowned("make_longlong4_16a"), "make_longlong4_16a_");
  EXPECT_EQ(unowned("cudaMalloc"), "cudaMalloc_");
  EXPECT_EQ(unowned("atomicAdd"), "atomicAdd_");
  EXPECT_EQ(unowned("test_mbarrier"), "test_mbarrier_");
  EXPECT_EQ(unowned("copy_bulk_2d"), "copy_bulk_2d_");
  EXPECT_EQ(unowned("f32_i32"), "f32_i32_");
}

/// An underscore at their end does not make them anybody's own.
TEST(OwnedWords, OfImplementationsStandBehindAName) {
  EXPECT_EQ(unowned("__syncthreads"), "name__syncthreads");
  EXPECT_EQ(unowned("_Bool"), "name_Bool");
  EXPECT_EQ(unowned("_"), "name_");
}

TEST(OwnedWords, OthersStayAsTheyAre) {
  for (const char* word : {"matmul", "A", "A_", "i_0", "logits", "float5", "atomically", "cudaz",
                           "_x", "name", "softmax", "index", "remove", "x1"})
    EXPECT_EQ(unowned(word), word);
}

TEST(OwnedWords, DifferentWordsStayDifferent) {
  EXPECT_EQ(unowned("log_"), "log__");
  EXPECT_EQ(unowned("name__syncthreads"), "namename__syncthreads");
  EXPECT_EQ(unowned("name_"), "namename_");
}

TEST(Symbols, OfTheHostHaveAPrefix) {
  KernelFunction kernel;
  kernel.name = "remove";
  EXPECT_EQ(host_symbol(kernel), "hone_remove");
  EXPECT_EQ(cuda_symbol(kernel), "remove");
  kernel.name = "log.1";
  EXPECT_EQ(host_symbol(kernel), "hone_log_1");
  EXPECT_EQ(cuda_symbol(kernel), "log_1");
}

TEST(Identifiers, TellATensorAParamAndAnAxisOfOneNameApart) {
  const std::string text =
      emit_c(lower_host(parse_function(
                            "func f[A](A: f32[A], A_: f32[A]) { for f in 0..A { A_[f] = A[f] } }"))
                 .kernels.front());
  EXPECT_THAT(text,
              HasSubstr("void hone_f(const float* restrict A, float* restrict A_, long A__) {\n"
                        "  for (long f = 0; f < A__; ++f) {\n"
                        "    A_[f] = A[f];\n"));
}

/// Two updates of one type, by a product and by an operator of a user's that is called so.
TEST(Identifiers, AnOperatorIsNoBuiltInOne) {
  const std::string text = emit_cuda(parse_kernel(R"(
operator mul(x0: f32, expf: f32) = exp(x0[]) * expf[] + exp(x0[]) * expf[] * expf[] identity 0.0
kernel combine_mul(A: f32[8], C: f32[2]) grid(1, 1, 1) block(8, 1, 1) @index32 {
  atomic C[0] *= A[thread.x]
  atomic C[1] mul= A[thread.x]
})"));
  EXPECT_THAT(text, HasSubstr("__device__ float combine_mul_(float x0, float expf_) {\n"
                              "  const float x1 = expf(x0) * expf_;\n"
                              "  return x1 + x1 * expf_;\n"));
  EXPECT_THAT(text, HasSubstr("  atomic_mul(&C[0], A[threadIdx.x]);\n"
                              "  atomic_mul_(&C[1], A[threadIdx.x]);\n"));
  EXPECT_THAT(text, HasSubstr("__float_as_uint(before * value)"));
  EXPECT_THAT(text, HasSubstr("__float_as_uint(combine_mul_(before, value))"));
}

}  // namespace identifiers_test
}  // namespace hone
