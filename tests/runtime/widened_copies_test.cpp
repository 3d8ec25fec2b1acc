// Schedules without a word about vectors, of sizes that allow them.

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "dsl/schedule.h"
#include "gtest/gtest.h"
#include "runtime/compile.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/codegen/races.h"

namespace hone {
namespace widened_copies_test {

/// C = A B for square matrices of `size`, in tiles of 64 x 64 for 256 threads of 4 x 4 elements,
/// 16 products deep.
struct TiledMatmul {
  Tensor A, B, C;
  Axis i, j;
  ReduceAxis k;
  Program program;
  Schedule s;

  /// `is_fused`: blocks and threads have one dimension.
  TiledMatmul(const Expr& size, DType type, bool is_fused = false)
      : A("A", type, {size, size}),
        B("B", type, {size, size}),
        C("C", type, {size, size}),
        i("i", size),
        j("j", size),
        k("k", size),
        program("matmul", C(i, j) = sum(k, A(i, k) * B(k, j))),
        s(program) {
    auto [by, bx, ti, tj] = s.tile({i, j}, {64, 64});
    auto [ty, tx, y, x] = s.tile({ti, tj}, {4, 4});
    auto [ko, ki] = s.split(k, 16);
    s.reorder({by, bx, ty, tx, ko, ki, y, x});
    const Axis blocks = is_fused ? s.fuse(by, bx) : bx, threads = is_fused ? s.fuse(ty, tx) : tx;
    if (!is_fused) s.bind(by, block.y);
    if (!is_fused) s.bind(ty, thread.y);
    s.bind(blocks, block.x);
    s.bind(threads, thread.x);
    s.cache_registers(C, threads);
    s.cache_shared(A, ko);
    s.cache_shared(B, ko);
  }

  KernelFunction kernel() const { return lower(s).kernels.front(); }
};

template <class T>
std::vector<T> small_numbers(int64_t size) {
  std::vector<T> values(static_cast<size_t>(size * size));
  for (size_t n = 0; n < values.size(); ++n) values[n] = T(static_cast<int>(n * 7 % 11) - 5);
  return values;
}

/// Runs the schedule and the program without one; sums of small numbers are exact.
template <class T>
void expect_right(const TiledMatmul& p, int64_t size) {
  const auto values = small_numbers<T>(size);
  const auto result_of = [&](const Function& function, const Device& device) {
    const Array<T> a(values, {size, size}), b(values, {size, size}), c({size, size});
    compile(function, {.device = device})(a, b, c);
    return c.to_vector();
  };
  EXPECT_EQ(result_of(p.s, Device::simulated()), result_of(Schedule(p.program), Device::host()));
}

size_t count(llvm::StringRef text, llvm::StringRef part) { return text.count(part); }

TEST(WidenedCopies, TilesOfConstantSizesMoveInVectors) {
  const TiledMatmul p(256, f32);
  const std::string text = emit_cuda(p.kernel());
  EXPECT_EQ(count(text, "*reinterpret_cast<float4*>(&A_shared["), 1u) << text;
  EXPECT_EQ(count(text, "*reinterpret_cast<float4*>(&B_shared["), 1u) << text;
  EXPECT_EQ(count(text, "*reinterpret_cast<const float4*>(&A["), 1u) << text;
  EXPECT_EQ(count(text, "*reinterpret_cast<float4*>(&C["), 1u) << text;
  expect_right<float>(p, 256);
}

TEST(WidenedCopies, FollowFusedBlocksAndThreads) {
  const TiledMatmul p(128, f32, true);
  const std::string text = emit_cuda(p.kernel());
  EXPECT_EQ(count(text, "*reinterpret_cast<float4*>(&A_shared["), 1u) << text;
  EXPECT_EQ(count(text, "*reinterpret_cast<float4*>(&B_shared["), 1u) << text;
  expect_right<float>(p, 128);
}

TEST(WidenedCopies, AreAsWideAsTheSizesAllow) {
  const TiledMatmul p(250, f32);
  const std::string text = emit_cuda(p.kernel());
  EXPECT_EQ(count(text, "float4"), 0u) << text;
  EXPECT_EQ(count(text, "*reinterpret_cast<float2*>(&A_shared["), 1u) << text;
  expect_right<float>(p, 250);
}

TEST(WidenedCopies, LeaveElementsAloneWhereSizesAreOddOrUnknown) {
  for (const Expr& size : {Expr(255), Expr(Param("N"))}) {
    const TiledMatmul p(size, f32);
    EXPECT_EQ(count(emit_cuda(p.kernel()), "reinterpret_cast"), 0u) << emit_cuda(p.kernel());
    expect_right<float>(p, 255);
  }
}

TEST(WidenedCopies, OfDoublesMoveTwo) {
  const TiledMatmul p(128, f64);
  EXPECT_EQ(count(emit_cuda(p.kernel()), "*reinterpret_cast<double2*>(&A_shared["), 1u);
  expect_right<double>(p, 128);
}

TEST(WidenedCopies, HaveNoRaces) {
  for (const int64_t size : {128, 66}) {
    const KernelFunction kernel = TiledMatmul(size, f32).kernel();
    EXPECT_EQ(find_race(kernel, {}), std::nullopt) << to_string(kernel);
  }
}

TEST(WidenedCopies, CompileForEveryArchitecture) {
  ASSERT_TRUE(nvrtc_info()) << nvrtc_missing();
  for (const int64_t size : {256, 250})
    for (const char* arch : {"sm_75", "sm_80", "sm_90", "sm_120"}) {
      const KernelFunction kernel = TiledMatmul(size, f32).kernel();
      const Compiled compiled = nvrtc_compile({emit_cuda(kernel), kernel.name, arch, {}, ""});
      EXPECT_FALSE(compiled.cubin.empty()) << arch;
      ASSERT_EQ(compiled.kernels.size(), 1u) << arch;
      EXPECT_EQ(compiled.kernels.front().spill_store_bytes, 0) << arch;
    }
}

}  // namespace widened_copies_test
}  // namespace hone
