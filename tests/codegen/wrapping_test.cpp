// Integers wrap around: signed sums and products, whose overflow means nothing in C++, are computed
// as unsigned ones.
#include <gtest/gtest.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "ir/text/parser.h"

namespace hone {
namespace wrapping_test {

/// The statement of a kernel over i32 or i64 tensors A, B and C.
std::string statement(const std::string& body, const std::string& type = "i32") {
  const std::string text =
      emit_cuda(lower(parse_function("func f(A: " + type + "[8], B: " + type + "[8], C: " + type +
                                     "[8]) { for i in 0..8 @thread.x { " + body + " } }"))
                    .kernels.front());
  const size_t start = text.find("  C[i]");
  return text.substr(start + 2, text.find('\n', start) - start - 2);
}

TEST(Wrapping, OfSumsAndProducts) {
  EXPECT_EQ(statement("C[i] = A[i] + 1i32"), "C[i] = (int)((unsigned)A[i] + 1u);");
  EXPECT_EQ(statement("C[i] = (A[i] - B[i])*3i32"),
            "C[i] = (int)(((unsigned)A[i] - (unsigned)B[i]) * 3u);");
  EXPECT_EQ(statement("C[i] = -A[i]"), "C[i] = (int)(0u - (unsigned)A[i]);");
  EXPECT_EQ(statement("C[i] = A[i] + -2i32"), "C[i] = (int)((unsigned)A[i] + (unsigned)(-2));");
  EXPECT_EQ(statement("C[i] = A[i] * B[i]", "i64"),
            "C[i] = (long long)((unsigned long long)A[i] * (unsigned long long)B[i]);");
}

TEST(Wrapping, OfUpdates) {
  EXPECT_EQ(statement("C[i] += A[i]"), "C[i] = (int)((unsigned)C[i] + (unsigned)A[i]);");
  EXPECT_EQ(statement("C[i] *= A[i]"), "C[i] = (int)((unsigned)C[i] * (unsigned)A[i]);");
}

TEST(Wrapping, OfOperandsOfOtherOperators) {
  EXPECT_EQ(statement("C[i] = (A[i] + 1i32) / B[i]"), "C[i] = (int)((unsigned)A[i] + 1u) / B[i];");
  EXPECT_EQ(statement("C[i] = select(A[i] + 1i32 > A[i], 1i32, 0i32)"),
            "C[i] = (int)((unsigned)A[i] + 1u) > A[i] ? 1 : 0;");
}

TEST(Wrapping, IsNotWrittenWhereNothingOverflows) {
  EXPECT_EQ(statement("C[i] = A[i] / B[i] % 3i32"), "C[i] = A[i] / B[i] % 3;");
  EXPECT_EQ(statement("C[i] += A[i]", "f32"), "C[i] += A[i];");
  EXPECT_EQ(statement("C[i] = A[i] + B[i]", "i8"), "C[i] = (signed char)(A[i] + B[i]);");
}

}  // namespace wrapping_test
}  // namespace hone
