#include <gtest/gtest.h>

#include "codegen/parse_kernel.h"
#include "ir/text/parser.h"
#include "ir/traverse/equal.h"

namespace hone {
namespace kernel_text_test {

constexpr const char* kernel_text =
    R"(kernel scale[M, N](A: f32[M, N], C: f32[M, N] @order(1, 0)) @may_alias grid((N + 31) / 32, M, 1) block(32, 4, 1) @index32 {
  alloc T: f32[4, 32] @shared
  let i = block.y*4 + thread.y
  let j = block.x*32 + thread.x
  if (i < M && j < N) {
    T[thread.y, thread.x] = A[i*N + j]
  }
  barrier
  C[j*M + i] = T[thread.y, thread.x] * 2.0
})";

TEST(KernelText, IsReadBack) {
  const KernelFunction kernel = parse_kernel(kernel_text);
  EXPECT_EQ(to_string(kernel), kernel_text);
  EXPECT_TRUE(equal(parse_kernel(to_string(kernel)).body, kernel.body));
  EXPECT_EQ(kernel.name, "scale");
  EXPECT_EQ(kernel.index_bits, 32);
  EXPECT_TRUE(kernel.may_alias);
  EXPECT_EQ(kernel.arguments[0]->rank(), 2u);
  EXPECT_TRUE(is_int(kernel.block[1], 4));
}

TEST(KernelText, TakesAnEmptyBodyAndWideIndices) {
  const std::string text = "kernel f() grid(1, 1, 1) block(1, 1, 1) @index64 {\n}";
  EXPECT_EQ(to_string(parse_kernel(text)), text);
}

TEST(KernelText, KeepsLaunchBounds) {
  const std::string text = "kernel f() grid(1, 1, 1) block(64, 1, 1) @resident(4) @index32 {\n}";
  EXPECT_EQ(to_string(parse_kernel(text)), text);
  EXPECT_EQ(parse_kernel(text).resident_blocks, 4);
}

TEST(KernelText, IndexesArgumentsFlat) {
  const KernelFunction kernel = parse_kernel(
      "kernel f[M](A: f32[M, 8, 2], s: f32[], v: f32[M]) grid(1, 1, 1) block(1, 1, 1) @index32 "
      "{ A[M*16 - 1] = s[0] + v[0] }");
  const auto* store = llvm::cast<Store>(kernel.body);
  ASSERT_EQ(store->tensor->rank(), 1u);
  const Expr M = ParamRef::make(kernel.params[0]);
  EXPECT_TRUE(equal(store->tensor->shape[0], M * 8 * 2));
  const auto* sum = llvm::cast<Binary>(store->value);
  EXPECT_TRUE(is_int(llvm::cast<Load>(sum->lhs)->tensor->shape[0], 1));
  EXPECT_TRUE(equal(llvm::cast<Load>(sum->rhs)->tensor->shape[0], M));
}

std::string error_of(const std::string& text) {
  try {
    return "accepted: " + to_string(parse_kernels(text).front());
  } catch (const ParseError& error) {
    return llvm::StringRef(error.what()).split('\n').first.str();
  }
}

TEST(KernelText, RefusesAnIncompleteHead) {
  EXPECT_EQ(error_of("func f() { }"), "1:1: expected 'kernel', found 'func'");
  EXPECT_EQ(error_of("kernel f() { }"), "1:12: expected 'grid', found '{'");
  EXPECT_EQ(error_of("kernel f() grid(1, 1) block(1, 1, 1) @index32 { }"),
            "1:12: grid has 3 sizes, found 2");
  EXPECT_EQ(error_of("kernel f() grid(1, 1, 1) block(1, 1, 1) { }"),
            "1:41: expected '@index32' or '@index64', found '{'");
  EXPECT_EQ(error_of("kernel f() grid(1, 1, 1) block(1, 1, 1) @resident(0) @index32 { }"),
            "1:51: a multiprocessor holds a block at least");
  EXPECT_EQ(error_of("kernel f() grid(1, 1, 1) block(1, 1, 1) @index16 { }"),
            "1:42: expected 'index32' or 'index64', found 'index16'");
  EXPECT_EQ(
      error_of("kernel f(A: f32[8, 8]) grid(1, 1, 1) block(1, 1, 1) @index32 { A[0, 0] = 1 }"),
      "1:64: A has 1 dimension and is written with 2 indices");
}

TEST(KernelText, RefusesASecondDeclarationOfANameAtItsPlace) {
  const auto with_body = [](const std::string& body) {
    return error_of("kernel f[n](A: f32[n]) grid(1, 1, 1) block(1, 1, 1) @index32 {\n" + body +
                    " }");
  };
  EXPECT_EQ(with_body("for i in 0..1 { A[0] = 1.0 }\nfor i in 0..1 { A[1] = 1.0 }"),
            "3:5: two axes are named i");
  EXPECT_EQ(with_body("for i in 0..1 {\n  let i = 3\n  A[i] = 1.0 }"), "3:7: two axes are named i");
  EXPECT_EQ(with_body("alloc T: f32[] @registers\nalloc T: f32[] @registers"),
            "3:7: two tensors are named T");
  EXPECT_EQ(with_body("alloc A: f32[] @registers"), "2:7: two tensors are named A");
  EXPECT_EQ(error_of("kernel f[n, n](A: f32[n]) grid(1, 1, 1) block(1, 1, 1) @index32 { }"),
            "1:13: two params are named n");
}

}  // namespace kernel_text_test
}  // namespace hone
