// Programs of several definitions, to be placed in one another.
#pragma once

#include "tests/support/ir/steps.h"

namespace hone {

inline constexpr const char* softmax = R"(func softmax[M, N](X: f32[M, N], Y: f32[M, N]) {
  alloc m: f32[M] @global
  alloc S: f32[M] @global
  for i in 0..M { m[i] = -inf reduce k in 0..N { m[i] max= X[i, k] } }
  for i.S in 0..M { S[i.S] = 0.0 reduce k.S in 0..N { S[i.S] += exp(X[i.S, k.S] - m[i.S]) } }
  for i.Y in 0..M { for j in 0..N { Y[i.Y, j] = exp(X[i.Y, j] - m[i.Y]) / S[i.Y] } }
})";

/// Three neighbours of three neighbours.
inline constexpr const char* blur = R"(func blur[N](X: f32[N + 4], Y: f32[N]) {
  alloc T: f32[N + 2] @global
  for n in 0..N + 2 { T[n] = X[n] + X[n + 1] + X[n + 2] }
  for i in 0..N { Y[i] = T[i] + T[i + 1] + T[i + 2] }
})";

inline constexpr const char* gemm =
    R"(func gemm[M, N, K](A: f32[M, K], B: f32[K, N], E: f32[N], D: f32[M, N]) {
  alloc C: f32[M, N] @global
  for i in 0..M { for j in 0..N {
    C[i, j] = 0.0
    reduce k in 0..K { C[i, j] += A[i, k] * B[k, j] }
  } }
  for i.D in 0..M { for j.D in 0..N { D[i.D, j.D] = max(C[i.D, j.D] + E[j.D], 0.0) } }
})";

}  // namespace hone
