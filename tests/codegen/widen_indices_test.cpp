// The index arithmetic that gets 64 bits, in kernels and in C.
#include <gtest/gtest.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "ir/text/parser.h"

namespace hone {
namespace widen_indices_test {

/// The line of the CUDA text that stores to C, of threads i in 0..`extent` that do `store`.
std::string stored(const std::string& extent, const std::string& store, int index_bits = 0) {
  const Function function =
      parse_function("func f[n](A: f32[n], C: f32[" + extent + "]) { for b in 0..(" + extent +
                     " + 255) / 256 @block.x { for t in 0..256 @thread.x { if (b*256 + t < " +
                     extent + ") { C[b*256 + t] = " + store + " } } } }");
  const std::string text = emit_cuda(lower(function, {index_bits}).kernels[0]);
  const llvm::StringRef line = llvm::StringRef(text).split("C[").second.split(" = ").second;
  return line.split(";\n").first.str();
}

const std::string i = "(b*256 + t)";

TEST(WidenIndices, WhatOutgrowsEverySizeIsWide) {
  EXPECT_EQ(stored("n", "A[" + i + "*" + i + " % n]"),
            "A[((long long)b * 256 + t) * (b * 256 + t) % n]");
}

TEST(WidenIndices, OneOperandMakesAProductWide) {
  EXPECT_EQ(stored("n", "A[(" + i + "*" + i + "*" + i + " + 7) % n]"),
            "A[(((long long)b * 256 + t) * (b * 256 + t) * (b * 256 + t) + 7) % n]");
}

TEST(WidenIndices, WhatGrowsLikeTheSizesStaysNarrow) {
  EXPECT_EQ(stored("n", "A[(" + i + "*3 + 1) % n]"), "A[(b * 768 + t * 3 + 1) % n]");
  EXPECT_EQ(stored("n*n", "A[" + i + " % n] + A[" + i + " / n]"),
            "A[(b * 256 + t) % n] + A[(b * 256 + t) / n]");
}

TEST(WidenIndices, ConstantSizesSayWhatFits) {
  EXPECT_EQ(stored("46341", "A[" + i + "*" + i + " % 46341]"),
            "A[(b * 256 + t) * (b * 256 + t) % 46341]");
  EXPECT_EQ(stored("46342", "A[" + i + "*" + i + " % 46342]"),
            "A[((long long)b * 256 + t) * (b * 256 + t) % 46342]");
  EXPECT_EQ(stored("65536", "select(" + i + "*" + i + " < 65536, A[" + i + "*" + i + "], 0.0)"),
            "((long long)b * 256 + t) * (b * 256 + t) < 65536 ? A[(b * 256 + t) * (b * 256 + t)] : "
            "0.0f");
}

TEST(WidenIndices, LiteralsAreAsWideAsTheyHaveToBe) {
  EXPECT_EQ(stored("n", "A[(" + i + " + 5000000000) % n]"), "A[(b * 256 + t + 5000000000LL) % n]");
  EXPECT_EQ(stored("n", "A[(1 << " + i + " % 40) % n]"), "A[(1LL << (b * 256 + t) % 40) % n]");
  EXPECT_EQ(stored("n", "A[(1 << " + i + " % 30) % n]"), "A[(1 << (b * 256 + t) % 30) % n]");
  EXPECT_EQ(stored("n", "A[min(" + i + "*" + i + ", 9) % n]"),
            "A[min(((long long)b * 256 + t) * (b * 256 + t), 9LL) % n]");
}

TEST(WidenIndices, AWideKernelHasNarrowLiterals) {
  EXPECT_EQ(stored("n", "A[(1 << " + i + " % 40) % n]", 64), "A[(1LL << (b * 256 + t) % 40) % n]");
  EXPECT_EQ(stored("n", "A[" + i + "*" + i + " % n]", 64), "A[(b * 256 + t) * (b * 256 + t) % n]");
}

TEST(WidenIndices, ElementsOfATensorLeadIntoIt) {
  const auto text = [](const std::string& type) {
    const std::string cuda =
        emit_cuda(lower(parse_function("func f[M, N](A: f32[M, N], k: " + type +
                                       "[N], C: f32[N]) { for j in 0..N @block.x { C[j] = "
                                       "A[index(k[j]), j] } }"))
                      .kernels[0]);
    return llvm::StringRef(cuda).split("C[j] = ").second.split(";\n").first.str();
  };
  EXPECT_EQ(text("i32"), "A[k[j] * N + j]");
  EXPECT_EQ(text("i64"), "A[k[j] * N + j]");
  EXPECT_EQ(text("f32"), "A[truncated_i64(k[j]) * N + j]");
}

TEST(WidenIndices, TheHostShiftsLongs) {
  const Function function = parse_function(
      "func f[n](A: f32[n], C: f32[n]) { for i in 0..n { C[i] = A[(1 << i % 40) % n] } }");
  const std::string text = emit_c(lower_host(function).kernels[0]);
  EXPECT_EQ(llvm::StringRef(text).split("C[i] = ").second.split(";\n").first.str(),
            "A[(1LL << i % 40) % n]");
}

TEST(WidenIndices, AWideningIsReadBack) {
  const std::string text =
      "kernel f[n](A: f32[n]) grid(1, 1, 1) block(64, 1, 1) @index32 {\n"
      "  let i = thread.x\n"
      "  A[index(i64(i))*i % n] = A[(index(1i64) << i) % n]\n"
      "}";
  EXPECT_EQ(to_string(parse_kernel(text)), text);
}

}  // namespace widen_indices_test
}  // namespace hone
