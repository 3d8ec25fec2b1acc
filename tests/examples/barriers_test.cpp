// The barriers of every rung: as many as are pinned here, none missing, none redundant.

#include "tests/support/codegen/barriers.h"

#include "codegen/lower.h"
#include "ir/opcodes/opcodes.h"
#include "ir/traverse/visit.h"
#include "tests/support/codegen/races.h"
#include "tests/support/examples/rungs.h"
#include "tests/support/runtime/judged.h"
#include "tools/cli/judge/problem.h"

namespace hone {
namespace barriers_test {

/// Barriers in the text of a rung's kernels, and sizes at which each of them is needed: more than
/// one tile in each dimension, and tiles that stick out.
struct Expected {
  int barriers;
  Sizes sizes;
};

Sizes mnk(int64_t M, int64_t N, int64_t K) { return {{"M", M}, {"N", N}, {"K", K}}; }
Sizes mn(int64_t M, int64_t N) { return {{"M", M}, {"N", N}}; }
Sizes batch_of(int64_t batch, Sizes sizes) {
  sizes["batch"] = batch;
  return sizes;
}
Sizes grouped(int64_t tiles, int64_t groups, int64_t N, int64_t K) {
  return {{"tiles", tiles}, {"groups", groups}, {"N", N}, {"K", K}};
}
Sizes hw(int64_t H, int64_t W) { return {{"H", H}, {"W", W}}; }
Sizes images(int64_t batch, int64_t H, int64_t W, int64_t C, int64_t O) {
  return {{"batch", batch}, {"H", H}, {"W", W}, {"C", C}, {"O", O}};
}

/// A tile in shared memory takes one barrier behind its filling. A loop over tiles takes another
/// one before the next tile overwrites it.
const std::map<std::string, Expected>& expected_of_matmul() {
  static const std::map<std::string, Expected> expected = {
      {"matmul/one-block", {0, mnk(35, 37, 5)}},
      {"matmul/bind", {0, mnk(35, 37, 5)}},
      {"matmul/global-accumulate", {0, mnk(35, 37, 5)}},
      {"matmul/register-accumulate", {0, mnk(35, 37, 5)}},
      {"matmul/restrict", {0, mnk(35, 37, 5)}},
      {"matmul/thread-4x1", {0, mnk(35, 37, 5)}},
      {"matmul/thread-2x2", {0, mnk(35, 37, 5)}},
      {"matmul/shared-8", {2, mnk(11, 13, 19)}},
      {"matmul/shared-16", {2, mnk(19, 21, 35)}},
      {"matmul/shared-32", {2, mnk(35, 37, 45)}},
      {"matmul/shared-partial-sums", {2, mnk(35, 37, 45)}},
      {"matmul/shared-unrolled-8", {2, mnk(11, 13, 19)}},
      {"matmul/shared-unrolled-16", {2, mnk(19, 21, 35)}},
      {"matmul/shared-unrolled", {2, mnk(35, 37, 45)}},
      {"matmul/shared-unrolled-by-3", {2, mnk(35, 37, 45)}},
      {"matmul/shared-conflicting", {2, mnk(35, 37, 45)}},
      {"matmul/shared-transposed", {2, mnk(35, 37, 45)}},
      {"matmul/shared-unrolled-by-hand", {2, mnk(35, 37, 45)}},
      {"matmul/thread-1d-16", {2, mnk(19, 21, 35)}},
      {"matmul/thread-1d-32", {2, mnk(35, 37, 45)}},
      {"matmul/thread-1d-block", {2, mnk(67, 69, 19)}},
      {"matmul/thread-2d", {2, mnk(131, 133, 19)}},
      {"matmul/vectorized", {2, mnk(131, 132, 20)}},
      {"matmul/warp-tile", {2, mnk(131, 132, 36)}},
      {"matmul/double-buffer", {1, mnk(131, 132, 36)}},
      {"matmul/async-copy", {1, mnk(131, 132, 52)}},
      // One behind the start of the mbarriers. Where tiles stick out, two around the sums in shared
      // memory.
      {"matmul/producer-consumer", {1, mnk(131, 260, 84)}},
      {"matmul/ordered", {3, mnk(131, 260, 84)}},
      {"matmul/tma", {3, mnk(131, 260, 84)}},
      {"matmul/reload", {3, mnk(131, 260, 84)}},
      {"matmul/split-k", {3, mnk(67, 132, 84)}},
      {"matmul/tuned", {3, mnk(131, 132, 52)}},
  };
  return expected;
}

const std::map<std::string, Expected>& expected_of_tensor_cores() {
  static const std::map<std::string, Expected> expected = {
      {"hgemm/global", {0, mnk(35, 37, 5)}},
      {"hgemm/shared-32", {2, mnk(35, 37, 45)}},
      {"hgemm/mma-sync", {2, mnk(131, 136, 72)}},
      {"hgemm/ldmatrix", {2, mnk(131, 136, 72)}},
      {"hgemm/async-copy", {1, mnk(131, 136, 136)}},
      {"hgemm/producer-consumer", {1, mnk(131, 264, 168)}},
      {"hgemm/wgmma", {1, mnk(131, 264, 328)}},
      {"hgemm/persistent", {3, mnk(131, 264, 328)}},
      {"hgemm/deferred", {12, mnk(131, 264, 328)}},
      {"hgemm/tuned", {3, mnk(131, 264, 328)}},
      {"hgemm-nt/global", {0, mnk(35, 37, 5)}},
      {"hgemm-nt/wgmma", {1, mnk(131, 264, 328)}},
      {"hgemm-nt/persistent", {3, mnk(131, 264, 328)}},
      {"hgemm-nt/deferred", {12, mnk(131, 264, 328)}},
      {"hgemm-nt/tuned", {3, mnk(131, 264, 328)}},
      {"hgemm-f16/global", {0, mnk(35, 37, 5)}},
      {"hgemm-f16/tuned", {3, mnk(131, 264, 328)}},
      {"hgemm-batched/global", {0, batch_of(3, mnk(35, 37, 5))}},
      {"hgemm-batched/wgmma", {1, batch_of(3, mnk(131, 264, 328))}},
      {"hgemm-batched/tuned", {3, batch_of(3, mnk(131, 264, 328))}},
      {"hgemm-grouped/global", {0, grouped(3, 2, 37, 5)}},
      {"hgemm-grouped/wgmma", {1, grouped(3, 2, 264, 328)}},
      {"hgemm-grouped/tuned", {3, grouped(3, 2, 264, 328)}},
      {"gemm-bias-gelu/global", {0, mnk(35, 37, 5)}},
      {"gemm-bias-gelu/tuned", {3, mnk(131, 264, 328)}},
      {"igemm-s8/global", {0, mnk(35, 37, 5)}},
      {"igemm-s8/dp4a", {1, mnk(131, 136, 144)}},
      {"igemm-s8/wgmma", {1, mnk(131, 264, 656)}},
      {"igemm-s8/persistent", {1, mnk(131, 264, 656)}},
      {"igemm-s8/tuned", {3, mnk(131, 264, 656)}},
      {"gemm-tf32/global", {0, mnk(35, 37, 5)}},
      {"gemm-tf32/wgmma", {1, mnk(131, 264, 164)}},
      {"gemm-tf32/persistent", {1, mnk(131, 264, 164)}},
      {"gemm-tf32/tuned", {3, mnk(131, 264, 164)}},
      {"gemm-fp8/global", {0, mnk(35, 37, 5)}},
      {"gemm-fp8/wgmma", {1, mnk(131, 264, 656)}},
      {"gemm-fp8/persistent", {3, mnk(131, 264, 656)}},
      {"gemm-fp8/deferred", {12, mnk(131, 264, 656)}},
      {"gemm-fp8/tuned", {3, mnk(131, 264, 656)}},
      {"gemm-fp8-blocks/global", {0, mnk(35, 37, 5)}},
      {"gemm-fp8-blocks/wgmma", {1, mnk(131, 264, 656)}},
      {"gemm-fp8-blocks/persistent", {3, mnk(131, 264, 656)}},
      {"gemm-fp8-blocks/tuned", {3, mnk(131, 264, 656)}},
  };
  return expected;
}

const std::map<std::string, Expected>& expected_of_other_tiles() {
  static const std::map<std::string, Expected> expected = {
      {"matmul-column-major/global", {0, mnk(35, 37, 5)}},
      {"matmul-column-major/shared-32", {2, mnk(35, 37, 45)}},
      {"matmul-column-major/thread-2d", {2, mnk(131, 133, 19)}},
      {"matmul-pitched/global", {0, mnk(35, 37, 5)}},
      {"matmul-pitched/shared-32", {2, mnk(35, 37, 45)}},
      {"matmul-pitched/thread-2d", {2, mnk(131, 133, 19)}},
      {"matmul-pitched-columns/global", {0, mnk(35, 37, 5)}},
      {"matmul-pitched-columns/shared-32", {2, mnk(35, 37, 45)}},
      {"matmul-pitched-columns/thread-2d", {2, mnk(131, 133, 19)}},
      {"matmul-double/global-accumulate", {0, mnk(35, 37, 5)}},
      {"matmul-double/register-accumulate", {0, mnk(35, 37, 5)}},
      {"matmul-double/shared-32", {2, mnk(35, 37, 45)}},
      {"matmul-transposed/global", {0, mnk(35, 37, 5)}},
      {"matmul-transposed/shared-32", {2, mnk(35, 37, 45)}},
      {"matmul-transposed/thread-2d", {2, mnk(131, 133, 19)}},
      {"gemm/global", {0, mnk(35, 37, 5)}},
      {"gemm/shared-32", {2, mnk(35, 37, 45)}},
      {"gemm/thread-2d", {2, mnk(131, 133, 19)}},
      {"gemm/tuned", {3, mnk(131, 132, 52)}},
      {"batched/register-accumulate", {0, batch_of(3, mnk(35, 37, 5))}},
      {"batched/shared-32", {2, batch_of(3, mnk(35, 37, 45))}},
      {"batched/vectorized", {2, batch_of(2, mnk(131, 132, 20))}},
      {"combine/block-major", {0, {{"n", 2000}, {"W", 33}}}},
      {"combine/thread-major", {0, {{"n", 2000}, {"W", 33}}}},
      {"combine/image-2d", {0, {{"n", 2000}, {"W", 33}}}},
      {"combine/vectorized", {0, {{"n", 2000}, {"W", 33}}}},
      {"transpose/naive", {0, mn(35, 37)}},
      {"transpose/tiled", {1, mn(35, 37)}},
      {"transpose/padded", {1, mn(35, 37)}},
      {"transpose/swizzled", {1, mn(35, 37)}},
      {"transpose/vectorized", {1, mn(36, 40)}},
      {"transpose/tile-64", {1, mn(68, 72)}},
      {"transpose/raster", {1, mn(68, 72)}},
      {"transpose/lanes-16x2", {1, mn(68, 72)}},
      {"stencil/global", {0, hw(11, 35)}},
      {"stencil/shared", {1, hw(11, 35)}},
      {"convolution/global", {0, {{"C", 3}, {"O", 2}, {"H", 11}, {"W", 35}}}},
      {"conv2d-nhwc/global", {0, images(2, 3, 9, 5, 33)}},
      {"conv2d-nhwc/wgmma", {1, images(3, 9, 13, 24, 40)}},
      {"conv2d-nhwc/persistent", {3, images(3, 9, 13, 24, 40)}},
      {"conv2d-nhwc/tuned", {3, images(3, 9, 13, 24, 40)}},
      {"convolution/shared", {2, {{"C", 3}, {"O", 11}, {"H", 19}, {"W", 21}}}},
  };
  return expected;
}

/// A tree takes one barrier per level, written out or not, at the start of the loop over levels;
/// where thread 0 does not go on by itself, one in front and one at the end of the loop. Warps that
/// leave their results to one another take one.
const std::map<std::string, Expected>& expected_of_reductions() {
  static const std::map<std::string, Expected> expected = {
      {"reduce/interleaved-modulo", {2, {{"n", 3000}}}},
      {"reduce/interleaved-strided", {2, {{"n", 3000}}}},
      {"reduce/sequential", {2, {{"n", 3000}}}},
      {"reduce/first-add", {2, {{"n", 3000}}}},
      {"reduce/last-warp", {4, {{"n", 3000}}}},
      {"reduce/unrolled", {8, {{"n", 3000}}}},
      {"reduce/grid-stride", {8, {{"n", 3000}}}},
      {"reduce/vectorized", {1, {{"n", 20000}}}},
      {"reduce/last-block", {2, {{"n", 20000}}}},
      {"argmax/tree", {2, {{"n", 3000}}}},
      {"argmax/shuffle", {2, {{"n", 3000}}}},
      {"argmax/vectorized", {1, {{"n", 20000}}}},
      {"argmax/last-block", {2, {{"n", 20000}}}},
      {"softmax/three-pass", {0, mn(3, 1000)}},
      {"softmax/block-reduce", {5, mn(3, 1000)}},
      {"softmax/shuffle", {2, mn(3, 1000)}},
      {"softmax/online", {1, mn(3, 1000)}},
      {"softmax/registers", {2, mn(3, 1000)}},
      {"softmax/vectorized", {2, mn(3, 1000)}},
      {"softmax/cluster", {5, mn(3, 1000)}},
      {"layernorm/three-pass", {0, mn(3, 1000)}},
      {"layernorm/block-reduce", {5, mn(3, 1000)}},
      {"layernorm/shuffle", {2, mn(3, 1000)}},
      {"layernorm/registers", {2, mn(3, 1000)}},
      {"layernorm/vectorized", {2, mn(3, 1000)}},
      {"layernorm/cluster", {5, mn(3, 1000)}},
      {"rowsum/per-thread", {0, mn(131, 33)}},
      {"rowsum/warp-per-row", {0, mn(11, 100)}},
      {"rowsum/shuffle", {1, mn(3, 1000)}},
      {"rowsum/vectorized", {1, mn(3, 8196)}},
      {"matvec/per-thread", {0, mn(131, 33)}},
      {"matvec/warp-per-row", {0, mn(11, 100)}},
      {"matvec/shuffle", {1, mn(3, 1000)}},
      {"matvec/vectorized", {1, mn(3, 8196)}},
      {"colsum/per-thread", {0, mn(33, 131)}},
      {"colsum/block-reduce", {4, mn(100, 35)}},
      {"colsum/vectorized", {1, mn(131, 132)}},
      {"dot/grid-stride", {8, {{"n", 3000}}}},
      {"dot/vectorized", {1, {{"n", 20000}}}},
      {"dot/last-block", {2, {{"n", 20000}}}},
      {"histogram/global-atomics", {0, {{"n", 3000}}}},
      {"histogram/shared-atomics", {2, {{"n", 9000}}}},
      {"histogram/vectorized", {2, {{"n", 40000}}}},
  };
  return expected;
}

std::map<std::string, Expected> expected_of_rungs() {
  std::map<std::string, Expected> all = expected_of_matmul();
  all.insert(expected_of_tensor_cores().begin(), expected_of_tensor_cores().end());
  all.insert(expected_of_other_tiles().begin(), expected_of_other_tiles().end());
  all.insert(expected_of_reductions().begin(), expected_of_reductions().end());
  return all;
}

bool has_arrival(const KernelFunction& kernel) {
  bool found = false;
  walk(kernel.body, [&](const Stmt& stmt) { found |= is<op::arrive>(stmt); });
  return found;
}

/// The walk over accesses does not know what mbarriers order.
bool has_mbarriers(const KernelFunction& kernel) {
  return any_of(kernel.body, is<op::wait_mbarrier>);
}

class Barriers : public testing::TestWithParam<RungCase> {};

INSTANTIATE_TEST_SUITE_P(Ladders, Barriers, testing::ValuesIn(gpu_rungs()), test_name);

void expect_needed(const KernelFunction& kernel, const Sizes& sizes) {
  EXPECT_EQ(find_race(kernel, sizes), std::nullopt) << to_string(kernel);
  if (has_mbarriers(kernel)) return;  // RolesOnDevices leaves out theirs
  // Nor does it know the memory of other blocks: Cluster.EachWaitIsMissed does.
  if (kernel.cluster > 1) return;
  // The walk over threads does not see what the last block does behind the arrival.
  const int count = count_barriers(kernel) - (has_arrival(kernel) ? 1 : 0);
  for (int n = 0; n < count; ++n)
    EXPECT_NE(find_race(without_barrier(kernel, n), sizes), std::nullopt)
        << "barrier " << n << " is redundant:\n"
        << to_string(kernel);
}

TEST_P(Barriers, AreEnoughAndNoneIsRedundant) {
  const auto& [ladder, rung] = GetParam();
  const auto all = expected_of_rungs();
  ASSERT_TRUE(all.count(GetParam().name())) << "no expectation for this rung";
  const auto& [expected, without_pitches] = all.at(GetParam().name());
  const Sizes sizes = with_pitches(Schedule(ladder.program({})), without_pitches);
  int barriers = 0;
  for (const KernelFunction& kernel : lower(rung.build({}, sizes)).kernels) {
    barriers += count_barriers(kernel);
    judge_once(to_string(kernel) + to_text(sizes), [&] { expect_needed(kernel, sizes); });
  }
  EXPECT_EQ(barriers, expected);
}

TEST(BarriersOfRungs, AreExpectedOfNothingElse) {
  std::set<std::string> rungs, expected;
  for (const RungCase& rung : gpu_rungs()) rungs.insert(rung.name());
  for (const auto& [name, barriers] : expected_of_rungs()) expected.insert(name);
  EXPECT_EQ(expected, rungs);
}

}  // namespace barriers_test
}  // namespace hone
