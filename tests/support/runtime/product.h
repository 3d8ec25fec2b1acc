// A product of matrices, for tests that schedule it.
#pragma once

#include "dsl/schedule.h"

namespace hone {

struct ProductProgram {
  Param M{"M"}, N{"N"}, K{"K"};
  Axis i{"i", M}, j{"j", N};
  ReduceAxis k{"k", K};
  Tensor A{"A", f32, {M, K}}, B{"B", f32, {K, N}}, C{"C", f32, {M, N}};
  Program program{"product", C(i, j) = sum(k, A(i, k) * B(k, j))};

  /// A schedule with the loop over the tiles of both operands, and the one in them.
  struct Tiled {
    Schedule schedule;
    Axis ko, ki;
    Cache A_shared, B_shared;
  };
  /// Tiles of 16 x 16 for 8 x 8 threads, 4 deep.
  Tiled tiled_for_threads() const;
  /// Tiles of 16 x 32 for two warps, 4 deep.
  Tiled tiled_for_warps() const;
  /// Square tiles, an element a thread, 8 deep: asynchronous copies in vectors of 16 bytes, for
  /// sizes that keep these promises.
  Schedule pipelined_in_vectors(int64_t tile, int64_t stages, llvm::ArrayRef<Expr> promises) const;
};

}  // namespace hone
