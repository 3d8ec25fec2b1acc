// S(i) = sum(k, X(i, k))
// s.bind(i, block.x);
// auto [k_0, k_1] = s.split(k, 256);
// s.reorder({k_1, k_0});
// s.bind(k_1, thread.x, Combine::two_level);
//
// launch: grid (M, 1, 1), block (256, 1, 1), 32 bytes of shared memory

extern "C" __global__ void
rowsum(const float* __restrict__ X, float* __restrict__ S, int M, int N) {
  __shared__ float S_warps[8];
  const int i = blockIdx.x;
  const int k_1 = threadIdx.x;
  float S_part = 0.0f;
  for (int k_0 = k_1; k_0 < N; k_0 += 256) {
    S_part += X[i * N + k_0];
  }
  #pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    S_part += __shfl_down_sync(0xffffffff, S_part, offset);
  }
  if (k_1 % 32 == 0) {
    S_warps[k_1 / 32] = S_part;
  }
  __syncthreads();
  const int t = threadIdx.x;
  if (t < 8) {
    float S_last = S_warps[t];
    #pragma unroll
    for (int offset_2 = 4; offset_2 > 0; offset_2 /= 2) {
      S_last += __shfl_down_sync(0xff, S_last, offset_2);
    }
    if (t == 0) {
      S[i] = S_last;
    }
  }
}
