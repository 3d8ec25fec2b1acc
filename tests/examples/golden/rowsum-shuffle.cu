// S(i) = sum(k, X(i, k))
// s.bind(i, block.x);
// auto [k_2, k_thread] = s.split(k, 256, {.names = {"k", "k_thread"}});
// s.reorder({k_thread, k_2});
// s.bind(k_thread, thread.x, Combine::two_level);
//
// launch: grid (M, 1, 1), block (256, 1, 1), 32 bytes of shared memory

extern "C" __global__ void
rowsum(const float* __restrict__ X, float* __restrict__ S, int M, int N) {
  __shared__ float S_warps[8];
  const int i = blockIdx.x;
  const int k_thread = threadIdx.x;
  float S_part = 0.0f;
  for (int k = k_thread; k < N; k += 256) {
    S_part += X[i * N + k];
  }
  #pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    S_part += __shfl_down_sync(0xffffffff, S_part, offset);
  }
  if (k_thread % 32 == 0) {
    S_warps[k_thread / 32] = S_part;
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
