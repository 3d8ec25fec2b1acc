// D(i) = C(i) / (A(i) * A(i) + B(i) * B(i) + 1.0)
// auto [chunk, i_1] = s.split(i, 65536, {.tail = Tail::peel, .names = {"chunk", nullptr}});
// auto [i_2, element] = s.split(i_1, 8, {.names = {"i", "element"}});
// s.unroll(element);
// s.bind(chunk, parallel);

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

void hone_combine(const float* restrict C, const float* restrict A, const float* restrict B, float* restrict D, long n) {
  #pragma omp parallel for
  for (long chunk = 0; chunk < n / 65536 * 65536; chunk += 65536) {
    for (long i = 0; i < 65536; i += 8) {
      #pragma GCC unroll 8
      for (long element = 0; element < 8; ++element) {
        D[chunk + i + element] = C[chunk + i + element] / (A[chunk + i + element] * A[chunk + i + element] + B[chunk + i + element] * B[chunk + i + element] + 1.0f);
      }
    }
  }
  for (long i_tail = 0; i_tail < n % 65536; ++i_tail) {
    D[n / 65536 * 65536 + i_tail] = C[n / 65536 * 65536 + i_tail] / (A[n / 65536 * 65536 + i_tail] * A[n / 65536 * 65536 + i_tail] + B[n / 65536 * 65536 + i_tail] * B[n / 65536 * 65536 + i_tail] + 1.0f);
  }
}
