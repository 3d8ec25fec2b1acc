// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.assume(M % 64 == 0);
// s.assume(N % 64 == 0);
// s.assume(K % 64 == 0);
// auto [i_0, i_1] = s.split(i, 64);
// auto [k_0, k_1] = s.split(k, 64);
// auto [j_0, j_1] = s.split(j, 64);
// s.reorder({i_0, k_0, j_0, i_1, k_1, j_1});
// auto [k_1_0, k_1_1] = s.split(k_1, 4);
// s.reorder({k_1_0, j_1, k_1_1});
// s.cache_registers(C, j_1);
// s.unroll(k_1_1);

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

void hone_matmul(const float* restrict A, const float* restrict B, float* restrict C, long M, long N, long K) {
  for (long i_0 = 0; i_0 < M; i_0 += 64) {
    for (long j_0_init = 0; j_0_init < N; j_0_init += 64) {
      for (long i_1_init = 0; i_1_init < 64; ++i_1_init) {
        for (long j_1_init = 0; j_1_init < 64; ++j_1_init) {
          C[(i_0 + i_1_init) * N + j_0_init + j_1_init] = 0.0f;
        }
      }
    }
    for (long k_0 = 0; k_0 < K; k_0 += 64) {
      for (long j_0 = 0; j_0 < N; j_0 += 64) {
        for (long i_1 = 0; i_1 < 64; ++i_1) {
          for (long k_1_0 = 0; k_1_0 < 64; k_1_0 += 4) {
            for (long j_1 = 0; j_1 < 64; ++j_1) {
              float C_reg = C[(i_0 + i_1) * N + j_0 + j_1];
              #pragma GCC unroll 4
              for (long k_1_1 = 0; k_1_1 < 4; ++k_1_1) {
                C_reg += A[(i_0 + i_1) * K + k_0 + k_1_0 + k_1_1] * B[(k_0 + k_1_0 + k_1_1) * N + j_0 + j_1];
              }
              C[(i_0 + i_1) * N + j_0 + j_1] = C_reg;
            }
          }
        }
      }
    }
  }
}
