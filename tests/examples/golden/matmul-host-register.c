// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.cache_registers(C, j);

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

void hone_matmul(const float* restrict A, const float* restrict B, float* restrict C, long M, long N, long K) {
  for (long i = 0; i < M; ++i) {
    for (long j = 0; j < N; ++j) {
      float C_reg = 0.0f;
      for (long k = 0; k < K; ++k) {
        C_reg += A[i * K + k] * B[k * N + j];
      }
      C[i * N + j] = C_reg;
    }
  }
}
