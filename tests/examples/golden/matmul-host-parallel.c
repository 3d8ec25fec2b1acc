// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.assume(M % 64 == 0);
// s.assume(N % 64 == 0);
// s.assume(K % 64 == 0);
// auto [block_row, row] = s.split(i, 64, {.names = {"block_row", "row"}});
// auto [step, k_2] = s.split(k, 64, {.names = {"step", "k"}});
// auto [block_column, column] = s.split(j, 64, {.names = {"block_column", "column"}});
// s.reorder({block_row, step, block_column, row, k_2, column});
// auto [k_3, product] = s.split(k_2, 4, {.names = {"k", "product"}});
// s.reorder({k_3, column, product});
// s.cache_registers(C, column);
// s.unroll(product);
// s.bind(block_row, parallel);

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

void hone_matmul(const float* restrict A, const float* restrict B, float* restrict C, long M, long N, long K) {
  #pragma omp parallel for
  for (long block_row = 0; block_row < M; block_row += 64) {
    for (long block_column_init = 0; block_column_init < N; block_column_init += 64) {
      for (long row_init = 0; row_init < 64; ++row_init) {
        for (long column_init = 0; column_init < 64; ++column_init) {
          C[(block_row + row_init) * N + block_column_init + column_init] = 0.0f;
        }
      }
    }
    for (long step = 0; step < K; step += 64) {
      for (long block_column = 0; block_column < N; block_column += 64) {
        for (long row = 0; row < 64; ++row) {
          for (long k = 0; k < 64; k += 4) {
            for (long column = 0; column < 64; ++column) {
              float C_reg = C[(block_row + row) * N + block_column + column];
              #pragma GCC unroll 4
              for (long product = 0; product < 4; ++product) {
                C_reg += A[(block_row + row) * K + step + k + product] * B[(step + k + product) * N + block_column + column];
              }
              C[(block_row + row) * N + block_column + column] = C_reg;
            }
          }
        }
      }
    }
  }
}
