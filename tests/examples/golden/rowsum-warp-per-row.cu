// S(i) = sum(k, X(i, k))
// auto [block_row, row] = s.split(i, 8, {.names = {"block_row", "row"}});
// s.bind(block_row, block.x);
// s.bind(row, thread.y);
// auto [k_2, k_thread] = s.split(k, 32, {.names = {"k", "k_thread"}});
// s.reorder({k_thread, k_2});
// s.bind(k_thread, thread.x, Combine::shuffle);
// s.cache_registers(S, row);
//
// launch: grid ((M + 7) / 8, 1, 1), block (32, 8, 1), 0 bytes of shared memory

extern "C" __global__ void
rowsum(const float* __restrict__ X, float* __restrict__ S, int M, int N) {
  const int block_row = blockIdx.x;
  const int row = threadIdx.y;
  float S_reg;
  const int i = block_row * 8 + row;
  if (i < M) {
    S_reg = 0.0f;
  }
  const int k_thread = threadIdx.x;
  float S_reg_part = 0.0f;
  if (i < M) {
    for (int k = k_thread; k < N; k += 32) {
      S_reg_part += X[i * N + k];
    }
  }
  #pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    S_reg_part += __shfl_xor_sync(0xffffffff, S_reg_part, offset);
  }
  if (i < M) {
    S_reg += S_reg_part;
  }
  if (threadIdx.x == 0 && i < M) {
    S[i] = S_reg;
  }
}
