// C(i, j) = sum(k, A(i, k) * B(k, j))
// auto [block_column, block_row, column, row] = s.tile({j, i}, {32, 32}, {.names = {"block_column", "block_row", "column", "row"}});
// s.bind(block_column, block.y);
// s.bind(block_row, block.x);
// s.bind(column, thread.y);
// s.bind(row, thread.x);
// s.cache_registers(C, row);
//
// launch: grid ((M + 31) / 32, (N + 31) / 32, 1), block (32, 32, 1), 0 bytes of shared memory

extern "C" __global__ void
matmul_column_major(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i < M && j < N) {
    float C_reg = 0.0f;
    for (int k = 0; k < K; ++k) {
      C_reg += A[k * M + i] * B[j * K + k];
    }
    C[j * M + i] = C_reg;
  }
}
