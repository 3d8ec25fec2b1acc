// Loops over lanes and warps as CUDA: digits of the number of a thread.
#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "dsl/schedule.h"
#include "gtest/gtest.h"

namespace hone {
namespace units_test {

/// The text behind the comments of a kernel.
std::string body_of(const std::string& text) { return text.substr(text.find("extern")); }

TEST(UnitsText, AreDigitsOfTheLaneAndOfTheWarp) {
  const Param M("M"), N("N");
  const Axis i("i", M), j("j", N);
  const Tensor A("A", f32, {M, N}), C("C", f32, {M, N});
  Schedule s(Program("twice", C(i, j) = A(i, j) * 2.0f));
  auto [by, bx, rows, columns] = s.tile({i, j}, {64, 64});
  auto [wy, row] = s.split(rows, 32);
  auto [y, u] = s.split(row, 8);
  auto [wx, column] = s.split(columns, 32);
  auto [x, v] = s.split(column, 4);
  s.reorder({wy, wx, y, x, u, v});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind({wy, wx}, warp);
  s.bind({y, x}, lane);
  const Module module = lower(s.function());
  EXPECT_EQ(body_of(emit_cuda(module.kernels[0])), R"(extern "C" __global__ void
twice(const float* __restrict__ A, float* __restrict__ C, int M, int N) {
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int i_1_0 = warp / 2;
  const int j_1_0 = warp % 2;
  const int i_1_1_0 = lane / 8;
  const int j_1_1_0 = lane % 8;
  const int i_base = blockIdx.y * 64 + i_1_0 * 32 + i_1_1_0 * 8;
  const int j_base = blockIdx.x * 64 + j_1_0 * 32 + j_1_1_0 * 4;
  for (int i_1_1_1 = 0; i_1_1_1 < 8; ++i_1_1_1) {
    if (i_base + i_1_1_1 < M) {
      for (int j_1_1_1 = 0; j_1_1_1 < 4; ++j_1_1_1) {
        if (j_base + j_1_1_1 < N) {
          C[(i_base + i_1_1_1) * N + j_base + j_1_1_1] = A[(i_base + i_1_1_1) * N + j_base + j_1_1_1] * 2.0f;
        }
      }
    }
  }
}
)");
}

}  // namespace units_test
}  // namespace hone
