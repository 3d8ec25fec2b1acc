// S(i) = sum(k, X(i, k))
// auto [i_0, i_1] = s.split(i, 8);
// s.bind(i_0, block.x);
// s.bind(i_1, thread.y);
// auto [k_0, k_1] = s.split(k, 32);
// s.reorder({k_1, k_0});
// s.bind(k_1, thread.x, Combine::shuffle);
// s.cache_registers(S, i_1);
//
// launch: grid ((M + 7) / 8, 1, 1), block (32, 8, 1), 0 bytes of shared memory

extern "C" __global__ void
rowsum(const float* __restrict__ X, float* __restrict__ S, int M, int N) {
  const int i_0 = blockIdx.x;
  const int i_1 = threadIdx.y;
  float S_reg;
  const int i = i_0 * 8 + i_1;
  if (i < M) {
    S_reg = 0.0f;
  }
  const int k_1 = threadIdx.x;
  float S_reg_part = 0.0f;
  if (i < M) {
    for (int k_0 = k_1; k_0 < N; k_0 += 32) {
      S_reg_part += X[i * N + k_0];
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
