// D(i) = C(i) / (A(i) * A(i) + B(i) * B(i) + 1.0)

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

void hone_combine(const float* restrict C, const float* restrict A, const float* restrict B, float* restrict D, long n) {
  for (long i = 0; i < n; ++i) {
    D[i] = C[i] / (A[i] * A[i] + B[i] * B[i] + 1.0f);
  }
}
