// C(i, j) = sum(k, A(i, k) * B(k, j))
// auto [block_row, block_column, row, column] = s.tile({i, j}, {32, 32}, {.names = {"block_row", "block_column", "row", "column"}});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(row, thread.y);
// s.bind(column, thread.x);
// s.cache_registers(C, column);
//
// launch: grid ((N + 31) / 32, (M + 31) / 32, 1), block (32, 32, 1), 0 bytes of shared memory

extern "C" __global__ void
matmul_pitched(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K, int lda, int ldb, int ldc) {
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M && j < N) {
    float C_reg = 0.0f;
    for (int k = 0; k < K; ++k) {
      C_reg += A[i * lda + k] * B[k * ldb + j];
    }
    C[i * ldc + j] = C_reg;
  }
}
