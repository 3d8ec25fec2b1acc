// D(i) = C(i) / (A(i) * A(i) + B(i) * B(i) + 1.0)
// auto [i_0, i_1] = s.split(i, 65536, {.tail = Tail::peel});
// auto [i_1_0, i_1_1] = s.split(i_1, 8);
// s.unroll(i_1_1);
// s.bind(i_0, parallel);

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

void hone_combine(const float* restrict C, const float* restrict A, const float* restrict B, float* restrict D, long n) {
  #pragma omp parallel for
  for (long i_0 = 0; i_0 < n / 65536 * 65536; i_0 += 65536) {
    for (long i_1_0 = 0; i_1_0 < 65536; i_1_0 += 8) {
      #pragma GCC unroll 8
      for (long i_1_1 = 0; i_1_1 < 8; ++i_1_1) {
        D[i_0 + i_1_0 + i_1_1] = C[i_0 + i_1_0 + i_1_1] / (A[i_0 + i_1_0 + i_1_1] * A[i_0 + i_1_0 + i_1_1] + B[i_0 + i_1_0 + i_1_1] * B[i_0 + i_1_0 + i_1_1] + 1.0f);
      }
    }
  }
  for (long i_tail = 0; i_tail < n % 65536; ++i_tail) {
    D[n / 65536 * 65536 + i_tail] = C[n / 65536 * 65536 + i_tail] / (A[n / 65536 * 65536 + i_tail] * A[n / 65536 * 65536 + i_tail] + B[n / 65536 * 65536 + i_tail] * B[n / 65536 * 65536 + i_tail] + 1.0f);
  }
}
