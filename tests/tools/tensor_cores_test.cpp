// Counters of rungs whose warps compute products by tensor cores, and sentences of explain on them.
#include <fstream>

#include "command.h"
#include "llvm/Support/JSON.h"
#include "runtime/nvrtc/nvrtc.h"

namespace hone {
namespace tensor_cores_test {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

/// C = A B of f16, whose result has eight columns.
struct Narrow {
  Expr M, K;
  Tensor A, B, C;
  Axis i, j;
  ReduceAxis k;
  Program program;

  explicit Narrow(const Sizes& fixed)
      : M(size_of(fixed, "M")),
        K(size_of(fixed, "K")),
        A("A", f16, {M, K}),
        B("B", f16, {K, 8}),
        C("C", f32, {M, 8}),
        i("i", M),
        j("j", 8),
        k("k", K),
        program("narrow", C(i, j) = sum(k, cast(f32, A(i, k)) * cast(f32, B(k, j)))) {}
};

/// A thread for each of 16 x 8 results.
void threads(Schedule& s, const Narrow& p) {
  auto [rows, row] = s.split(p.i, 16, {.tail = Tail::pad});
  auto [step, k] = s.split(p.k, 32, {.tail = Tail::pad});
  s.reorder({rows, row, p.j, step, k});
  s.bind(rows, block.x);
  s.bind(row, thread.y);
  s.bind(p.j, thread.x);
  s.cache_registers(p.C, p.j);
  s.cache_shared(p.A, step);
  s.cache_shared(p.B, step);
}

/// A block is one warp, which has 16 x 8 of the result. Tiles of A are four matrices, those of B
/// two.
void matrices(Schedule& s, const Narrow& p) {
  auto [rows, warp_rows] = s.split(p.i, 16, {.tail = Tail::pad});
  auto [warps, row] = s.split(warp_rows, 16);
  auto [columns, column] = s.split(p.j, 8);
  auto [step, of_step] = s.split(p.k, 32, {.tail = Tail::pad});
  auto [k_tile, k] = s.split(of_step, 16);
  s.reorder({rows, warps, step, k_tile, columns, row, column, k});
  s.bind(rows, block.x);
  s.bind(warps, warp);
  auto [upper, lane_row] = s.split(s.axis("i.1.1.init"), 8);
  auto [lane_column, pair] = s.split(s.axis("j.1.init"), 2);
  s.bind({lane_row, lane_column}, lane);
  s.tensorize(row, "mma_m16n8k16_f16");
  s.cache_registers(p.C, warps);
  const Cache A_tile = s.cache_shared(p.A, step, {.layout = Layout().pad(8)});
  const Cache B_tile = s.cache_shared(p.B, step, {.layout = Layout().pad(8)});
  s.tensorize(s.cache_registers(A_tile, k_tile), "ldmatrix_x4_f16");
  s.tensorize(s.cache_registers(B_tile, k_tile), "ldmatrix_x2_trans_f16");
}

Ladder narrow() {
  Ladder ladder;
  ladder.name = "narrow";
  ladder.sizes = {{"M", 64}, {"K", 64}};
  ladder.program = [](const Sizes& fixed) { return Narrow(fixed).program; };
  ladder.rungs = {make_rung<Narrow>("threads", "", RungTarget::gpu, threads),
                  make_rung<Narrow>("matrices", "", RungTarget::gpu, matrices)};
  ladder.rungs.back().builds_on = "threads";
  return ladder;
}

std::string printed(std::vector<std::string> words) {
  const CommandResult result = hone_on({narrow()}, std::move(words));
  EXPECT_EQ(result.complained, "");
  return result.printed;
}

TEST(TensorCores, AreCountedByTheirOperations) {
  const std::string text = printed({"counters", "narrow/matrices"});
  EXPECT_THAT(text, ContainsRegex("\ntensor_operations +65536 .*sm__ops_path_tensor_src_"));
  EXPECT_THAT(text, Not(HasSubstr("\nflops ")));
  EXPECT_THAT(text, HasSubstr(", 2*K operations of tensor cores\n"));
  EXPECT_THAT(text, HasSubstr(" % of the peak of tensor cores; "));
  const std::string all = printed({"counters", "narrow/matrices", "--all"});
  EXPECT_THAT(all, ContainsRegex("\nflops +0 "));
  EXPECT_THAT(all, ContainsRegex("\ntensor_instructions +16 "));  // 2 * 16 * 8 * 16 each
  EXPECT_THAT(printed({"counters", "narrow/threads"}), Not(HasSubstr("tensor")));
}

TEST(TensorCores, AreTheResourceOfARoofline) {
  const std::string path = testing::TempDir() + "gpu_with_tensor_cores.json";
  std::ofstream(path) << R"({"name": "Slow", "arch": "sm_90", "multiprocessors": 4,
 "fp32_per_clock": 128, "clock_ghz": 1.5, "fp32_tflops": 38.4, "tensor_tflops": 0.01,
 "dram_gb_per_s": 2000})";
  const std::string text = printed({"counters", "narrow/matrices", "--gpu=" + path});
  EXPECT_THAT(text, HasSubstr(", by tensor cores; at most 0.01 TFLOP/s, 100 % of the peak of "
                              "tensor cores; "));
  auto json =
      llvm::json::parse(printed({"counters", "narrow/matrices", "--json", "--gpu=" + path}));
  ASSERT_TRUE(bool(json));
  const auto& kernel = *(*json->getAsObject()->getArray("kernels"))[0].getAsObject();
  const auto& roofline = *kernel.getObject("roofline");
  EXPECT_EQ(*roofline.getString("arithmetic"), llvm::StringRef("tensor cores"));
  EXPECT_EQ(*roofline.getString("resource"), llvm::StringRef("tensor cores"));
  EXPECT_EQ(roofline.getNumber("tensor_seconds"), roofline.getNumber("seconds"));
  EXPECT_EQ(*kernel.getObject("per_result")->getString("tensor_operations"),
            llvm::StringRef("2*K"));
}

/// The instructions are inline PTX, which the compiler keeps.
TEST(TensorCores, GetTheirMatricesFromSharedMemory) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const std::string text = printed({"counters", "narrow/matrices"});
  EXPECT_THAT(text, ContainsRegex("shared load +A.shared +kept\n"));
  EXPECT_THAT(text, ContainsRegex("shared load +B.shared +kept\n"));
  EXPECT_THAT(text, ContainsRegex("\nshared_wavefronts +320 +320 "));
  EXPECT_THAT(text, Not(HasSubstr("kept in a register")));
}

TEST(TensorCores, AreTheReasonThatExplainNames) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  EXPECT_THAT(printed({"explain", "narrow/matrices"}),
              ContainsRegex("instructions fall [^\n]* per result, because warps compute products "
                            "by mma_m16n8k16_f16\n"));
  EXPECT_THAT(printed({"explain", "narrow/matrices", "narrow/threads"}),
              HasSubstr("because warps no longer compute products by mma_m16n8k16_f16\n"));
}

}  // namespace tensor_cores_test
}  // namespace hone
