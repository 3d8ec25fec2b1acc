// D(i) = C(i) / (A(i) * A(i) + B(i) * B(i) + 1.0)
// auto [i_0, i_1] = s.split(i, 8, {.tail = Tail::peel});
// s.unroll(i_1);

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

void hone_combine(const float* restrict C, const float* restrict A, const float* restrict B, float* restrict D, long n) {
  for (long i_0 = 0; i_0 < n / 8 * 8; i_0 += 8) {
    #pragma GCC unroll 8
    for (long i_1 = 0; i_1 < 8; ++i_1) {
      D[i_0 + i_1] = C[i_0 + i_1] / (A[i_0 + i_1] * A[i_0 + i_1] + B[i_0 + i_1] * B[i_0 + i_1] + 1.0f);
    }
  }
  for (long i_tail = 0; i_tail < n % 8; ++i_tail) {
    D[n / 8 * 8 + i_tail] = C[n / 8 * 8 + i_tail] / (A[n / 8 * 8 + i_tail] * A[n / 8 * 8 + i_tail] + B[n / 8 * 8 + i_tail] * B[n / 8 * 8 + i_tail] + 1.0f);
  }
}
