// Tiles with a part in each block of a cluster, on the simulated device: right for any sizes and in
// any order of the warps; and found where a block does not wait for the others.
#include <gmock/gmock.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "ir/opcodes/opcodes.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "runtime/nvrtc/nvrtc.h"
#include "runtime/shared_limit.h"
#include "runtime/sim/check/check.h"
#include "tests/support/codegen/barriers.h"
#include "tests/support/random/first_finding.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/product.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace cluster_parts_test {

/// Tiles of 32 x 32 for two warps, whose sums the blocks of a cluster have parts of.
struct ProductInParts : ProductProgram {
  Schedule scheduled(int64_t parts, int64_t stages) const {
    Schedule s(program);
    s.assume(K % 4 == 0);
    s.assume(N % 4 == 0);
    auto [steps, of_step] = s.split(k, 16, {.tail = Tail::pad});
    auto [part, step_of_part] = s.split_into(steps, parts, {.tail = Tail::pad});
    const Axis k_of_part = s.fuse(step_of_part, of_step);
    const RFactor sums = s.rfactor(C, part);
    s.bind(sums.partial, cluster.x);
    auto [by, bx, row, column] =
        s.tile({s.axis(C, i), s.axis(C, j)}, {32, 32}, {.tail = Tail::pad});
    s.bind(by, block.y);
    s.bind(bx, block.x);
    const Tensor tile = s.compute_at(sums.tensor, bx, {.scope = Scope::shared});
    compute_parts(s, sums.partial, tile, k_of_part, stages);
    add_up(s, row, column, parts);
    return s;
  }

 private:
  /// By producers and consumers, if there are stages.
  void compute_parts(Schedule& s, const Axis& part, const Tensor& tile, const Axis& k_of_part,
                     int64_t stages) const {
    auto [warp_row, own_row] = s.split(s.axis(tile, i), 16);
    auto [step, ki] = s.split(k_of_part, 16, {.tail = Tail::pad});
    const Axis x = s.axis(tile, j);
    s.reorder({part, warp_row, x, step, ki, own_row});
    s.bind(warp_row, warp);
    s.bind(x, lane);
    for (const Tensor& operand : {A, B}) s.cache_shared(operand, step);
    s.cache_registers(tile, x);
    if (stages > 0) s.specialize(step, stages, {.producer_warps = 1}, CopyEngine::boxes);
  }

  /// Each block has as many rows.
  static void add_up(Schedule& s, const Axis& row, const Axis& column, int64_t parts) {
    auto [share, own] = s.split(row, 32 / parts);
    auto [turn, thread_row] = s.split(own, 2);
    s.reorder({share, thread_row, column, turn});
    s.bind(share, cluster.x);
    s.bind({thread_row, column}, thread.x);
  }
};

const Sizes some_sizes = {{"M", 50}, {"N", 44}, {"K", 84}};

KernelFunction kernel_of(int64_t parts, int64_t stages) {
  return lower(ProductInParts().scheduled(parts, stages).function()).kernels.front();
}

std::string finding_in(const KernelFunction& kernel, uint64_t order = 0) {
  return first_finding(kernel, ProductProgram().program.function(), some_sizes, order);
}

TEST(ClusterParts, AreRightForAnySizes) {
  const ProductInParts product;
  for (const int64_t parts : {2, 4})
    for (const int64_t stages : {0, 1, 3}) {
      const Schedule s = product.scheduled(parts, stages);
      for (const int64_t K : {4, 16, 20, 64, 100})
        for (const int64_t M : {1, 31, 65}) {
          const Sizes sizes = {{"M", M}, {"N", 36}, {"K", K}};
          expect_as_meant(product.program, s, sizes,
                          random_buffers(product.program.function(), sizes, 3));
        }
    }
}

