// How many groups of bulk stores a wait leaves pending, where they are under conditions.
#include <gmock/gmock.h>

#include "codegen/lower.h"
#include "dsl/schedule.h"
#include "fmt/format.h"
#include "ir/text/parser.h"
#include "ir/traverse/visit.h"
#include "tests/support/codegen/mistakes.h"
#include "tests/support/random/first_finding.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace pending_stores_test {

using testing::ElementsAre;

/// A block goes over tiles of four chunks, of which those of tiles that `condition` holds for are
/// stored from the slots of `slots`, one after the other; `more` stands behind each tile.
Function chunks(int slots, const std::string& condition, const std::string& more = "") {
  return parse_function(
      fmt::format(R"(func f[n, m](A: f32[n, 4, 32], C: f32[n, 4, 32], D: f32[n, 32]) {{
  for b in 0..1 @block.x {{
    alloc T: f32[{0}, 32] @shared @align(128)
    alloc U: f32[32] @shared @align(128)
    for r in 0..n {{
      if ({1}) {{
        for c in 0..4 {{
          for x in 0..32 @thread.x {{ T[c % {0}, x] = A[r, c, x] * 2.0 }}
          copy C[r, c, 0 .. +32] <- T[c % {0}, 0 .. +32] @bulk
        }}
      }}
      {2}
    }}
  }}
}})",
                  slots, condition, more));
}

const std::string other_stores = R"(
      if (r < 3) {
        for y in 0..32 @thread.x { U[y] = A[r, 0, y] * 3.0 }
        copy D[r, 0 .. +32] <- U[0 .. +32] @bulk
      })";

KernelFunction kernel_of(const Function& function) { return lower(function).kernels.front(); }

std::vector<int64_t> pending_in(const KernelFunction& kernel) {
  std::vector<int64_t> pending;
  walk(kernel.body, [&](const Stmt& stmt) {
    if (const Instr* wait = as(stmt, op::wait_stores)) pending.push_back(wait->constants[0]);
  });
  return pending;
}

void expect_right(const Function& function) {
  const KernelFunction kernel = kernel_of(function);
  for (const int64_t tiles : {0, 1, 2, 7})
    for (uint64_t order = 0; order <= 2; ++order) {
      const Sizes sizes = {{"n", tiles}, {"m", 4}};
      EXPECT_EQ(first_finding(kernel, function, sizes, order), "") << tiles;
      Buffers results = random_buffers(function, sizes, 5), expected = results;
      interpret(function, sizes, expected);
      run_on_sim(kernel, sizes, results);
      EXPECT_EQ(results.at("C").bytes, expected.at("C").bytes) << tiles;
      EXPECT_EQ(results.at("D").bytes, expected.at("D").bytes) << tiles;
    }
}

Stmt with_one_more(const Stmt& stmt) {
  const Instr* wait = as(stmt, op::wait_stores);
  return wait ? wait->with_constants(wait->constants[0] + 1) : Stmt();
}

/// The last wait is for the end of the block.
TEST(PendingStores, AreThoseOfTheOtherSlot) {
  for (const int slots : {1, 2})
    for (const char* condition : {"true", "r < m", "r % 2 == 0 && r < m"}) {
      SCOPED_TRACE(fmt::format("{} slots where {}", slots, condition));
      const Function function = chunks(slots, condition);
      EXPECT_THAT(pending_in(kernel_of(function)), ElementsAre(slots - 1, 0));
      expect_right(function);
    }
}

/// Memory may hold something else when the condition is read again.
TEST(PendingStores, AreNoneUnderConditionsOnMemory) {
  const Function function = chunks(2, "A[r, 0, 0] > 0.0");
  EXPECT_THAT(pending_in(kernel_of(function)), ElementsAre(0, 0));
  expect_right(function);
}

TEST(PendingStores, OfASlotForEachChunkAreRight) { expect_right(chunks(4, "r < m")); }

/// Groups that may be missing between two of one slot do not count.
TEST(PendingStores, AreNoneThatMayBeMissing) {
  const Function function = chunks(2, "r < m", other_stores);
  EXPECT_THAT(pending_in(kernel_of(function)), ElementsAre(1, 0, 0));
  expect_right(function);
}

TEST(PendingStores, OneMoreIsFound) {
  for (const int slots : {1, 2}) {
    const Function function = chunks(slots, "r < m");
    const KernelFunction wrong = with_mistake(kernel_of(function), 0, with_one_more);
    EXPECT_NE(first_finding(wrong, function, {{"n", 3}, {"m", 4}}, 0), "") << slots;
  }
}

/// Two warpgroups go over two tiles, whose sums the block stores from one slot.
Schedule tiles_of_warpgroups() {
  const Axis i("i", 32), j("j", 48);
  const ReduceAxis k("k", 16);
  const Tensor A("A", tf32, {32, 16}), B("B", tf32, {48, 16}), C("C", f32, {32, 48});
  Schedule s(Program("f", C(i, j) = sum(k, cast(f32, A(i, k)) * cast(f32, B(j, k)))));
  auto [by, bx, rows, column] = s.tile({i, j}, {128, 32});
  auto [group, row] = s.split(rows, 64);
  auto [step, of_step] = s.split(k, 32);
  s.reorder({by, bx, step, group, row, column, of_step});
  s.bind(group, warpgroup);
  s.bind(s.axis("i.1.0.init"), warpgroup);
  auto [of_warp, half] = s.split(s.axis("i.1.1.init"), 16);
  s.bind(of_warp, warp);
  auto [upper, lane_row] = s.split(half, 8);
  auto [octet, columns] = s.split(s.axis("j.1.init"), 8);
  auto [lane_column, pair] = s.split(columns, 2);
  s.bind({lane_row, lane_column}, lane);
  s.tensorize(row, "wgmma_m64n32k32_tf32");
  s.cache_registers(C, bx);
  const Layout layout = Layout().swizzle_bytes(128, tf32);
  const Cache tiles[] = {s.cache_shared(A, step, {.layout = layout}),
                         s.cache_shared(B, step, {.layout = layout})};
  auto [turn, outer] = s.split(s.fuse(by, bx), 2);
  s.reorder({outer, turn});
  for (const Cache& tile : tiles) {
    s.copy_async(tile);
    s.align(tile, 1024);
  }
  s.specialize(step, 4, {.producer_warps = 4, .in_flight = 1});
  s.copy_bulk(s.cache_shared(C, turn));
  return s;
}

/// The thread that stores waits for its store before the barrier at the end of a tile: behind it,
/// the others write to the slot at once. Each waits for its own products later.
TEST(PendingStores, AreNotLeftToAWaitOfFewerThreads) {
  const Schedule schedule = tiles_of_warpgroups();
  const KernelFunction kernel = kernel_of(schedule);
  EXPECT_THAT(
      to_string(kernel),
      testing::HasSubstr("wait_stores 0\n      wait_wgmma 0\n      barrier @named(1, 256)"));
  for (uint64_t order = 0; order <= 5; ++order)
    EXPECT_EQ(first_finding(kernel, schedule.function(), {}, order), "");
}

}  // namespace pending_stores_test
}  // namespace hone
