// Vectors that are loaded under a condition: one value or another, in one statement.

#include <gtest/gtest.h>

#include "codegen/emit/emit.h"
#include "codegen/parse_kernel.h"
#include "fmt/format.h"

namespace hone {
namespace guarded_vector_test {

/// The statements of `body` in CUDA, which follow `const int t = threadIdx.x`.
std::string cuda_of(const std::string& body, const std::string& type = "f32") {
  const std::string source = emit_cuda(parse_kernel(
      fmt::format("kernel f[M, n](A: {0}[n], C: {0}[n]) grid(1, 1, 1) block(32, 1, 1) @index32 {{\n"
                  "let t = thread.x\n{1} }}",
                  type, body)));
  const llvm::StringRef start = "threadIdx.x;\n";
  const size_t at = source.find(start.str()) + start.size();
  return source.substr(at, source.rfind("}\n") - at);
}

/// Registers of `length` elements that are `fill` but for what `load` does.
std::string loads(const std::string& load, const std::string& fill = "0.0", int length = 4) {
  return fmt::format("alloc r: f32[{0}] @registers\nfor v in 0..{0} @unroll {{ r[v] = {1} }}\n{2}",
                     length, fill, load);
}

constexpr const char* guarded = "if (t < n) { copy r[0 .. +4] <- A[t*4 .. +4] @vector(4) }\n";

TEST(GuardedVector, IsChosenInOneStatement) {
  EXPECT_EQ(cuda_of(loads(guarded) + "C[t] = r[3]"),
            R"(  __align__(16) float r[4];
  *reinterpret_cast<float4*>(r) = (t < n) ? *reinterpret_cast<const float4*>(&A[t * 4]) : float4{};
  C[t] = r[3];
)");
}

TEST(GuardedVector, OfSeveralConditionsIsChosenByAllOfThem) {
  EXPECT_EQ(cuda_of(loads("if (t < n) { if (M > 2 || t == 1) { if (t % 3 == 0) { "
                          "copy r[0 .. +4] <- A[0 .. +4] @vector(4) } } }\n") +
                    "C[t] = r[3]"),
            R"(  __align__(16) float r[4];
  *reinterpret_cast<float4*>(r) =
      (t < n && (M > 2 || t == 1) && t % 3 == 0) ? *reinterpret_cast<const float4*>(A) : float4{};
  C[t] = r[3];
)");
}

TEST(GuardedVector, OfAChoiceKeepsItsParentheses) {
  EXPECT_EQ(cuda_of(loads("if (select(t < 4, M > 2, n > t)) { "
                          "copy r[0 .. +4] <- A[0 .. +4] @vector(4) }\n") +
                    "C[t] = r[3]"),
            R"(  __align__(16) float r[4];
  *reinterpret_cast<float4*>(r) =
      (t < 4 ? M > 2 : n > t) ? *reinterpret_cast<const float4*>(A) : float4{};
  C[t] = r[3];
)");
}

TEST(GuardedVector, OfHalvesIsMadeOfIntegers) {
  const auto text = [](int width) {
    return cuda_of(fmt::format("alloc r: f16[{0}] @registers\n"
                               "for v in 0..{0} @unroll {{ r[v] = 0.0f16 }}\n"
                               "if (t < n) {{ copy r[0 .. +{0}] <- A[t*{0} .. +{0}] @vector({0}) "
                               "}}\nC[t] = r[1]",
                               width),
                   "f16");
  };
  EXPECT_EQ(text(2), R"(  __align__(4) __half r[2];
  *reinterpret_cast<int*>(r) = (t < n) ? *reinterpret_cast<const int*>(&A[t * 2]) : int{};
  C[t] = r[1];
)");
  EXPECT_EQ(text(4), R"(  __align__(8) __half r[4];
  *reinterpret_cast<int2*>(r) = (t < n) ? *reinterpret_cast<const int2*>(&A[t * 4]) : int2{};
  C[t] = r[1];
)");
  EXPECT_EQ(text(8), R"(  __align__(16) __half r[8];
  *reinterpret_cast<int4*>(r) = (t < n) ? *reinterpret_cast<const int4*>(&A[t * 8]) : int4{};
  C[t] = r[1];
)");
}

TEST(GuardedVector, OfTwoLoadsHasAChoiceForEach) {
  EXPECT_EQ(cuda_of(loads(guarded) + "alloc s: f32[2] @registers\nfor v_2 in 0..2 @unroll { "
                                     "s[v_2] = 0.0 }\nif (t < M) { "
                                     "copy s[0 .. +2] <- A[t*2 .. +2] @vector(2) }\n"
                                     "C[t] = r[3] + s[1]"),
            R"(  __align__(16) float r[4];
  *reinterpret_cast<float4*>(r) = (t < n) ? *reinterpret_cast<const float4*>(&A[t * 4]) : float4{};
  __align__(8) float s[2];
  *reinterpret_cast<float2*>(s) = (t < M) ? *reinterpret_cast<const float2*>(&A[t * 2]) : float2{};
  C[t] = r[3] + s[1];
)");
}

// Vectors that stay under an `if`.

constexpr const char* branch = R"(  if (t < n) {
    *reinterpret_cast<float4*>(r) = *reinterpret_cast<const float4*>(&A[t * 4]);
  }
  C[t] = r[3];
)";

