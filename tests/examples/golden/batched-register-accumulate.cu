// C(b, i, j) = sum(k, A(b, i, k) * B(b, k, j))
// s.bind(b, block.z);
// auto [block_row, block_column, row, column] = s.tile({i, j}, {32, 32}, {.names = {"block_row", "block_column", "row", "column"}});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(row, thread.y);
// s.bind(column, thread.x);
// s.cache_registers(C, column);
//
// launch: grid ((N + 31) / 32, (M + 31) / 32, batch), block (32, 32, 1), 0 bytes of shared memory

extern "C" __global__ void
batched(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int batch, int M, int N, int K) {
  const int b = blockIdx.z;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M && j < N) {
    float C_reg = 0.0f;
    for (int k = 0; k < K; ++k) {
      C_reg += A[(b * M + i) * K + k] * B[(b * K + k) * N + j];
    }
    C[(b * M + i) * N + j] = C_reg;
  }
}
