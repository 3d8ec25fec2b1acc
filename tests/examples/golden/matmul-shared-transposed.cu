// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.assume(M % 32 == 0);
// s.assume(N % 32 == 0);
// s.assume(K % 32 == 0);
// auto [block_row, block_column, row, column] = s.tile({i, j}, {32, 32}, {.names = {"block_row", "block_column", "row", "column"}});
// s.bind(block_row, block.x);
// s.bind(block_column, block.y);
// s.bind(row, thread.x);
// s.bind(column, thread.y);
// auto [step, k_2] = s.split(k, 32, {.names = {"step", "k"}});
// s.cache_registers(C, column);
// auto A_shared = s.cache_shared(A, step, {.layout = Layout::order({1, 0})});
// auto B_shared = s.cache_shared(B, step, {.layout = Layout::order({1, 0})});
// auto [A_row, A_column] = s.copy_loops(A_shared, {.names = {"A_row", "A_column"}});
// s.bind(A_row, thread.x);
// s.bind(A_column, thread.y);
// auto [B_row, B_column] = s.copy_loops(B_shared, {.names = {"B_row", "B_column"}});
// s.bind(B_row, thread.x);
// s.bind(B_column, thread.y);
//
// launch: grid (M / 32, N / 32, 1), block (32, 32, 1), 8192 bytes of shared memory

extern "C" __global__ void
matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ float A_shared[32][32];
  __shared__ float B_shared[32][32];
  const int block_row = blockIdx.x;
  const int block_column = blockIdx.y;
  const int row = threadIdx.x;
  const int column = threadIdx.y;
  float C_reg = 0.0f;
  for (int step = 0; step < K; step += 32) {
    A_shared[column][row] = A[(block_row * 32 + row) * K + step + column];
    B_shared[column][row] = B[(step + row) * N + block_column * 32 + column];
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
      C_reg += A_shared[k][row] * B_shared[column][k];
    }
    __syncthreads();
  }
  C[(block_row * 32 + row) * N + block_column * 32 + column] = C_reg;
}
