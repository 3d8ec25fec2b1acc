#include <gtest/gtest.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/vector_access.h"
#include "ir/core/error.h"
#include "ir/text/parser.h"

namespace hone {
namespace vectorize_accesses_test {

KernelFunction lowered(const std::string& text) {
  return lower(parse_function(text)).kernels.front();
}

/// `body` under thread t of 16, over matrices of 16 rows and 16 columns.
KernelFunction in_threads(const std::string& body) {
  return lowered(
      "func f[n](A: f32[16, 16], C: f32[16, 16], x: f32[16]) where n % 4 == 0 {\n"
      "for t in 0..16 @thread.x {\n" +
      body + "} }");
}

/// The statements of the thread, without the kernel's head and the let of t.
std::string kernel_body(const KernelFunction& kernel) {
  const std::string text = to_string(kernel), start = "let t = thread.x\n";
  const size_t at = text.find(start) + start.size();
  return text.substr(at, text.rfind("}") - at);
}

std::string vectorized(const std::string& body) { return kernel_body(in_threads(body)); }

TEST(VectorizeAccesses, ReadsEachVectorOnceAndWritesItAfterwards) {
  EXPECT_EQ(vectorized("for v in 0..4 @vectorize { C[t, v] = x[t] / (A[t, v]*A[t, v] + 1.0) }"),
            "  alloc A.vec: f32[4] @registers\n"
            "  copy A.vec[0 .. +4] <- A[t*16 .. +4] @vector(4)\n"
            "  alloc C.vec: f32[4] @registers\n"
            "  for v in 0..4 @unroll {\n"
            "    C.vec[v] = x[t] / (A.vec[v] * A.vec[v] + 1.0)\n"
            "  }\n"
            "  copy C[t*16 .. +4] <- C.vec[0 .. +4] @vector(4)\n");
}

TEST(VectorizeAccesses, ReadsWhatAnUpdateChanges) {
  EXPECT_EQ(vectorized("for v in 0..4 @vectorize { C[t, v + 8] += A[t, v] }"),
            "  alloc A.vec: f32[4] @registers\n"
            "  copy A.vec[0 .. +4] <- A[t*16 .. +4] @vector(4)\n"
            "  alloc C.vec: f32[4] @registers\n"
            "  copy C.vec[0 .. +4] <- C[t*16 + 8 .. +4] @vector(4)\n"
            "  for v in 0..4 @unroll {\n"
            "    C.vec[v] += A.vec[v]\n"
            "  }\n"
            "  copy C[t*16 + 8 .. +4] <- C.vec[0 .. +4] @vector(4)\n");
}

TEST(VectorizeAccesses, MovesNeighboursToNeighboursInOneStatement) {
  EXPECT_EQ(vectorized("for v in 0..4 @vectorize { if (t*4 + v < n) { C[t, v] = A[t, v + 4] } }"),
            "  if (t*4 < n) {\n"
            "    copy C[t*16 .. +4] <- A[t*16 + 4 .. +4] @vector(4)\n"
            "  }\n");
}

TEST(VectorizeAccesses, MovesRegistersDirectlyWhereTheyAreNeighbours) {
  EXPECT_EQ(vectorized("alloc r: f32[2, 8] @registers\n"
                       "for a in 0..2 @unroll { for v in 0..4 @vectorize { "
                       "r[a, v + 4] = A[t, a*8 + v] } }\n"
                       "for w in 0..2 @vectorize { C[t, w] = r[1, w*2] }"),
            "  alloc r: f32[2, 8] @registers\n"
            "  for a in 0..2 @unroll {\n"
            "    copy r[a, 4 .. +4] <- A[t*16 + a*8 .. +4] @vector(4)\n"
            "  }\n"
            "  alloc C.vec: f32[2] @registers\n"
            "  for w in 0..2 @unroll {\n"
            "    C.vec[w] = r[1, w*2]\n"
            "  }\n"
            "  copy C[t*16 .. +2] <- C.vec[0 .. +2] @vector(2)\n");
}

TEST(VectorizeAccesses, FillsAVectorWhereNothingIsRead) {
  EXPECT_EQ(vectorized("for v in 0..4 @vectorize { "
                       "C[t, v] = select(t*4 + v < n, A[t, v], 0.5) }"),
            "  alloc A.vec: f32[4] @registers\n"
            "  for v_2 in 0..4 @unroll {\n"
            "    A.vec[v_2] = 0.5\n"
            "  }\n"
            "  if (t*4 < n) {\n"
            "    copy A.vec[0 .. +4] <- A[t*16 .. +4] @vector(4)\n"
            "  }\n"
            "  copy C[t*16 .. +4] <- A.vec[0 .. +4] @vector(4)\n");
}

TEST(VectorizeAccesses, ReadsAndWritesUnderTheConditionsOfTheAccess) {
  EXPECT_EQ(vectorized("for v in 0..4 @vectorize { if (t < 8) { C[t, v] *= A[t, v] } "
                       "C[t, v + 4] = 1.0 }"),
            "  alloc A.vec: f32[4] @registers\n"
            "  if (t < 8) {\n"
            "    copy A.vec[0 .. +4] <- A[t*16 .. +4] @vector(4)\n"
            "  }\n"
            "  alloc C.vec: f32[4] @registers\n"
            "  if (t < 8) {\n"
            "    copy C.vec[0 .. +4] <- C[t*16 .. +4] @vector(4)\n"
            "  }\n"
            "  alloc C.vec_2: f32[4] @registers\n"
            "  for v in 0..4 @unroll {\n"
            "    if (t < 8) {\n"
            "      C.vec[v] *= A.vec[v]\n"
            "    }\n"
            "    C.vec_2[v] = 1.0\n"
            "  }\n"
            "  if (t < 8) {\n"
            "    copy C[t*16 .. +4] <- C.vec[0 .. +4] @vector(4)\n"
            "  }\n"
            "  copy C[t*16 + 4 .. +4] <- C.vec_2[0 .. +4] @vector(4)\n");
}

TEST(VectorizeAccesses, SharesAVectorBetweenStatements) {
  EXPECT_EQ(vectorized("for v in 0..4 @vectorize { C[t, v] = A[t, v] "
                       "C[t, v] = select(C[t, v] > 0.0, C[t, v], A[t, v]*0.1) }"),
            "  alloc A.vec: f32[4] @registers\n"
            "  copy A.vec[0 .. +4] <- A[t*16 .. +4] @vector(4)\n"
            "  alloc C.vec: f32[4] @registers\n"
            "  for v in 0..4 @unroll {\n"
            "    C.vec[v] = A.vec[v]\n"
            "    C.vec[v] = select(C.vec[v] > 0.0, C.vec[v], A.vec[v] * 0.1)\n"
            "  }\n"
            "  copy C[t*16 .. +4] <- C.vec[0 .. +4] @vector(4)\n");
}

TEST(VectorizeAccesses, LeavesTheStridedSideInSharedMemoryAsItIs) {
  EXPECT_EQ(kernel_body(lowered("func f(A: f32[16, 16], C: f32[16, 16]) {\n"
                                "alloc s: f32[16, 16] @pad(1) @shared\n"
                                "for t in 0..16 @thread.x {\n"
                                "for v in 0..4 @vectorize { s[v + 4, t] = A[t, v] } } }")),
            "  alloc A.vec: f32[4] @registers\n"
            "  copy A.vec[0 .. +4] <- A[t*16 .. +4] @vector(4)\n"
            "  for v in 0..4 @unroll {\n"
            "    s[v + 4, t] = A.vec[v]\n"
            "  }\n");
}

TEST(VectorizeAccesses, FollowsOrderPitchAndSwizzle) {
  const std::string text = kernel_body(lowered(
      "func f[p](A: f32[16, 16] @order(1, 0) @pitch(p), C: f32[16, 16]) where p % 4 == 0 {\n"
      "alloc s: f32[16, 16] @swizzle(4, 4, 1) @shared\n"
      "for t in 0..16 @thread.x {\n"
      "for v in 0..4 @vectorize { s[t, v + 8] = A[v, t] } } }"));
  EXPECT_EQ(text, "  copy s[t, 8 ^ (t % 4)*4 .. +4] <- A[t*p .. +4] @vector(4)\n");
}

// ---- Text ---------------------------------------------------------------------------------------

std::string cuda_body(const KernelFunction& kernel) {
  const std::string text = emit_cuda(kernel);
  return text.substr(text.find("{\n") + 2);
}

TEST(VectorText, IsAWideAccessThroughACast) {
  EXPECT_EQ(cuda_body(lowered(R"(func f[n](A: f32[n], C: f32[n], D: f32[n]) where n % 4 == 0 {
              for b in 0..n / 1024 @block.x { for t in 0..256 @thread.x {
                for v in 0..4 @vectorize {
                  D[b*1024 + t*4 + v] = C[b*1024 + t*4 + v] / (A[b*1024 + t*4 + v] + 1.0)
                } } } })")),
            R"(  const int b = blockIdx.x;
  const int t = threadIdx.x;
  __align__(16) float C_vec[4];
  *reinterpret_cast<float4*>(C_vec) = *reinterpret_cast<const float4*>(&C[b * 1024 + t * 4]);
  __align__(16) float A_vec[4];
  *reinterpret_cast<float4*>(A_vec) = *reinterpret_cast<const float4*>(&A[b * 1024 + t * 4]);
  __align__(16) float D_vec[4];
  #pragma unroll
  for (int v = 0; v < 4; ++v) {
    D_vec[v] = C_vec[v] / (A_vec[v] + 1.0f);
  }
  *reinterpret_cast<float4*>(&D[b * 1024 + t * 4]) = *reinterpret_cast<const float4*>(D_vec);
}
)");
}

TEST(VectorText, DeclaresAVectorWithTheZerosThatFillIt) {
  EXPECT_EQ(cuda_body(lowered(R"(func tile[M, N](A: f32[M, N], C: f32[M, N]) where N % 4 == 0 {
              alloc s: f32[8, 32] @pad(4) @shared
              for t in 0..64 @thread.x { for v in 0..4 @vectorize {
                s[t / 8, t % 8 * 4 + v] =
                  select(t / 8 < M && t % 8 * 4 + v < N, A[t / 8, t % 8 * 4 + v], 0.0) } }
              for u in 0..64 @thread.x { for w in 0..4 @vectorize {
                if (u / 8 < M && u % 8 * 4 + w < N) {
                  C[u / 8, u % 8 * 4 + w] = s[7 - u / 8, u % 8 * 4 + w] } } } })")),
            R"(  __shared__ __align__(16) float s[8][36];
  const int t = threadIdx.x;
  __align__(16) float A_vec[4];
  *reinterpret_cast<float4*>(A_vec) =
      (t / 8 < M && t % 8 * 4 < N) ? *reinterpret_cast<const float4*>(&A[t / 8 * N + t % 8 * 4]) : float4{};
  *reinterpret_cast<float4*>(&s[t / 8][t % 8 * 4]) = *reinterpret_cast<const float4*>(A_vec);
  __syncthreads();
  const int u = threadIdx.x;
  if (u / 8 < M && u % 8 * 4 < N) {
    *reinterpret_cast<float4*>(&C[u / 8 * N + u % 8 * 4]) =
        *reinterpret_cast<const float4*>(&s[7 - u / 8][u % 8 * 4]);
  }
}
)");
}

