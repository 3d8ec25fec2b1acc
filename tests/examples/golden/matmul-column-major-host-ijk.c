// C(i, j) = sum(k, A(i, k) * B(k, j))

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

void hone_matmul_column_major(const float* restrict A, const float* restrict B, float* restrict C, long M, long N, long K) {
  for (long i = 0; i < M; ++i) {
    for (long j = 0; j < N; ++j) {
      C[j * M + i] = 0.0f;
      for (long k = 0; k < K; ++k) {
        C[j * M + i] += A[k * M + i] * B[j * K + k];
      }
    }
  }
}
