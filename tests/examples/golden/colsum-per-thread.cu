// S(j) = sum(k, X(k, j))
// auto [block_column, column] = s.split(j, 128, {.names = {"block_column", "column"}});
// s.bind(block_column, block.x);
// s.bind(column, thread.x);
// s.cache_registers(S, column);
//
// launch: grid ((N + 127) / 128, 1, 1), block (128, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
colsum(const float* __restrict__ X, float* __restrict__ S, int N, int M) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j < N) {
    float S_reg = 0.0f;
    for (int k = 0; k < M; ++k) {
      S_reg += X[k * N + j];
    }
    S[j] = S_reg;
  }
}
