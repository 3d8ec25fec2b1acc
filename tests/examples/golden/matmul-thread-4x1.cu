// C(i, j) = sum(k, A(i, k) * B(k, j))
// auto [block_row, block_column, i_1, j_1] = s.tile({i, j}, {32, 32}, {.names = {"block_row", "block_column", nullptr, nullptr}});
// auto [thread_row, thread_column, row, column] = s.tile({i_1, j_1}, {4, 1}, {.names = {"thread_row", "thread_column", "row", "column"}});
// s.reorder({thread_row, thread_column, k, row, column});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(thread_row, thread.y);
// s.bind(thread_column, thread.x);
// s.cache_registers(C, thread_column);
// s.cache_registers(A, k);
// s.cache_registers(B, k);
//
// launch: grid ((N + 31) / 32, (M + 31) / 32, 1), block (32, 8, 1), 0 bytes of shared memory

extern "C" __global__ void __launch_bounds__(256)
matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  const int block_row = blockIdx.y;
  const int block_column = blockIdx.x;
  const int thread_row = threadIdx.y;
  const int thread_column = threadIdx.x;
  float C_reg[4];
  #pragma unroll
  for (int row_init = 0; row_init < 4; ++row_init) {
    for (int column_init = 0; column_init < 1; ++column_init) {
      C_reg[row_init] = 0.0f;
    }
  }
  const int i = block_row * 32 + thread_row * 4;
  const int j = block_column * 32 + thread_column;
  for (int k = 0; k < K; ++k) {
    float A_reg[4];
    #pragma unroll
    for (int A_reg_at = 0; A_reg_at < 4; ++A_reg_at) {
      A_reg[A_reg_at] = i + A_reg_at < M ? A[(i + A_reg_at) * K + k] : 0.0f;
    }
    float B_reg;
    if (j < N) {
      B_reg = B[k * N + j];
    }
    if (j < N) {
      #pragma unroll
      for (int row = 0; row < 4; ++row) {
        for (int column = 0; column < 1; ++column) {
          C_reg[row] += A_reg[row] * B_reg;
        }
      }
    }
  }
  if (j < N) {
    #pragma unroll
    for (int C_at = 0; C_at < 4; ++C_at) {
      if (i + C_at < M) {
        C[(i + C_at) * N + j] = C_reg[C_at];
      }
    }
  }
}
