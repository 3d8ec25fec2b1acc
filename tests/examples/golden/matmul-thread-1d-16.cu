// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.assume(M % 16 == 0);
// s.assume(N % 16 == 0);
// s.assume(K % 16 == 0);
// auto [block_row, block_column, i_1, column] = s.tile({i, j}, {16, 16}, {.names = {"block_row", "block_column", nullptr, "column"}});
// auto [row, thread_row] = s.split(i_1, 2, {.names = {"row", "thread_row"}});
// auto [step, k_2] = s.split(k, 16, {.names = {"step", "k"}});
// s.reorder({block_row, block_column, thread_row, column, step, k_2, row});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(thread_row, thread.y);
// s.bind(column, thread.x);
// s.cache_registers(C, column);
// auto A_shared = s.cache_shared(A, step);
// auto B_shared = s.cache_shared(B, step);
// s.cache_registers(B_shared, k_2);
// auto [A_shared_0, A_column] = s.copy_loops(A_shared, {.names = {nullptr, "A_column"}});
// auto [A_shared_0_0, A_row] = s.split(A_shared_0, 2, {.names = {nullptr, "A_row"}});
// s.bind(A_row, thread.y);
// s.bind(A_column, thread.x);
// auto [B_shared_0, B_column] = s.copy_loops(B_shared, {.names = {nullptr, "B_column"}});
// auto [B_shared_0_0, B_row] = s.split(B_shared_0, 2, {.names = {nullptr, "B_row"}});
// s.bind(B_row, thread.y);
// s.bind(B_column, thread.x);
// s.merge(A_shared_0_0, B_shared_0_0);
// Axis load_row = s.rename(A_shared_0_0, "load_row");
// s.unroll(load_row);
// s.unroll(k_2);
//
// launch: grid (N / 16, M / 16, 1), block (16, 2, 1), 2048 bytes of shared memory

extern "C" __global__ void __launch_bounds__(32)
matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ float A_shared[16][16];
  __shared__ float B_shared[16][16];
  const int block_row = blockIdx.y;
  const int block_column = blockIdx.x;
  const int thread_row = threadIdx.y;
  const int column = threadIdx.x;
  float C_reg[8] = {};
  for (int step = 0; step < K; step += 16) {
    #pragma unroll
    for (int load_row = 0; load_row < 16; load_row += 2) {
      A_shared[load_row + thread_row][column] = A[(block_row * 16 + load_row + thread_row) * K + step + column];
      B_shared[load_row + thread_row][column] = B[(step + load_row + thread_row) * N + block_column * 16 + column];
    }
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < 16; ++k) {
      float B_reg = B_shared[k][column];
      #pragma unroll
      for (int row = 0; row < 8; ++row) {
        C_reg[row] += A_shared[row * 2 + thread_row][k] * B_reg;
      }
    }
    __syncthreads();
  }
  #pragma unroll
  for (int C_at = 0; C_at < 8; ++C_at) {
    C[(block_row * 16 + thread_row + C_at * 2) * N + block_column * 16 + column] = C_reg[C_at];
  }
}
