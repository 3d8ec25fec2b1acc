// Tiles that blocks of a cluster fill for each other, on the devices: right for any number of
// iterations and in any order of the warps; and found where a block does not know of the others.
#include <gmock/gmock.h>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "codegen/verify_kernel.h"
#include "ir/opcodes/opcodes.h"
#include "ir/text/printer.h"
#include "runtime/nvrtc/nvrtc.h"
#include "runtime/shared_limit.h"
#include "tests/support/codegen/mistakes.h"
#include "tests/support/random/first_finding.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/product.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace multicast_test {

/// Tiles of 32 x 32 for two warps. Blocks that lie above each other share the tiles of B.
struct ClusterProduct : ProductProgram {
  Schedule scheduled(int64_t blocks, int64_t stages = 3) const {
    Schedule s(program);
    s.assume(K % 4 == 0);
    s.assume(N % 4 == 0);
    auto [by, bx, y, x] =
        s.tile({s.axis(C, i), s.axis(C, j)}, {32 * blocks, 32}, {.tail = Tail::pad});
    auto [peer, rows] = s.split(y, 32);
    auto [warp_row, row] = s.split(rows, 16);
    auto [ko, ki] = s.split(k, 16, {.tail = Tail::pad});
    s.reorder({by, bx, peer, warp_row, x, ko, ki, row});
    s.bind(by, block.y);
    s.bind(s.fuse(bx, peer), block.x);
    s.bind(warp_row, warp);
    s.bind(x, lane);
    s.cache_registers(C, x);
    for (const Tensor& operand : {A, B}) s.cache_shared(operand, ko);
    s.specialize(ko, stages, {.producer_warps = 1}, CopyEngine::boxes);
    s.multicast(s.tensor("B.shared"), blocks);
    return s;
  }
};

const Sizes some_sizes = {{"M", 100}, {"N", 44}, {"K", 84}};

std::string finding_in(const KernelFunction& kernel, uint64_t order = 0) {
  return first_finding(kernel, ClusterProduct().program.function(), some_sizes, order);
}

KernelFunction kernel_of(const Schedule& schedule) {
  return lower(schedule.function()).kernels.front();
}

TEST(MulticastOnDevices, IsRightForAnyTripCount) {
  const ClusterProduct product;
  for (const int64_t blocks : {2, 4})
    for (const int64_t stages : {1, 2, 3}) {
      const Schedule s = product.scheduled(blocks, stages);
      for (const int64_t trips : {int64_t{0}, int64_t{1}, stages, stages + 1, int64_t{5}}) {
        const Sizes sizes = {{"M", 37}, {"N", 44}, {"K", trips * 16 + 4}};
        expect_as_meant(product.program, s, sizes,
                        random_buffers(product.program.function(), sizes, 3));
      }
    }
}

TEST(MulticastOnDevices, IsRightInAnyOrderOfTheWarps) {
  for (const int64_t blocks : {2, 4}) {
    const KernelFunction kernel = kernel_of(ClusterProduct().scheduled(blocks));
    EXPECT_EQ(kernel.cluster, blocks);
    EXPECT_EQ(to_string(parse_kernel(to_string(kernel))), to_string(kernel));
    for (uint64_t order = 0; order <= 20; ++order)
      EXPECT_EQ(finding_in(kernel, order), "") << order << "\n" << to_string(kernel);
  }
}

/// Each block asks for half of the rows, which come to both.
TEST(MulticastOnDevices, KernelsAskForTheirShare) {
  const std::string text = to_string(kernel_of(ClusterProduct().scheduled(2)));
  for (const char* part :
       {"cluster(2)", "init_mbarrier k.0.full[slot] of 1\n", "init_mbarrier k.0.empty[slot] of 128",
        "expect_bytes k.0.full[k.0.ahead % 3] of 4096",
        "copy_bulk A.shared[k.0.ahead % 3, 0, 0] <- ",
        "multicast_bulk in 2 blocks B.shared[k.0.ahead % 3, i.1.0*8, 0] <- B[k.0.ahead*16 + "
        "i.1.0*8, j.0*32] of 8 x 32 full k.0.full[k.0.ahead % 3]\n",
        "arrive_in_blocks k.0.empty[k.0 % 3] of 2"})
    EXPECT_THAT(text, testing::HasSubstr(part));
}

