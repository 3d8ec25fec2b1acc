// C(i, j) = sum(k, A(i, k) * B(k, j))
// auto [block_column, block_row, j_1, i_1] = s.tile({j, i}, {128, 128}, {.names = {"block_column", "block_row", nullptr, nullptr}});
// auto [thread_column, thread_row, column, row] = s.tile({j_1, i_1}, {8, 8}, {.names = {"thread_column", "thread_row", "column", "row"}});
// auto [step, k_2] = s.split(k, 8, {.names = {"step", "k"}});
// s.reorder({block_column, block_row, thread_column, thread_row, step, k_2, column, row});
// Axis thread_column_thread_row = s.fuse(thread_column, thread_row);
// s.bind(block_column, block.y);
// s.bind(block_row, block.x);
// s.bind(thread_column_thread_row, thread.x);
// s.cache_registers(C, thread_column_thread_row);
// auto A_shared = s.cache_shared(A, step);
// auto B_shared = s.cache_shared(B, step);
// s.cache_registers(A_shared, k_2);
// s.cache_registers(B_shared, k_2);
// s.unroll(k_2, 4);
//
// launch: grid ((M + 127) / 128, (N + 127) / 128, 1), block (256, 1, 1), 8192 bytes of shared memory

extern "C" __global__ void __launch_bounds__(256)
matmul_pitched_columns(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K, int lda, int ldb, int ldc) {
  __shared__ float A_shared[8][128];
  __shared__ float B_shared[128][8];
  const int block_column = blockIdx.y;
  const int block_row = blockIdx.x;
  const int thread_column = threadIdx.x / 16;
  const int thread_row = threadIdx.x % 16;
  const int A_shared_i = threadIdx.x % 128;
  const int A_shared_k = threadIdx.x / 128;
  const int B_shared_k = threadIdx.x % 8;
  const int B_shared_j = threadIdx.x / 8;
  float C_reg[8][8];
  #pragma unroll
  for (int column_init = 0; column_init < 8; ++column_init) {
    #pragma unroll
    for (int row_init = 0; row_init < 8; ++row_init) {
      C_reg[row_init][column_init] = 0.0f;
    }
  }
  for (int step = 0; step < K; step += 8) {
    #pragma unroll
    for (int A_shared_s = 0; A_shared_s < 8; A_shared_s += 2) {
      A_shared[A_shared_s + A_shared_k][A_shared_i] = (block_row * 128 + A_shared_i < M && step + A_shared_s + A_shared_k < K) ? A[(step + A_shared_s + A_shared_k) * lda + block_row * 128 + A_shared_i] : 0.0f;
    }
    #pragma unroll
    for (int B_shared_s = 0; B_shared_s < 128; B_shared_s += 32) {
      B_shared[B_shared_s + B_shared_j][B_shared_k] = (step + B_shared_k < K && block_column * 128 + B_shared_s + B_shared_j < N) ? B[(block_column * 128 + B_shared_s + B_shared_j) * ldb + step + B_shared_k] : 0.0f;
    }
    __syncthreads();
    #pragma unroll 4
    for (int k = 0; k < 8; ++k) {
      float A_reg[8];
      #pragma unroll
      for (int A_reg_at = 0; A_reg_at < 8; ++A_reg_at) {
        A_reg[A_reg_at] = A_shared[k][thread_row * 8 + A_reg_at];
      }
      float B_reg[8];
      #pragma unroll
      for (int B_reg_at = 0; B_reg_at < 8; ++B_reg_at) {
        B_reg[B_reg_at] = B_shared[thread_column * 8 + B_reg_at][k];
      }
      #pragma unroll
      for (int column = 0; column < 8; ++column) {
        #pragma unroll
        for (int row = 0; row < 8; ++row) {
          C_reg[row][column] += A_reg[row] * B_reg[column];
        }
      }
    }
    __syncthreads();
  }
  const int j = block_column * 128 + thread_column * 8;
  const int i = block_row * 128 + thread_row * 8;
  #pragma unroll
  for (int C_at = 0; C_at < 8; ++C_at) {
    if (j + C_at < N) {
      #pragma unroll
      for (int C_at_2 = 0; C_at_2 < 8; ++C_at_2) {
        if (i + C_at_2 < M) {
          C[(j + C_at) * ldc + i + C_at_2] = C_reg[C_at_2][C_at];
        }
      }
    }
  }
}
