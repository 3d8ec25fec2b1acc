// C(i, j) = sum(k, A(i, k) * B(k, j))
// auto [block_row, block_column, i_1, j_1] = s.tile({i, j}, {32, 32}, {.names = {"block_row", "block_column", nullptr, nullptr}});
// auto [thread_row, thread_column, row, column] = s.tile({i_1, j_1}, {2, 2}, {.names = {"thread_row", "thread_column", "row", "column"}});
// s.reorder({thread_row, thread_column, k, row, column});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(thread_row, thread.y);
// s.bind(thread_column, thread.x);
// s.cache_registers(C, thread_column);
// s.cache_registers(A, k);
// s.cache_registers(B, k);
//
// launch: grid ((N + 31) / 32, (M + 31) / 32, 1), block (16, 16, 1), 0 bytes of shared memory

extern "C" __global__ void __launch_bounds__(256)
matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  const int block_row = blockIdx.y;
  const int block_column = blockIdx.x;
  const int thread_row = threadIdx.y;
  const int thread_column = threadIdx.x;
  float C_reg[2][2] = {};
  const int i = block_row * 32 + thread_row * 2;
  const int j = block_column * 32 + thread_column * 2;
  for (int k = 0; k < K; ++k) {
    float A_reg[2];
    #pragma unroll
    for (int A_reg_at = 0; A_reg_at < 2; ++A_reg_at) {
      A_reg[A_reg_at] = i + A_reg_at < M ? A[(i + A_reg_at) * K + k] : 0.0f;
    }
    float B_reg[2];
    #pragma unroll
    for (int B_reg_at = 0; B_reg_at < 2; ++B_reg_at) {
      B_reg[B_reg_at] = j + B_reg_at < N ? B[k * N + j + B_reg_at] : 0.0f;
    }
    #pragma unroll
    for (int row = 0; row < 2; ++row) {
      #pragma unroll
      for (int column = 0; column < 2; ++column) {
        C_reg[row][column] += A_reg[row] * B_reg[column];
      }
    }
  }
  #pragma unroll
  for (int C_at = 0; C_at < 2; ++C_at) {
    if (i + C_at < M) {
      #pragma unroll
      for (int C_at_2 = 0; C_at_2 < 2; ++C_at_2) {
        if (j + C_at_2 < N) {
          C[(i + C_at) * N + j + C_at_2] = C_reg[C_at][C_at_2];
        }
      }
    }
  }
}
