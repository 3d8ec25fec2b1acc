// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.assume(M % 32 == 0);
// s.assume(N % 32 == 0);
// s.assume(K % 32 == 0);
// auto [block_column, block_row, column, row] = s.tile({j, i}, {32, 32}, {.names = {"block_column", "block_row", "column", "row"}});
// s.bind(block_column, block.y);
// s.bind(block_row, block.x);
// s.bind(column, thread.y);
// s.bind(row, thread.x);
// auto [step, k_2] = s.split(k, 32, {.names = {"step", "k"}});
// s.cache_registers(C, row);
// auto A_shared = s.cache_shared(A, step);
// auto B_shared = s.cache_shared(B, step);
//
// launch: grid (M / 32, N / 32, 1), block (32, 32, 1), 8192 bytes of shared memory

extern "C" __global__ void
matmul_pitched_columns(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K, int lda, int ldb, int ldc) {
  __shared__ float A_shared[32][32];
  __shared__ float B_shared[32][32];
  const int block_column = blockIdx.y;
  const int block_row = blockIdx.x;
  const int column = threadIdx.y;
  const int row = threadIdx.x;
  float C_reg = 0.0f;
  for (int step = 0; step < K; step += 32) {
    A_shared[column][row] = A[(step + column) * lda + block_row * 32 + row];
    B_shared[column][row] = B[(block_column * 32 + column) * ldb + step + row];
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
      C_reg += A_shared[k][row] * B_shared[column][k];
    }
    __syncthreads();
  }
  C[(block_column * 32 + column) * ldc + block_row * 32 + row] = C_reg;
}
