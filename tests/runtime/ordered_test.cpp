// Loops that keep the order of their statements, on the devices and in the machine's hands.
#include <gtest/gtest.h>

#include <regex>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "gmock/gmock.h"
#include "runtime/nvrtc/nvrtc.h"
#include "runtime/shared_limit.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/product.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace ordered_test {

using testing::HasSubstr;

/// A product with tiles of 32 x 32 for two warps, 4 deep; a thread has 4 x 4 elements.
struct Product : ProductProgram {
  Schedule scheduled(int64_t vector = 4) const {
    Schedule s(program);
    auto [by, bx, y, x] = s.tile({s.axis(C, i), s.axis(C, j)}, {32, 32});
    auto [ty, tx, row, column] = s.tile({y, x}, {4, 4});
    auto [ko, ki] = s.split(k, 4);
    s.reorder({by, bx, ty, tx, ko, ki, row, column});
    s.bind(by, block.y);
    s.bind(bx, block.x);
    s.bind({ty, tx}, thread.x);
    s.cache_registers(C, tx);
    const Cache A_shared = s.cache_shared(A, ko, {.layout = Layout::column_major()});
    const Cache B_shared = s.cache_shared(B, ko);
    s.cache_registers(A_shared, ki, {.vectorize = vector});
    s.cache_registers(B_shared, ki, {.vectorize = vector});
    s.unroll(ki);
    s.serpentine(row, {column});
    s.keep_order(ki);
    return s;
  }
};

KernelFunction kernel_of(const Schedule& schedule) {
  return lower(schedule.function()).kernels.front();
}

TEST(Ordered, ComputesWhatTheProgramSays) {
  const Product product;
  for (const Sizes& sizes : std::initializer_list<Sizes>{{{"M", 1}, {"N", 1}, {"K", 1}},
                                                         {{"M", 31}, {"N", 33}, {"K", 0}},
                                                         {{"M", 64}, {"N", 32}, {"K", 16}},
                                                         {{"M", 67}, {"N", 37}, {"K", 13}}})
    expect_as_meant(product.program, product.scheduled(), sizes,
                    random_buffers(product.program.function(), sizes, 3));
}

TEST(Ordered, StatementsAreCallsOfOneInstruction) {
  const std::string text = emit_cuda(kernel_of(Product().scheduled()));
  EXPECT_THAT(text, HasSubstr("// ptxas -O1: statements keep their order\n"));
  EXPECT_THAT(text, HasSubstr(R"(asm volatile("fma.rn.f32 %0, %1, %2, %0;")"));
  EXPECT_THAT(text, HasSubstr(R"(asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];")"));
  EXPECT_THAT(text, HasSubstr("load_shared_4(B_reg, B_shared_at + k_1 * 128);"));
  EXPECT_THAT(text, HasSubstr("multiply_add(C_reg[i_1_1][j_1_1_turn], A_reg[i_1_1], "
                              "B_reg[j_1_1_turn]);"));
  EXPECT_THAT(emit_cuda(kernel_of(Product().scheduled(1))), HasSubstr("load_shared_1("));
}

TEST(Ordered, TheMachineCodeIsMadeWithTheOrderLeftAlone) {
  const Product product;
  EXPECT_EQ(options_of(kernel_of(product.scheduled())),
            std::vector<std::string>{"--ptxas-options=-O1"});
  Schedule plain(product.program);
  plain.bind(plain.axis(product.C, product.i), block.x);
  EXPECT_TRUE(options_of(lower(plain.function())).empty());
}

/// The operands of the multiply-adds of a PTX text, in its order: those of `%f3, %f1, %f2, %f3`.
std::vector<std::pair<std::string, std::string>> products_in(const std::string& ptx) {
  const std::regex product(R"(fma\.rn\.f32 %f\d+, (%f\d+), (%f\d+), %f\d+;)");
  std::vector<std::pair<std::string, std::string>> products;
  for (std::sregex_iterator match(ptx.begin(), ptx.end(), product), end; match != end; ++match)
    products.emplace_back((*match)[1], (*match)[2]);
  return products;
}

/// Neighbours share the element of A in a row, and that of B where a row turns.
TEST(Ordered, NeighboursInPtxShareAnOperand) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const KernelFunction kernel = kernel_of(Product().scheduled());
  const Compiled compiled =
      nvrtc_compile({emit_cuda(kernel), "product", "sm_90", options_of(kernel), ""});
  EXPECT_TRUE(compiled.warnings.empty());
  EXPECT_FALSE(compiled.kernels.front().spills());
  const auto products = products_in(compiled.ptx);
  ASSERT_EQ(products.size(), 4u * 16) << compiled.ptx;
  for (size_t n = 1; n < products.size(); ++n) {
    const auto& [x, y] = products[n];
    const auto& [before_x, before_y] = products[n - 1];
    const bool is_first_of_k = n % 16 == 0, is_first_of_row = n % 4 == 0;
    if (is_first_of_k) continue;
    EXPECT_EQ(x == before_x, !is_first_of_row) << n;
    EXPECT_EQ(y == before_y, is_first_of_row) << n;
  }
}

}  // namespace ordered_test
}  // namespace hone
