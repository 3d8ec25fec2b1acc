// D(i, j) = alpha() * sum(k, A(i, k) * B(k, j)) + beta() * C(i, j)
// auto [block_row, block_column, row, column] = s.tile({i, j}, {32, 32}, {.names = {"block_row", "block_column", "row", "column"}});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(row, thread.y);
// s.bind(column, thread.x);
// s.cache_registers(D, column);
//
// launch: grid ((N + 31) / 32, (M + 31) / 32, 1), block (32, 32, 1), 0 bytes of shared memory

extern "C" __global__ void
gemm(const float* __restrict__ alpha, const float* __restrict__ A, const float* __restrict__ B, const float* __restrict__ beta, const float* __restrict__ C, float* __restrict__ D, int M, int N, int K) {
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M && j < N) {
    float D_reg = 0.0f;
    for (int k = 0; k < K; ++k) {
      D_reg += A[i * K + k] * B[k * N + j];
    }
    D_reg = alpha[0] * D_reg + beta[0] * C[i * N + j];
    D[i * N + j] = D_reg;
  }
}
