// C(i, j) = sum(k, A(k, i) * B(j, k))
// auto [block_row, block_column, i_1, j_1] = s.tile({i, j}, {128, 128}, {.names = {"block_row", "block_column", nullptr, nullptr}});
// auto [thread_row, thread_column, row, column] = s.tile({i_1, j_1}, {8, 8}, {.names = {"thread_row", "thread_column", "row", "column"}});
// auto [step, k_2] = s.split(k, 8, {.names = {"step", "k"}});
// s.reorder({block_row, block_column, thread_row, thread_column, step, k_2, row, column});
// Axis thread_row_thread_column = s.fuse(thread_row, thread_column);
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(thread_row_thread_column, thread.x);
// s.cache_registers(C, thread_row_thread_column);
// auto A_shared = s.cache_shared(A, step);
// auto B_shared = s.cache_shared(B, step, {.layout = Layout::order({1, 0}).pad(4)});
// s.cache_registers(A_shared, k_2);
// s.cache_registers(B_shared, k_2);
//
// launch: grid ((N + 127) / 128, (M + 127) / 128, 1), block (256, 1, 1), 8320 bytes of shared memory

extern "C" __global__ void __launch_bounds__(256)
matmul_transposed(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ float A_shared[8][128];
  __shared__ float B_shared[8][132];
  const int block_row = blockIdx.y;
  const int block_column = blockIdx.x;
  const int thread_row = threadIdx.x / 16;
  const int thread_column = threadIdx.x % 16;
  const int A_shared_k = threadIdx.x / 128;
  const int A_shared_i = threadIdx.x % 128;
  const int B_shared_j = threadIdx.x / 8;
  const int B_shared_k = threadIdx.x % 8;
  float C_reg[8][8] = {};
  for (int step = 0; step < K; step += 8) {
    #pragma unroll
    for (int A_shared_s = 0; A_shared_s < 8; A_shared_s += 2) {
      A_shared[A_shared_s + A_shared_k][A_shared_i] = (step + A_shared_s + A_shared_k < K && block_row * 128 + A_shared_i < M) ? A[(step + A_shared_s + A_shared_k) * M + block_row * 128 + A_shared_i] : 0.0f;
    }
    #pragma unroll
    for (int B_shared_s = 0; B_shared_s < 128; B_shared_s += 32) {
      B_shared[B_shared_k][B_shared_s + B_shared_j] = (block_column * 128 + B_shared_s + B_shared_j < N && step + B_shared_k < K) ? B[(block_column * 128 + B_shared_s + B_shared_j) * K + step + B_shared_k] : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < 8; ++k) {
      float A_reg[8];
      #pragma unroll
      for (int A_reg_at = 0; A_reg_at < 8; ++A_reg_at) {
        A_reg[A_reg_at] = A_shared[k][thread_row * 8 + A_reg_at];
      }
      float B_reg[8];
      #pragma unroll
      for (int B_reg_at = 0; B_reg_at < 8; ++B_reg_at) {
        B_reg[B_reg_at] = B_shared[k][thread_column * 8 + B_reg_at];
      }
      #pragma unroll
      for (int row = 0; row < 8; ++row) {
        #pragma unroll
        for (int column = 0; column < 8; ++column) {
          C_reg[row][column] += A_reg[row] * B_reg[column];
        }
      }
    }
    __syncthreads();
  }
  const int i = block_row * 128 + thread_row * 8;
  const int j = block_column * 128 + thread_column * 8;
  #pragma unroll
  for (int C_at = 0; C_at < 8; ++C_at) {
    if (i + C_at < M) {
      #pragma unroll
      for (int C_at_2 = 0; C_at_2 < 8; ++C_at_2) {
        if (j + C_at_2 < N) {
          C[(i + C_at) * N + j + C_at_2] = C_reg[C_at][C_at_2];
        }
      }
    }
  }
}
