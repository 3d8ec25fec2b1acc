// A product of matrices by the tensor cores of warps, for tests that schedule it.
#pragma once

#include "dsl/schedule.h"

namespace hone {

/// A row of the table of mma.sync.
struct MmaRow {
  const char* word;
  int64_t k;
  DType operand, result;
};

/// C = A B by tiles of 64 x 32 for two warps, each of which has 32 x 32 sums.
struct WarpProduct {
  explicit WarpProduct(const MmaRow& row) : row(row) {}

  struct Tiled {
    Schedule schedule;
    Axis step, k_tile;
    Cache A_shared, B_shared, A_fragments, B_fragments;
  };

  /// A step has so many tiles along k; `width` is the vectors that fill shared memory. Rows of its
  /// tiles are `padding` elements longer.
  Tiled tiled(int64_t width = 1, int64_t padding = 0, int64_t tiles = 2) const;

  MmaRow row;
  Param M{"M"}, N{"N"}, K{"K"};
  Axis i{"i", M}, j{"j", N};
  ReduceAxis k{"k", K};
  Tensor A{"A", row.operand, {M, K}}, B{"B", row.operand, {K, N}}, C{"C", row.result, {M, N}};
  Program program{"product",
                  C(i, j) = sum(k, cast(row.result, A(i, k)) * cast(row.result, B(k, j)))};
};

}  // namespace hone
