// The programs that tests of cache_registers share.
#pragma once

#include "ir/text/parser.h"
#include "tests/support/ir/expect_rewrite.h"

namespace hone {

/// cache_registers of the tensor under the axis.
inline Rewriting caches(llvm::StringRef name, llvm::StringRef under) {
  return [=](const Function& f) {
    return cache_registers(f, tensor(f, name), axis(f, under)).function;
  };
}

inline constexpr const char* matmul = R"(func f[M, N, K](A: f32[M, K], B: f32[K, N], C: f32[M, N]) {
  for i in 0..M {
    for j in 0..N {
      C[i, j] = 0.0
      reduce k in 0..K { C[i, j] += A[i, k] * B[k, j] }
    }
  }
})";

/// As matmul, in tiles of 2 x 4 with the reduction outside.
inline Function tiled_matmul() {
  const Function f = parse_function(matmul);
  const Rewrite tiles = tile(f, axes(f, {"i", "j"}), {2, 4}, Tail::guard);
  const Function& g = tiles.function;
  return reorder(g, {tiles.axes[0], tiles.axes[1], axis(g, "k"), tiles.axes[2], tiles.axes[3]})
      .function;
}

}  // namespace hone