/// The vector type of `count` elements in the generated text.
std::string vector_type(const std::string& type, int count) {
  const std::string n = std::to_string(count);
  const std::string text =
      emit_cuda(lowered("func f(A: " + type + "[64], C: " + type + "[64]) { for v in 0.." + n +
                        " @vectorize { C[v] = A[v] } }"));
  const std::string start = "*reinterpret_cast<", end = "*>(C)";
  const size_t at = text.find(start) + start.size();
  return text.substr(at, text.find(end) - at);
}

TEST(VectorText, NamesAVectorTypeOfEveryWidth) {
  EXPECT_EQ(vector_type("f32", 2), "float2");
  EXPECT_EQ(vector_type("f32", 4), "float4");
  EXPECT_EQ(vector_type("f64", 2), "double2");
  EXPECT_EQ(vector_type("i32", 2), "int2");
  EXPECT_EQ(vector_type("i32", 4), "int4");
  EXPECT_EQ(vector_type("i64", 2), "longlong2");
  EXPECT_EQ(vector_type("f16", 2), "int");
  EXPECT_EQ(vector_type("bf16", 4), "int2");
  EXPECT_EQ(vector_type("f16", 8), "int4");
  EXPECT_EQ(vector_type("i8", 2), "short");
  EXPECT_EQ(vector_type("u8", 4), "int");
  EXPECT_EQ(vector_type("bool", 8), "int2");
  EXPECT_EQ(vector_type("i8", 16), "int4");
}

TEST(VectorText, OfTheHostIsAPlainLoop) {
  const Module module = lower_host(
      parse_function("func f(A: f32[64], C: f32[64]) { for t in 0..16 { for v in 0..4 @vectorize { "
                     "C[t*4 + v] = A[t*4 + v] } } }"));
  const std::string text = emit_c(module.kernels.front());
  EXPECT_NE(text.find("    for (long v = 0; v < 4; ++v) {\n"
                      "      C[t + v] = A[t + v];\n"),
            std::string::npos)
      << text;
}

TEST(VectorBytes, AreThoseOfTheWidestAccess) {
  const KernelFunction kernel = in_threads(
      "for v in 0..4 @vectorize { C[t, v] = A[t, v]*x[t] } for w in 0..2 @vectorize { C[t, w + 4] "
      "= A[t, w + 6] }");
  EXPECT_EQ(vector_bytes(kernel, "A"), 16);
  EXPECT_EQ(vector_bytes(kernel, "C"), 16);
  EXPECT_EQ(vector_bytes(kernel, "x"), 0);
}

}  // namespace vectorize_accesses_test
}  // namespace hone
