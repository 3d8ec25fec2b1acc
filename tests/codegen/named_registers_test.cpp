// Named values in kernels, and in their text.
#include <gmock/gmock.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "dsl/schedule.h"
#include "ir/text/parser.h"

namespace hone {
namespace named_registers_test {

using testing::HasSubstr;
using testing::Not;

KernelFunction lowered(const std::string& text) {
  return lower(parse_function(text)).kernels.front();
}

TEST(NamedRegisters, AreSetBeforeTheStore) {
  const KernelFunction kernel = lowered(R"(func f[N](A: f32[N], s: f32[], C: f32[N]) {
    for i in 0..N @block.x {
      let x = f32(i) * s[]
      let y = x + A[i]
      C[i] = x * y
    }
  })");
  EXPECT_EQ(to_string(kernel),
            R"(kernel f[N](A: f32[N], s: f32[], C: f32[N]) grid(N, 1, 1) block(1, 1, 1) @index32 {
  let i = block.x
  alloc x: f32[] @value
  x[] = f32(i) * s[0]
  alloc y: f32[] @value
  y[] = x[] + A[i]
  C[i] = x[] * y[]
})");
  EXPECT_EQ(to_string(parse_kernel(to_string(kernel))), to_string(kernel));
  EXPECT_THAT(emit_cuda(kernel), HasSubstr("  const int i = blockIdx.x;\n"
                                           "  const float x = (float)(i) * s[0];\n"
                                           "  const float y = x + A[i];\n"
                                           "  C[i] = x * y;\n"));
}

/// A is not read where the condition does not hold.
TEST(NamedRegisters, AreNoneOfValuesThatOnlyOneSideNeeds) {
  const std::string cuda = emit_cuda(lowered(R"(func f[N](A: f32[N], n: i32[N], C: f32[N]) {
    for i in 0..N @block.x {
      let before = A[i - 1]
      let share = 8i32 / n[i]
      let twice = f32(i) * 2.0
      C[i] = select(i > 0, before * before + f32(share), twice * twice)
    }
  })"));
  EXPECT_THAT(cuda, HasSubstr("  const float twice = (float)(i) * 2.0f;\n"
                              "  C[i] = i > 0 ? A[i - 1] * A[i - 1] + (float)(8 / n[i]) : twice * "
                              "twice;\n"));
}

TEST(NamedRegisters, AreOfValuesThatAreNeededAnyhow) {
  const std::string cuda = emit_cuda(lowered(R"(func f[N](A: f32[N], C: f32[N]) {
    for i in 0..N @block.x {
      let x = A[i]
      let root = sqrt(x)
      C[i] = select(x > 0.0 && root < 9.0, root, x)
    }
  })"));
  EXPECT_THAT(cuda, HasSubstr("  const float x = A[i];\n"
                              "  const float root = sqrtf(x);\n"
                              "  C[i] = (x > 0.0f && root < 9.0f) ? root : x;\n"));
}

TEST(NamedRegisters, HaveNamesOfTheirOwn) {
  const Tensor A("A", f32, {8}), C("C", f32, {8});
  const Axis i("i", 8);
  const Expr x = let("float", A(i)), y = let("C", x + 1.0), z = let("i", y * 2.0);
  Schedule s(Program("f", C(i) = x * y * z));
  s.bind(i, thread.x);
  EXPECT_THAT(emit_cuda(lower(s.function()).kernels.front()),
              HasSubstr("  const int i = threadIdx.x;\n"
                        "  const float float_ = A[i];\n"
                        "  const float C_2 = float_ + 1.0f;\n"
                        "  const float i_2 = C_2 * 2.0f;\n"
                        "  C[i] = float_ * C_2 * i_2;\n"));
}

TEST(NamedRegisters, AreSetForEachElementOfAVector) {
  const std::string cuda = emit_cuda(lowered(R"(func f(A: f32[64], C: f32[64]) {
    for i in 0..16 @thread.x {
      for v in 0..4 @vectorize {
        let x = A[i*4 + v] + 1.0
        C[i*4 + v] = x * x
      }
    }
  })"));
  EXPECT_THAT(cuda, HasSubstr("    const float x = A_vec[v] + 1.0f;\n"
                              "    C_vec[v] = x * x;\n"));
}

TEST(NamedRegisters, LeaveProductsToTensorCores) {
  const Tensor A("A", bf16, {32, 32}), B("B", bf16, {32, 32}), C("C", f32, {32, 32});
  const Axis i("i", 32), j("j", 32);
  const ReduceAxis k("k", 32);
  const Expr a = let("a", cast(f32, A(i, k))), b = let("b", cast(f32, B(k, j)));
  Schedule s(Program("f", C(i, j) = sum(k, let("product", a * b))));
  auto [warp_row, tile_column, y, x] = s.tile({i, j}, {16, 8});
  auto [k_tile, of_tile] = s.split(k, 16);
  s.reorder({warp_row, k_tile, tile_column, y, x, of_tile});
  s.bind(warp_row, warp);
  auto [upper, lane_row] = s.split(s.axis("i.1.init"), 8);
  auto [lane_column, pair] = s.split(s.axis("j.1.init"), 2);
  s.bind({lane_row, lane_column}, lane);
  s.tensorize(y, "mma_m16n8k16_bf16");
  s.cache_registers(C, warp_row);
  for (const Tensor& operand : {A, B}) s.cache_registers(s.cache_shared(operand, warp_row), k_tile);
  const std::string kernel = to_string(lower(s.function()).kernels.front());
  EXPECT_THAT(kernel, HasSubstr("mma_m16n8k16_bf16 "));
  EXPECT_THAT(kernel, Not(HasSubstr("@value")));
}

}  // namespace named_registers_test
}  // namespace hone
