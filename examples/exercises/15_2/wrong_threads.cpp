//| not yet: warps make 256 loads from global memory at K=512 M=64 N=64; wanted: no thread loads from global memory
//| CopyEngine::boxes, behind the roles, has the producers ask the copy engine for both tiles.
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  s.assume_aligned(s.tensor("A"), 16);
  s.assume_aligned(s.tensor("B"), 16);
  auto [by, bx, row, column] = s.tile({s.axis("i"), s.axis("j")}, {64, 64}, {.tail = Tail::pad});
  auto [step, k] = s.split(s.axis("k"), 64, {.tail = Tail::pad});
  s.reorder({by, bx, step, row, column, k});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  auto [of_warp, rows] = s.split(s.axis(row.name() + ".init"), 16);
  auto [upper, lane_row] = s.split(rows, 8);
  auto [part, pairs] = s.split(s.axis(column.name() + ".init"), 8);
  auto [lane_column, pair] = s.split(pairs, 2);
  s.bind(of_warp, warp);
  s.bind({lane_row, lane_column}, lane);
  s.tensorize(row, "wgmma_m64n64k64_kn_bf16");
  s.cache_registers(s.tensor("C"), bx);
  const Layout layout = Layout().swizzle_bytes(128, bf16);
  const Cache A = s.cache_shared(s.tensor("A"), step, {.vectorize = 8, .layout = layout});
  const Cache B = s.cache_shared(s.tensor("B"), step, {.vectorize = 8, .layout = layout});
  for (const Cache& tile : {A, B}) {
    s.align(tile, 1024);
    s.copy_async(tile);
  }
  s.specialize(step, 4, {.producer_warps = 1});
}
