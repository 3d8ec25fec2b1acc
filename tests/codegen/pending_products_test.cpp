// Products that may be pending where a block ends: its memory goes to another one then.
#include <gtest/gtest.h>

#include "codegen/order/wait_groups.h"
#include "codegen/parse_kernel.h"
#include "fmt/format.h"

namespace hone {
namespace pending_products_test {

/// Of a kernel with these statements, in which PRODUCT stands for a group of one product.
bool is_pending_behind(std::string statements) {
  const std::string product = "wgmma_m64n16k64_bf16 C[0, 0, 0] <- A[0, 0], B[0, 0]\ncommit_wgmma\n",
                    word = "PRODUCT";
  for (size_t at; (at = statements.find(word)) != std::string::npos;)
    statements.replace(at, word.size(), product);
  const KernelFunction kernel = parse_kernel(fmt::format(
      R"(kernel f[n]() grid(1, 1, 1) block(128, 1, 1) @index32 {{
           alloc A: bf16[64, 64] @shared(0) @align(1024)
           alloc B: bf16[16, 64] @shared(8192) @align(1024)
           alloc C: f32[2, 2, 2] @registers
           {}
         }})",
      statements));
  return may_be_pending_at_end(kernel.body, groups_in(kernel.body).front());
}

TEST(PendingAtTheEnd, AreProductsThatNoWaitHasEnded) {
  EXPECT_TRUE(is_pending_behind("PRODUCT"));
  EXPECT_TRUE(is_pending_behind("PRODUCT wait_wgmma 1"));
  EXPECT_TRUE(is_pending_behind("PRODUCT wait_wgmma 0\n PRODUCT"));
  EXPECT_FALSE(is_pending_behind("PRODUCT wait_wgmma 0"));
  EXPECT_FALSE(is_pending_behind("PRODUCT wait_wgmma 1\n PRODUCT wait_wgmma 0"));
}

TEST(PendingAtTheEnd, AreProductsWhoseWaitMayBeLeftOut) {
  EXPECT_TRUE(is_pending_behind("PRODUCT if (n > 4) { wait_wgmma 0 }"));
  EXPECT_FALSE(is_pending_behind("if (n > 4) { PRODUCT wait_wgmma 0 }"));
  EXPECT_TRUE(is_pending_behind("PRODUCT for k in 0..n { wait_wgmma 0 }"));
  EXPECT_FALSE(is_pending_behind("PRODUCT for k in 0..4 { wait_wgmma 0 }"));
}

TEST(PendingAtTheEnd, AreThoseOfTheLastIteration) {
  EXPECT_TRUE(is_pending_behind("for k in 0..n { wait_wgmma 0\n PRODUCT }"));
  EXPECT_FALSE(is_pending_behind("for k in 0..n { PRODUCT wait_wgmma 0 }"));
  EXPECT_FALSE(is_pending_behind("for k in 0..n { wait_wgmma 1\n PRODUCT } wait_wgmma 0"));
}

/// A body that ends no work leaves it as it was before the loop, however often it runs.
TEST(PendingAtTheEnd, AreThoseFromBeforeALoop) {
  const char* const body = "for k in 0..4 { if (k > 1) { wait_wgmma 0 } wait_wgmma 1 }";
  EXPECT_TRUE(is_pending_behind(fmt::format("PRODUCT {}", body)));
  EXPECT_FALSE(is_pending_behind(fmt::format("PRODUCT wait_wgmma 0\n {}", body)));
  EXPECT_TRUE(is_pending_behind("PRODUCT for k in 0..4 { for j in 0..n { wait_wgmma 0 } }"));
}

}  // namespace pending_products_test
}  // namespace hone
