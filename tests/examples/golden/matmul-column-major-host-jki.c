// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.reorder({j, k, i});

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

void hone_matmul_column_major(const float* restrict A, const float* restrict B, float* restrict C, long M, long N, long K) {
  for (long j = 0; j < N; ++j) {
    for (long i_init = 0; i_init < M; ++i_init) {
      C[j * M + i_init] = 0.0f;
    }
    for (long k = 0; k < K; ++k) {
      for (long i = 0; i < M; ++i) {
        C[j * M + i] += A[k * M + i] * B[j * K + k];
      }
    }
  }
}
