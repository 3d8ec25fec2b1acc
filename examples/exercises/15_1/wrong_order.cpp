//| not yet: a step was refused
//| examples/exercises/15_1/wrong_order.cpp:28: error: tensorize: k.1.1 is a reduction, where mma_m16n8k16_bf16 has a spatial loop
//|   for i.0 in 0..(M + 63) / 64 @block.y {
//|     for j.0 in 0..(N + 31) / 32 @block.x {
//|       for i.1.0 in 0..2 @warp {
//|         reduce k.0 in 0..(K + 31) / 32 {
//|           reduce k.1.0 in 0..2 {
//|             for i.1.1.0 in 0..2 {
//|               for j.1.0 in 0..4 {
//|                 for i.1.1.1 in 0..16 {  <-- here
//|                   reduce k.1.1 in 0..16 {
//|                     for j.1.1 in 0..8 {
//| note: the loops of the nest stand in the order of the instruction's
#include <hone/exercises/answer.h>

using namespace hone;

void solve(Schedule& s) {
  auto [by, bx, y, x] = s.tile({s.axis("i"), s.axis("j")}, {64, 32}, {.tail = Tail::pad});
  auto [wy, of_warp] = s.split(y, 32);
  auto [step, of_step] = s.split(s.axis("k"), 32, {.tail = Tail::pad});
  auto [row_tile, column_tile, row, column] = s.tile({of_warp, x}, {16, 8});
  auto [k_tile, k] = s.split(of_step, 16);
  s.reorder({by, bx, wy, step, k_tile, row_tile, column_tile, row, k, column});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(wy, warp);
  s.tensorize(row, "mma_m16n8k16_bf16");
  auto [upper, lane_row] = s.split(s.axis(row.name() + ".init"), 8);
  auto [lane_column, pair] = s.split(s.axis(column.name() + ".init"), 2);
  s.bind({lane_row, lane_column}, lane);
  s.cache_registers(s.tensor("C"), wy);
  for (const char* operand : {"A", "B"})
    s.cache_registers(s.cache_shared(s.tensor(operand), step), k_tile);
}