TEST(GuardedVector, OverAnythingButZerosIsABranch) {
  for (const char* fill : {"0.5", "-0.0", "f32(t)"}) {
    const std::string value =
        fill == std::string("f32(t)") ? "(float)(t)" : fill + std::string("f");
    EXPECT_EQ(cuda_of(loads(guarded, fill) + "C[t] = r[3]"),
              fmt::format("  __align__(16) float r[4];\n  #pragma unroll\n"
                          "  for (int v = 0; v < 4; ++v) {{\n    r[v] = {};\n  }}\n{}",
                          value, branch));
  }
}

TEST(GuardedVector, OfAPartOfTheRegistersIsABranch) {
  EXPECT_EQ(cuda_of(loads(guarded, "0.0", 8) + "C[t] = r[3]"),
            std::string("  __align__(16) float r[8] = {};\n") + branch);
}

TEST(GuardedVector, BehindAnotherStatementIsABranch) {
  EXPECT_EQ(cuda_of(loads("r[2] = 1.0\n") + guarded + "C[t] = r[3]"),
            std::string("  __align__(16) float r[4] = {};\n  r[2] = 1.0f;\n") + branch);
  EXPECT_EQ(cuda_of(loads("barrier\n") + guarded + "C[t] = r[3]"),
            std::string("  __align__(16) float r[4] = {};\n  __syncthreads();\n") + branch);
}

TEST(GuardedVector, BesideAnotherStatementIsABranch) {
  EXPECT_EQ(cuda_of(loads("if (t < n) { copy r[0 .. +4] <- A[t*4 .. +4] @vector(4) "
                          "r[0] += 1.0 }\n") +
                    "C[t] = r[3]"),
            R"(  __align__(16) float r[4] = {};
  if (t < n) {
    *reinterpret_cast<float4*>(r) = *reinterpret_cast<const float4*>(&A[t * 4]);
    r[0] += 1.0f;
  }
  C[t] = r[3];
)");
}

TEST(GuardedVector, OfOtherRegistersIsABranch) {
  EXPECT_EQ(cuda_of("alloc q: f32[4] @registers\n" +
                    loads("if (t < n) { copy q[0 .. +4] <- A[t*4 .. +4] @vector(4) }\n") +
                    "C[t] = r[3] + q[0]"),
            R"(  __align__(16) float q[4];
  float r[4] = {};
  if (t < n) {
    *reinterpret_cast<float4*>(q) = *reinterpret_cast<const float4*>(&A[t * 4]);
  }
  C[t] = r[3] + q[0];
)");
}

TEST(GuardedVector, UnderAConditionOnTheZerosIsABranch) {
  EXPECT_EQ(cuda_of(loads("if (t < n && r[1] < 1.0) { copy r[0 .. +4] <- A[t*4 .. +4] @vector(4) "
                          "}\n") +
                    "C[t] = r[3]"),
            R"(  __align__(16) float r[4] = {};
  if (t < n && r[1] < 1.0f) {
    *reinterpret_cast<float4*>(r) = *reinterpret_cast<const float4*>(&A[t * 4]);
  }
  C[t] = r[3];
)");
}

TEST(GuardedVector, WithoutAConditionIsAnAssignment) {
  EXPECT_EQ(cuda_of(loads("copy r[0 .. +4] <- A[t*4 .. +4] @vector(4)\n") + "C[t] = r[3]"),
            R"(  __align__(16) float r[4] = {};
  *reinterpret_cast<float4*>(r) = *reinterpret_cast<const float4*>(&A[t * 4]);
  C[t] = r[3];
)");
}

}  // namespace guarded_vector_test
}  // namespace hone
