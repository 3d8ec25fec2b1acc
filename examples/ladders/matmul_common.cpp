#include "examples/ladders/matmul.h"

namespace hone {

MatmulShape::MatmulShape(const Sizes& fixed)
    : M(size_or_param(fixed, "M")),
      N(size_or_param(fixed, "N")),
      K(size_or_param(fixed, "K")),
      i("i", M),
      j("j", N),
      k("k", K) {}

Ladder matmul_family(const char* name, const char* title, RungMaker<Matmul>::MakeProblem make) {
  Ladder ladder;
  ladder.name = name;
  ladder.title = title;
  ladder.sizes = {{"M", 1024}, {"N", 1024}, {"K", 1024}};
  ladder.program = [make](const Sizes& fixed) { return make(fixed, {}).program; };
  ladder.flops = [](const Sizes& sizes) {
    return 2.0 * sizes.at("M") * sizes.at("N") * sizes.at("K");
  };
  ladder.bytes = [](const Sizes& sizes) {
    const double m = sizes.at("M"), n = sizes.at("N"), k = sizes.at("K");
    return 4.0 * (m * k + k * n + m * n);
  };
  return ladder;
}

TileOptions named_loops(const Matmul& p, std::array<const char*, 4> rows_and_columns) {
  auto [tile_y, tile_x, y, x] = rows_and_columns;
  if (p.y.node() == p.j.node()) return {.names = {tile_x, tile_y, x, y}};
  return {.names = {tile_y, tile_x, y, x}};
}

Axis square_blocks(Schedule& s, const Matmul& p, int64_t tile) {
  auto [by, bx, ty, tx] = s.tile({p.y, p.x}, {tile, tile},
                                 named_loops(p, {"block_row", "block_column", "row", "column"}));
  s.bind(by, block.y);
  s.bind(bx, block.x);
  s.bind(ty, thread.y);
  s.bind(tx, thread.x);
  return tx;
}

void sums_in_registers(Schedule& s, const Matmul& p) {
  const Axis tx = square_blocks(s, p, 32);
  s.cache_registers(p.result, tx);
}

}  // namespace hone
