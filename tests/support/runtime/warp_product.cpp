#include "tests/support/runtime/warp_product.h"

namespace hone {

WarpProduct::Tiled WarpProduct::tiled(int64_t width, int64_t padding, int64_t tiles) const {
  Schedule s(program);
  s.assume(K % width == 0);
  s.assume(N % width == 0);
  auto [by, bx, y, x] = s.tile({i, j}, {64, 32}, {.tail = Tail::pad});
  auto [warp_row, of_warp] = s.split(y, 32);
  auto [row_tile, column_tile, of_row, of_column] = s.tile({of_warp, x}, {16, 8});
  auto [step, of_step] = s.split(k, row.k * tiles, {.tail = Tail::pad});
  auto [k_tile, of_tile] = s.split(of_step, row.k);
  s.reorder({by, bx, warp_row, step, k_tile, row_tile, column_tile, of_row, of_column, of_tile});
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(warp_row, warp);
  auto [upper, lane_row] = s.split(s.axis("i.1.1.1.init"), 8);
  auto [lane_column, pair] = s.split(s.axis("j.1.1.init"), 2);
  s.bind({lane_row, lane_column}, lane);
  s.tensorize(of_row, row.word);
  s.cache_registers(C, warp_row);
  const Layout layout = padding > 0 ? Layout().pad(padding) : Layout();
  const Cache A_shared = s.cache_shared(A, step, {.vectorize = width, .layout = layout});
  const Cache B_shared = s.cache_shared(B, step, {.vectorize = width, .layout = layout});
  const Cache A_fragments = s.cache_registers(A_shared, k_tile);
  const Cache B_fragments = s.cache_registers(B_shared, k_tile);
  return {std::move(s), step, k_tile, A_shared, B_shared, A_fragments, B_fragments};
}

}  // namespace hone
