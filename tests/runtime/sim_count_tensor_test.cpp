// Counts of instructions that a warp issues together: products by tensor cores, and loads of
// matrices. All come from the records of the instructions.
#include <gtest/gtest.h>

#include "codegen/cost/static_facts.h"
#include "fmt/format.h"
#include "ir/threads/tensor_operations.h"
#include "tests/support/runtime/counted.h"

namespace hone {
namespace sim_count_tensor_test {

/// A kernel of two warps and two blocks that issues the instruction twice.
std::string products(const char* word, const char* type, const char* result, int left, int right) {
  return fmt::format(R"(
kernel k[N](C: {2}[N]) grid(2, 1, 1) block(64, 1, 1) @index32 {{
  alloc c: {2}[4] @registers
  alloc a: {1}[{3}] @registers
  alloc b: {1}[{4}] @registers
  for v in 0..4 @unroll {{ c[v] = {2}(0) }}
  for v in 0..{3} @unroll {{ a[v] = {1}(0) }}
  for v in 0..{4} @unroll {{ b[v] = {1}(0) }}
  for n in 0..2 {{
    {0} c[0] <- a[0], b[0]
  }}
  C[block.x*64 + thread.x] = c[0]
}})",
                     word, type, result, left, right);
}

TEST(CountTensorOperations, AreThoseOfTheMeaning) {
  const std::string text = products("mma_m16n8k16_bf16", "bf16", "f32", 8, 4);
  const CountReport report = count_text(text, {{"N", 128}});
  constexpr int64_t issued = 2 * 2 * 2;
  EXPECT_EQ(report.tensor_instructions, issued);
  EXPECT_EQ(report.tensor_operations, issued * 2 * 16 * 8 * 16);
  EXPECT_EQ(report.tensor_flops, report.tensor_operations);
  EXPECT_EQ(report.flops, report.tensor_operations);
  EXPECT_EQ(report.double_flops, 0);
  const StaticFacts facts = static_facts(parse_kernel(text));
  EXPECT_EQ(to_string(facts.tensor_operations_per_thread), "256");
  EXPECT_EQ(to_string(facts.tensor_operations_per_result), "32768/N");
}

TEST(CountTensorOperations, GrowWithTheShape) {
  const CountReport report =
      count_text(products("mma_m16n8k8_f16", "f16", "f32", 4, 2), {{"N", 128}});
  EXPECT_EQ(report.tensor_operations, 8 * 2 * 16 * 8 * 8);
}

/// A product of tf32 takes as long as two of bf16, or four of e4m3.
TEST(CountTensorOperations, TakeTheTimeOfTheirBytes) {
  const CountReport wide =
      count_text(products("mma_m16n8k8_tf32", "tf32", "f32", 4, 2), {{"N", 128}});
  EXPECT_EQ(wide.tensor_flops, wide.tensor_operations);
  EXPECT_EQ(wide.tensor_half_flops, 2 * wide.tensor_flops);
  const CountReport narrow =
      count_text(products("mma_m16n8k32_e4m3", "f8e4m3", "f32", 16, 8), {{"N", 128}});
  EXPECT_EQ(narrow.tensor_flops, 8 * 2 * 16 * 8 * 32);
  EXPECT_EQ(2 * narrow.tensor_half_flops, narrow.tensor_flops);
}

TEST(CountTensorOperations, OfIntegersAreNoFlops) {
  const CountReport report =
      count_text(products("mma_m16n8k32_s8", "i8", "i32", 16, 8), {{"N", 128}});
  EXPECT_EQ(report.tensor_instructions, 8);
  EXPECT_EQ(report.tensor_operations, 8 * 2 * 16 * 8 * 32);
  EXPECT_EQ(report.tensor_flops, 0);
  EXPECT_EQ(report.flops, 0);
}

TEST(CountTensorOperations, StandBesideOtherOperations) {
  std::string text = products("mma_m16n8k16_bf16", "bf16", "f32", 8, 4);
  text.replace(text.find("= c[0]"), 6, "= c[0] * 2.0");
  const CountReport report = count_text(text, {{"N", 128}});
  EXPECT_EQ(report.flops - report.tensor_flops, 128);
  for (const Counter& counter : counters())
    if (std::string(counter.name) == "flops") {
      EXPECT_EQ(counter.value(report), 128);
    }
}

// ---- Loads of matrices --------------------------------------------------------------------------

/// A warp that loads a matrix of 16 rows of shared memory, which lie so many elements apart.
std::string matrix_load(const char* word, int values, int pitch, const char* column) {
  return fmt::format(R"(
kernel k[N](C: f16[N]) grid(1, 1, 1) block(32, 1, 1) @index32 {{
  let lane = thread.x % 32
  alloc s: f16[16, {2}] @shared
  alloc r: f16[{1}] @registers
  {0} r[0] <- s[lane % 16, {3}]
  C[thread.x] = r[0]
}})",
                     word, values, pitch, column);
}

MemoryCounts loads_of(const std::string& text) {
  return count_text(text, {{"N", 32}}).total(AccessClass::shared_load);
}

/// Four matrices of eight rows, each of which fills the banks once.
TEST(CountMatrixLoads, AreOneRequestOf16BytesALane) {
  for (const char* word : {"ldmatrix_x4_f16", "ldmatrix_x4_trans_f16"}) {
    const MemoryCounts loads = loads_of(matrix_load(word, 8, 24, "lane / 16*8"));
    EXPECT_EQ(loads.requests, 1) << word;
    EXPECT_EQ(loads.bytes, 32 * 16) << word;
    EXPECT_EQ(loads.wavefronts, 4) << word;
    EXPECT_EQ(loads.ideal_wavefronts, 4) << word;
  }
}

/// Rows of 32 bytes are in the same banks four rows on, and those of 128 bytes all are.
TEST(CountMatrixLoads, HaveConflictsWithoutPadding) {
  EXPECT_EQ(loads_of(matrix_load("ldmatrix_x4_f16", 8, 16, "lane / 16*8")).wavefronts, 8);
  EXPECT_EQ(loads_of(matrix_load("ldmatrix_x4_f16", 8, 64, "lane / 16*8")).wavefronts, 32);
}

/// Two matrices: sixteen lanes say where rows are.
TEST(CountMatrixLoads, AskForTheRowsOfHalfTheLanes) {
  const std::string text = matrix_load("ldmatrix_x2_trans_f16", 4, 24, "0");
  const MemoryCounts loads = loads_of(text);
  EXPECT_EQ(loads.requests, 1);
  EXPECT_EQ(loads.bytes, 16 * 16);
  EXPECT_EQ(loads.wavefronts, 2);
  EXPECT_EQ(loads.ideal_wavefronts, 2);
  EXPECT_EQ(to_string(static_facts(parse_kernel(text)).per_thread.shared_loads), "4");
}

TEST(CountMatrixLoads, AreNoProducts) {
  const CountReport report =
      count_text(matrix_load("ldmatrix_x4_f16", 8, 24, "lane / 16*8"), {{"N", 32}});
  EXPECT_EQ(report.tensor_operations, 0);
  EXPECT_EQ(report.tensor_instructions, 0);
}

}  // namespace sim_count_tensor_test
}  // namespace hone
