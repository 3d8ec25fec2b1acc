//| not yet: a step was refused
//| examples/exercises/15_2/wrong_too_many_in_flight.cpp:33: error: specialize: products of 4 iterations are to go on in rings of 4 stages, and producers fill one meanwhile
//|   for i.0 in 0..(M + 63) / 64 @block.y {
//|     for j.0 in 0..(N + 63) / 64 @block.x {
//|       reduce k.0 in 0..(K + 63) / 64 {  <-- here
//|         alloc A.shared: bf16[64, 64] @swizzle(8, 8, 1) @shared @align(1024)
//|         copy A.shared[0 .. +64, 0 .. +64] <- A[i.0*64 .. +64, k.0*64 .. +64] @vector(8)
//| note: .in_flight is 0 to 3
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
  for (const Cache& tile : {A, B}) s.align(tile, 1024);
  s.specialize(step, 4, {.producer_warps = 1, .in_flight = 4}, CopyEngine::boxes);
}