/// The host runs one block after the other, and has all parts in one tile.
TEST(ClusterParts, AreRightOnTheHost) {
  const Axis i("i", 7);
  const ReduceAxis k("k", 10);
  const Tensor A("A", f32, {7, 10}), C("C", f32, {7});
  const Program program("sums", C(i) = sum(k, A(i, k)));
  Schedule s(program);
  auto [part, of_part] = s.split_into(k, 2);
  const RFactor sums = s.rfactor(C, part);
  s.bind(sums.partial, cluster.x);
  auto [tile, row] = s.split(s.axis(C, i), 4, {.tail = Tail::pad});
  s.compute_at(sums.tensor, tile, {.scope = Scope::shared});
  const Kernel kernel = compile(s, {.device = Device::host()});
  std::vector<float> values(70), expected(7);
  for (int64_t n = 0; n < 70; ++n) {
    values[n] = static_cast<float>(n % 6 - 2);
    expected[n / 10] += values[n];
  }
  Array<float> a(values, {7, 10}), c({7});
  kernel(a, c);
  EXPECT_EQ(c.to_vector(), expected) << kernel.source();
}

TEST(ClusterParts, AreRightInAnyOrderOfTheWarps) {
  for (const int64_t stages : {0, 3}) {
    const KernelFunction kernel = kernel_of(4, stages);
    EXPECT_EQ(kernel.cluster, 4);
    EXPECT_EQ(to_string(parse_kernel(to_string(kernel))), to_string(kernel));
    for (uint64_t order = 0; order <= 20; ++order)
      EXPECT_EQ(finding_in(kernel, order), "") << order << "\n" << to_string(kernel);
  }
}

int barriers_of_cluster(const KernelFunction& kernel) {
  int count = 0;
  walk(kernel.body, [&](const Stmt& stmt) { count += is<op::barrier_of_cluster>(stmt); });
  return count;
}

/// One before other blocks read the parts, and one behind. Producers come to both.
TEST(ClusterParts, EachWaitIsMissed) {
  EXPECT_EQ(barriers_of_cluster(kernel_of(2, 0)), 2);
  EXPECT_EQ(barriers_of_cluster(kernel_of(2, 3)), 4);
  for (const int64_t stages : {0, 3}) {
    const KernelFunction kernel = kernel_of(2, stages);
    for (int n = 0; n < count_barriers(kernel); ++n)
      EXPECT_NE(finding_in(without_barrier(kernel, n)), "") << n << "\n" << to_string(kernel);
  }
}

/// Vectors of elements that lie in one block each.
TEST(ClusterParts, AreGatheredOneByOne) {
  const KernelFunction kernel = lower(parse_function(R"(func f(A: f32[4], C: f32[4]) {
  for b in 0..1 @block.x {
    alloc P: f32[4] @cluster
    for p in 0..4 @cluster.x {
      for t in 0..32 @thread.x {
        if (t < 1) {
          P[p] = A[p]
        }
      }
    }
    for v in 0..4 @vectorize {
      C[v] = P[v]
    }
  }
})"))
                                    .kernels.front();
  std::vector<float> a = {1, 2, 3, 4}, c(4);
  EXPECT_TRUE(check(kernel, {}, {{"A", a.data(), 4, false}, {"C", c.data(), 4, true}}).clean())
      << to_string(kernel);
  EXPECT_EQ(c, a);
  EXPECT_THAT(emit_cuda(kernel), testing::HasSubstr("*of_block(&P, "));
}

/// Each block has memory for its own part alone.
TEST(ClusterParts, LieInTheMemoryOfTheirBlocks) {
  const std::string text = emit_cuda(kernel_of(2, 0));
  for (const char* part : {"float (&C_rf)[32][32] = ", "*of_block(&C_rf["})
    EXPECT_THAT(text, testing::HasSubstr(part));
}

TEST(ClusterParts, Compile) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  for (const int64_t stages : {0, 3}) {
    const KernelFunction kernel = kernel_of(2, stages);
    const Compiled compiled = nvrtc_compile(
        {emit_cuda(kernel), kernel.name, target_of(kernel, "sm_90"), options_of(kernel), ""});
    EXPECT_THAT(compiled.warnings, testing::IsEmpty());
    EXPECT_FALSE(compiled.kernels.front().spills());
  }
}

}  // namespace cluster_parts_test
}  // namespace hone
