// C(i, j) = sum(k, A(i, k) * B(k, j))
// auto [j_0, i_0, j_1, i_1] = s.tile({j, i}, {32, 32});
// Axis block_column = s.rename(j_0, "block_column");
// Axis block_row = s.rename(i_0, "block_row");
// Axis column = s.rename(j_1, "column");
// Axis row = s.rename(i_1, "row");
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
