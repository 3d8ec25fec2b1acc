// Blocks that a fused axis makes of what tails guard or pad: some of them have nothing to combine.
#include <gtest/gtest.h>

#include "ir/core/error.h"
#include "tests/support/random/random_program.h"
#include "tests/support/runtime/reductions.h"

namespace hone {
namespace last_block_tails_test {

/// A way to cut a reduction into blocks: split twice, with the outer or the inner part cut again,
/// and what the blocks have kept in memory, in registers or in shared memory.
struct Cut {
  int64_t factor, second;
  Tail tail, second_tail;
  bool of_inner;
  int tile;
};

std::vector<Cut> all_cuts() {
  std::vector<Cut> cuts;
  constexpr Tail tails[] = {Tail::guard, Tail::pad, Tail::peel};
  for (const Tail tail : tails)
    for (const Tail second_tail : tails)
      for (const int64_t factor : {2, 3, 8})
        for (const int64_t second : {2, 3, 4})
          for (const bool of_inner : {false, true})
            for (const int tile : {0, 1, 2})
              cuts.push_back({factor, second, tail, second_tail, of_inner, tile});
  return cuts;
}

void apply(const Cut& cut, Schedule& s, const Axis& k, const Tensor& result) {
  const auto first = s.split(k, cut.factor, {.tail = cut.tail});
  const auto again = s.split(first[cut.of_inner ? 1 : 0], cut.second, {.tail = cut.second_tail});
  const Axis blocks = cut.of_inner ? s.fuse(first[0], again[0]) : s.fuse(again[0], again[1]);
  s.bind(blocks, block.x, Combine::last_block);
  if (cut.tile == 1) s.cache_registers(result, blocks);
  if (cut.tile == 2) s.cache_shared(result, blocks);
}

TEST(LastBlockTails, AreRefusedOrRight) {
  const Param N("N");
  const Tensor A("A", f32, {N}), S("S", f32, {});
  const ReduceAxis k("k", N);
  const Program program("total", S() = sum(k, A(k)));
  int accepted = 0;
  for (const Cut& cut : all_cuts()) {
    Schedule s(program);
    try {
      apply(cut, s, k, S);
    } catch (const ScheduleError&) {
      continue;
    }
    ++accepted;
    for (const int64_t n : {1, 2, 7, 8, 83, 100}) {
      const Sizes sizes = {{"N", n}};
      expect_as_meant(program, s, sizes, random_buffers(program.function(), sizes, 3));
    }
  }
  EXPECT_GT(accepted, 200);
}

/// Rows of two threads each, of which no warp has all lanes to itself.
TEST(LastBlockTails, AreSummedByOneThreadWhereRowsShareAWarp) {
  const Param N("N");
  const Axis i("i", N), j("j", 2);
  const ReduceAxis k("k", 12);
  const Tensor A("A", f32, {N, 12}), B("B", f32, {12, 2}), C("C", f32, {N, 2});
  const Program program("product", C(i, j) = sum(k, A(i, k) * B(k, j)));
  Schedule s(program);
  auto [blocks, rest] = s.split(k, 4);
  auto [turn, threads] = s.split(rest, 2);
  s.reorder({blocks, i, j, threads, turn});
  s.bind(blocks, block.y, {.method = Combine::last_block, .last_warp = true});
  s.bind(j, thread.y);
  s.bind(threads, thread.x, Combine::sequential);
  s.write_out(turn);
  for (const int64_t n : {1, 2, 5}) {
    const Sizes sizes = {{"N", n}};
    expect_as_meant(program, s, sizes, random_buffers(program.function(), sizes, 3));
  }
}

/// Of the two updates that the split leaves, the second is of another element in each block.
TEST(LastBlockTails, HavePartsForElementsOfOneBlockAlone) {
  for (const Combine::Method method : {Combine::atomic, Combine::last_block})
    for (const int64_t n : {4, 5, 7, 31}) {
      const Axis j("j", n);
      const ReduceAxis m("m", 2);
      const Tensor U("U", f32, {2, n}), H("H", f32, {n, n});
      const Program program("scattered", H(j, (m * j) % n) = sum(m, U(m, j)));
      Schedule s(program);
      s.reorder({m, j});
      s.bind(m, block.x, method);
      s.split(j, 3, {.tail = Tail::peel});
      expect_as_meant(program, s, {}, random_buffers(program.function(), {}, 3));
    }
}

}  // namespace last_block_tails_test
}  // namespace hone