TEST(MulticastOnDevices, Compiles) {
  ASSERT_TRUE(nvrtc_info()) << nvrtc_missing();
  const KernelFunction kernel = kernel_of(ClusterProduct().scheduled(2));
  const Compiled compiled = nvrtc_compile(
      {emit_cuda(kernel), kernel.name, target_of(kernel, "sm_90"), options_of(kernel), ""});
  EXPECT_THAT(compiled.warnings, testing::IsEmpty());
  EXPECT_FALSE(compiled.kernels.front().spills());
  EXPECT_EQ(message_of<RuntimeError>([&] { check_architecture(kernel, "sm_89"); }),
            "product arrives in other blocks of a cluster, which GPUs have from sm_90 on, and not "
            "sm_89");
}

// ---- Mistakes -----------------------------------------------------------------------------------

/// One block alone is told, or gets the tile.
Stmt in_own_block(const Stmt& stmt) {
  if (const Instr* arrival = as(stmt, op::arrive_in_blocks))
    return Instr::make(op::arrive_mbarrier, arrival->places, {}, 0);
  const Instr* copy = as(stmt, op::multicast_bulk);
  if (!copy) return {};
  return Instr::make(op::copy_bulk, copy->places, {},
                     llvm::ArrayRef<int64_t>(copy->constants).drop_front());
}

/// All blocks ask for the share of the first one.
Stmt with_first_share(const Stmt& stmt) {
  const Instr* copy = as(stmt, op::multicast_bulk);
  if (!copy) return {};
  llvm::SmallVector<ElementRef, 3> places = copy->places;
  places[0].indices[1] = 0;
  return copy->with(places, {});
}

Stmt among_the_block(const Stmt& stmt) {
  return is<op::barrier_of_cluster>(stmt) ? make_barrier() : Stmt();
}

template <int64_t factor>
Stmt expecting(const Stmt& stmt) {
  const Instr* expect = as(stmt, op::expect_bytes);
  return expect ? expect->with_constants(expect->constants[0] / factor) : Stmt();
}

constexpr Mistake mistakes[] = {
    {"consumers tell, or the engine serves, its own block alone", in_own_block, 2},
    {"both blocks bring the same half", with_first_share, 1},
    {"a copy is missing", dropped<is<op::multicast_bulk>>, 1},
    {"an arrival is missing", dropped<is<op::arrive_in_blocks>>, 1},
    {"a wait is missing", dropped<is<op::wait_mbarrier>>, 2},
    {"a wait is for the other phase", with_other_parity, 2},
    {"half of the bytes are expected", expecting<2>, 1},
    {"a phase needs one arrival less", counting_more<-1>, 2},
    {"a phase needs one arrival more", counting_more<1>, 2},
    {"blocks begin, or end, without waiting for the others", dropped<is<op::barrier_of_cluster>>,
     3},
    {"the threads of a block alone wait", among_the_block, 1},
};

constexpr uint64_t orders[] = {0, 1, 2, 3};

TEST(MulticastOnDevices, MistakesAreFound) {
  const KernelFunction kernel = kernel_of(ClusterProduct().scheduled(2));
  ASSERT_EQ(finding_in(kernel), "") << to_string(kernel);
  for (const Mistake& mistake : mistakes)
    for (int n = 0; n < mistake.count; ++n) {
      const KernelFunction wrong = with_mistake(kernel, n, mistake.change);
      ASSERT_NE(to_string(wrong), to_string(kernel)) << mistake.what;
      const auto is_found = [&](uint64_t order) { return !finding_in(wrong, order).empty(); };
      EXPECT_TRUE(llvm::any_of(orders, is_found)) << mistake.what << n << "\n" << to_string(wrong);
    }
}

TEST(MulticastOnDevices, KernelsHaveClustersOfThatSize) {
  const auto problem = [](const char* cluster) {
    return verify(parse_kernel(fmt::format(R"(
kernel f(A: f32[64, 32]) grid(4, 1, 1) {}block(32, 1, 1) @index32 {{
  alloc empty: i64[1] @shared(0)
  arrive_in_blocks empty[0] of 2
}})",
                                           cluster)))
        .value_or("none");
  };
  EXPECT_EQ(problem("cluster(2) "), "none");
  EXPECT_EQ(problem(""),
            "arrive_in_blocks is for 2 blocks of a cluster, and the kernel has clusters of 1");
  EXPECT_EQ(problem("cluster(4) "),
            "arrive_in_blocks is for 2 blocks of a cluster, and the kernel has clusters of 4");
}

}  // namespace multicast_test
}  // namespace hone
