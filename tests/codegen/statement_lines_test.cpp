// On which lines of a text the statements of a kernel stand.

#include <gtest/gtest.h>

#include "codegen/emit/emit.h"
#include "codegen/parse_kernel.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/opcodes/opcodes.h"
#include "ir/traverse/visit.h"
#include "llvm/ADT/StringRef.h"

namespace hone {
namespace statement_lines_test {

std::string line_of(const std::string& text, unsigned number) {
  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringRef(text).split(lines, '\n');
  return lines[number - 1].trim().str();
}

/// "barrier -> __syncthreads();" for each statement but sequences, in the order of the kernel.
std::string correspondence(const KernelFunction& kernel, const LinedText& text) {
  const LinedText printed = print_with_lines(kernel);
  std::string result;
  walk(kernel.body, [&](const Stmt& stmt) {
    if (llvm::isa<Seq>(stmt)) return;
    result += line_of(printed.text, printed.lines.find(stmt.get())->second.front()) + " -> ";
    for (const unsigned line : text.lines.find(stmt.get())->second)
      result += line_of(text.text, line) + "\n";
  });
  return result;
}

std::string cuda_of(const std::string& body) {
  const KernelFunction kernel = parse_kernel(
      "kernel f[M, K](A: f32[M], C: f32[M]) grid(1, 1, 1) block(32, 1, 1) @index32 {" + body + "}");
  const LinedText text = emit_cuda_with_lines(kernel);
  EXPECT_EQ(text.text, emit_cuda(kernel));
  return correspondence(kernel, text);
}

TEST(StatementLines, OfEveryStatement) {
  EXPECT_EQ(cuda_of("alloc T: f32[32] @shared  let i = block.x*32 + thread.x\n"
                    "if (i < M) { T[thread.x] = A[i] } barrier\n"
                    "for k in 0..K @unroll(4) { C[i] += T[k] }"),
            R"(alloc T: f32[32] @shared -> __shared__ float T[32];
let i = block.x*32 + thread.x -> const int i = blockIdx.x * blockDim.x + threadIdx.x;
if (i < M) { -> if (i < M) {
T[thread.x] = A[i] -> T[threadIdx.x] = A[i];
barrier -> __syncthreads();
for k in 0..K @unroll(4) { -> for (int k = 0; k < K; ++k) {
C[i] += T[k] -> C[i] += T[k];
)");
}

TEST(StatementLines, OfLoopsThatCountInSteps) {
  EXPECT_EQ(cuda_of("for k in 0..K { for j in 0..4 { C[k*16 + j*4] = A[k*16 + j*4] } }"),
            R"(for k in 0..K { -> for (int k = 0; k < K * 16; k += 16) {
for j in 0..4 { -> for (int j = 0; j < 16; j += 4) {
C[k*16 + j*4] = A[k*16 + j*4] -> C[k + j] = A[k + j];
)");
}

TEST(StatementLines, OfConditionsThatAreJoined) {
  EXPECT_EQ(cuda_of("if (K < M) { if (thread.x < M) { C[thread.x] = 1.0 } }"),
            R"(if (K < M) { -> if (K < M && threadIdx.x < M) {
if (thread.x < M) { -> if (K < M && threadIdx.x < M) {
C[thread.x] = 1.0 -> C[threadIdx.x] = 1.0f;
)");
}

TEST(StatementLines, OfStoresThatBecomePartOfADeclaration) {
  EXPECT_EQ(cuda_of("alloc c: f32[] @registers  c[] = 0.0  c[] += A[thread.x]  C[thread.x] = c[]"),
            R"(alloc c: f32[] @registers -> float c = 0.0f;
c[] = 0.0 -> float c = 0.0f;
c[] += A[thread.x] -> c += A[threadIdx.x];
C[thread.x] = c[] -> C[threadIdx.x] = c;
)");
  EXPECT_EQ(cuda_of("alloc c: f32[8] @registers  for n in 0..8 { c[n] = 0.0 }  C[0] = c[0]"),
            R"(alloc c: f32[8] @registers -> float c[8] = {};
for n in 0..8 { -> float c[8] = {};
c[n] = 0.0 -> float c[8] = {};
C[0] = c[0] -> C[0] = c[0];
)");
}

TEST(StatementLines, OfVectorsUnderACondition) {
  EXPECT_EQ(cuda_of("alloc v: f32[4] @registers  for n in 0..4 { v[n] = 0.0 }\n"
                    "if (thread.x < M) { copy v[0 .. +4] <- A[thread.x*4 .. +4] @vector(4) }\n"
                    "C[0] = v[0]"),
            R"(alloc v: f32[4] @registers -> __align__(16) float v[4];
for n in 0..4 { -> __align__(16) float v[4];
v[n] = 0.0 -> __align__(16) float v[4];
if (thread.x < M) { -> *reinterpret_cast<float4*>(v) =
copy v[0 .. +4] <- A[thread.x*4 .. +4] @vector(4) -> *reinterpret_cast<float4*>(v) =
C[0] = v[0] -> C[0] = v[0];
)");
}

TEST(StatementLines, OfBarriers) {
  EXPECT_EQ(cuda_of("barrier barrier @warp barrier @warpgroup barrier @named(3, 64)"),
            R"(barrier -> __syncthreads();
barrier @warp -> __syncwarp();
barrier @warpgroup -> warpgroup_barrier();
barrier @named(3, 64) -> named_barrier<3, 64>();
)");
}

TEST(StatementLines, AreSeveralWhereANodeOccursTwice) {
  KernelFunction kernel = parse_kernel(
      "kernel f() grid(1, 1, 1) block(32, 1, 1) @index32 { alloc c: f32[] @registers\n"
      "c[] = 1.0 }");
  const Stmt barrier = make_barrier();
  kernel.body = Seq::make({barrier, kernel.body, barrier});
  const LinedText printed = print_with_lines(kernel);
  EXPECT_EQ(fmt::format("{}", printed.lines.find(barrier.get())->second), "[2, 5]");
  EXPECT_EQ(line_of(printed.text, 5), "barrier");
}

}  // namespace statement_lines_test
}  // namespace hone
