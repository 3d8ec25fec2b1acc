#include "tests/support/runtime/lane_maps.h"

namespace hone {

LaneMap product_by_lanes() {
  const Param M("M"), N("N"), K("K");
  const Axis i("i", M), j("j", N);
  const ReduceAxis k("k", K);
  const Tensor A("A", f32, {M, K}), B("B", f32, {K, N}), C("C", f32, {M, N});
  const Program program("product", C(i, j) = sum(k, A(i, k) * B(k, j)));
  Schedule s(program);
  auto [by, bx, tile_y, tile_x] = s.tile({s.axis(C, i), s.axis(C, j)}, {64, 256});
  auto [warp_y, rows] = s.split(tile_y, 32);
  auto [warp_x, columns] = s.split(tile_x, 128);
  auto [row, y] = s.split(rows, 4);
  auto [q, quad] = s.split(columns, 32);
  auto [x, v] = s.split(quad, 4);
  auto [ko, ki] = s.split(k, 8);
  s.reorder({by, bx, warp_y, warp_x, y, x, ko, ki, row, q, v});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind({warp_y, warp_x}, warp);
  s.bind({y, x}, lane);
  s.cache_registers(C, bx);
  const Cache A_shared = s.cache_shared(A, ko), B_shared = s.cache_shared(B, ko);
  s.cache_registers(A_shared, ki);
  s.cache_registers(B_shared, ki);
  return {program, s};
}

LaneMap fragment_by_lanes() {
  const Param R("R");
  const Axis i("i", R), j("j", 8);
  const ReduceAxis k("k", 8);
  const Tensor X("X", f32, {R, 8}), Y("Y", f32, {R, 8}), largest("largest", f32, {R});
  const Program program("fragment", largest(i) = max(k, X(i, k)),
                        Y(i, j) = (X(i, j) - largest(i)) * 0.5f);
  Schedule s(program);
  auto [tile, r] = s.split(s.axis(Y, i), 16);
  s.compute_at(largest, tile);
  s.bind(tile, block.x);
  auto [upper, row] = s.split(r, 8);
  auto [pair, v] = s.split(s.axis(Y, j), 2);
  s.reorder({row, pair, upper, v});
  s.bind({row, pair}, lane);
  auto [upper_k, row_k] = s.split(s.axis(largest, i), 8);
  auto [pair_k, v_k] = s.split(k, 2);
  s.reorder({row_k, upper_k});
  s.bind({row_k, pair_k}, lane, {Combine::shuffle});
  s.cache_registers(X, tile);
  return {program, s};
}

LaneMap sums_by_lanes(const Combine& combine, bool are_neighbours) {
  const Param M("M"), N("N");
  const Axis i("i", M);
  const ReduceAxis k("k", N);
  const Tensor A("A", f32, {M, N}), S("S", f32, {M});
  const Program program("rows", S(i) = sum(k, A(i, k)));
  Schedule s(program);
  auto [b, rest] = s.split(s.axis(S, i), 8);
  auto [w, row] = s.split(rest, 4);
  auto [turn, part] = s.split(k, 8);
  s.reorder({b, w, row, part, turn});
  s.bind(b, block.x);
  s.bind(w, warp);
  if (are_neighbours)
    s.bind({row, part}, lane, combine);
  else
    s.bind({part, row}, lane, combine);
  return {program, s};
}

}  // namespace hone
