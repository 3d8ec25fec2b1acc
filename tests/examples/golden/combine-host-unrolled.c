// D(i) = C(i) / (A(i) * A(i) + B(i) * B(i) + 1.0)
// auto [i_2, element] = s.split(i, 8, {.tail = Tail::peel, .names = {"i", "element"}});
// s.unroll(element);

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

void hone_combine(const float* restrict C, const float* restrict A, const float* restrict B, float* restrict D, long n) {
  for (long i = 0; i < n / 8 * 8; i += 8) {
    #pragma GCC unroll 8
    for (long element = 0; element < 8; ++element) {
      D[i + element] = C[i + element] / (A[i + element] * A[i + element] + B[i + element] * B[i + element] + 1.0f);
    }
  }
  for (long i_tail = 0; i_tail < n % 8; ++i_tail) {
    D[n / 8 * 8 + i_tail] = C[n / 8 * 8 + i_tail] / (A[n / 8 * 8 + i_tail] * A[n / 8 * 8 + i_tail] + B[n / 8 * 8 + i_tail] * B[n / 8 * 8 + i_tail] + 1.0f);
  }
}
