// A product whose tiles the copy engine moves.
#pragma once

#include "tests/support/runtime/product.h"

namespace hone {

/// Tiles of 32 x 32 for two warps, whose parts of A are swizzled in memory.
struct BulkProduct : ProductProgram {
  struct Options {
    int64_t stages = 3;
    int64_t producer_warps = 1;
    bool a_in_bulk = true, b_in_bulk = true;
    bool c_in_bulk = false;  ///< by way of a tile
  };

  Schedule scheduled(const Options& options) const {
    Schedule s(program);
    s.assume(K % 4 == 0);
    s.assume(N % 4 == 0);
    auto [by, bx, y, x] = s.tile({s.axis(C, i), s.axis(C, j)}, {32, 32});
    auto [warp_row, row] = s.split(y, 16);
    auto [ko, ki] = s.split(k, 16);
    s.reorder({by, bx, warp_row, x, ko, ki, row});
    s.bind(by, block.y);
    s.bind(bx, block.x);
    s.bind(warp_row, warp);
    s.bind(x, lane);
    const Tensor c = options.c_in_bulk ? s.cache_shared(C, bx) : C;
    s.cache_registers(c, x);
    const Tensor a = s.cache_shared(A, ko, {.layout = Layout().swizzle_bytes(64, f32)});
    const Tensor b = s.cache_shared(B, ko);
    for (const Tensor& tile : {a, b}) s.copy_async(tile);
    s.specialize(ko, options.stages, {.producer_warps = options.producer_warps});
    if (options.a_in_bulk) s.copy_bulk(a);
    if (options.b_in_bulk) s.copy_bulk(b);
    if (options.c_in_bulk) s.copy_bulk(c);
    return s;
  }
};

}  // namespace hone
