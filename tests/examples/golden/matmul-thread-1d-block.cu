// C(i, j) = sum(k, A(i, k) * B(k, j))
// auto [block_row, block_column, i_1, column] = s.tile({i, j}, {64, 64}, {.names = {"block_row", "block_column", nullptr, "column"}});
// auto [thread_row, row] = s.split(i_1, 8, {.names = {"thread_row", "row"}});
// auto [step, k_2] = s.split(k, 8, {.names = {"step", "k"}});
// s.reorder({block_row, block_column, thread_row, column, step, k_2, row});
// Axis thread_row_column = s.fuse(thread_row, column);
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(thread_row_column, thread.x);
// s.cache_registers(C, thread_row_column);
// auto A_shared = s.cache_shared(A, step);
// auto B_shared = s.cache_shared(B, step);
// s.cache_registers(B_shared, k_2);
//
// launch: grid ((N + 63) / 64, (M + 63) / 64, 1), block (512, 1, 1), 4096 bytes of shared memory

extern "C" __global__ void __launch_bounds__(512)
matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ float A_shared[64][8];
  __shared__ float B_shared[8][64];
  const int block_row = blockIdx.y;
  const int block_column = blockIdx.x;
  const int thread_row = threadIdx.x / 64;
  const int column = threadIdx.x % 64;
  const int A_shared_i = threadIdx.x / 8;
  const int A_shared_k = threadIdx.x % 8;
  const int B_shared_k = threadIdx.x / 64;
  const int B_shared_j = threadIdx.x % 64;
  float C_reg[8] = {};
  for (int step = 0; step < K; step += 8) {
    A_shared[A_shared_i][A_shared_k] = (block_row * 64 + A_shared_i < M && step + A_shared_k < K) ? A[(block_row * 64 + A_shared_i) * K + step + A_shared_k] : 0.0f;
    B_shared[B_shared_k][B_shared_j] = (step + B_shared_k < K && block_column * 64 + B_shared_j < N) ? B[(step + B_shared_k) * N + block_column * 64 + B_shared_j] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 8; ++k) {
      float B_reg = B_shared[k][column];
      #pragma unroll
      for (int row = 0; row < 8; ++row) {
        C_reg[row] += A_shared[thread_row * 8 + row][k] * B_reg;
      }
    }
    __syncthreads();
  }
  const int j = block_column * 64 + column;
  const int i = block_row * 64 + thread_row * 8;
  if (j < N) {
    #pragma unroll
    for (int C_at = 0; C_at < 8; ++C_at) {
      if (i + C_at < M) {
        C[(i + C_at) * N + j] = C_reg[C_at];
      }
    }
  }
}
