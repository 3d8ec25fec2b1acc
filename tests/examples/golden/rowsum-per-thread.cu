// S(i) = sum(k, X(i, k))
// auto [block_row, row] = s.split(i, 128, {.names = {"block_row", "row"}});
// s.bind(block_row, block.x);
// s.bind(row, thread.x);
// s.cache_registers(S, row);
//
// launch: grid ((M + 127) / 128, 1, 1), block (128, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
rowsum(const float* __restrict__ X, float* __restrict__ S, int M, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M) {
    float S_reg = 0.0f;
    for (int k = 0; k < N; ++k) {
      S_reg += X[i * N + k];
    }
    S[i] = S_reg;
  }
}
