//
// launch: grid (M, 1, 1), block (80, 1, 1), 12 bytes of shared memory

extern "C" __global__ void
rows(const float* __restrict__ A, float* __restrict__ S, int M, int N) {
  __shared__ float S_warps[3];
  const int i = blockIdx.x;
  const int t = threadIdx.x;
  float S_part = 0.0f;
  for (int k = t; k < N; k += 80) {
    S_part += A[i * N + k];
  }
  #pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    float S_other = __shfl_down_sync(0xffffffff >> (32 - min(32, 80 - t / 32 * 32)), S_part, offset);
    if (t % 32 + offset < min(32, 80 - t / 32 * 32)) {
      S_part += S_other;
    }
  }
  if (t % 32 == 0) {
    S_warps[t / 32] = S_part;
  }
  __syncthreads();
  const int t_2 = threadIdx.x;
  if (t_2 < 4) {
    float S_last = 0.0f;
    if (t_2 < 3) {
      S_last = S_warps[t_2];
    }
    #pragma unroll
    for (int offset_2 = 2; offset_2 > 0; offset_2 /= 2) {
      S_last += __shfl_down_sync(0xf, S_last, offset_2);
    }
    if (t_2 == 0) {
      S[i] = S_last;
    }
  }
}
