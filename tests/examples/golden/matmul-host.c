// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.may_alias();

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

void hone_matmul(const float* A, const float* B, float* C, long M, long N, long K) {
  for (long i = 0; i < M; ++i) {
    for (long j = 0; j < N; ++j) {
      C[i * N + j] = 0.0f;
      for (long k = 0; k < K; ++k) {
        C[i * N + j] += A[i * K + k] * B[k * N + j];
      }
    }
  }
}
