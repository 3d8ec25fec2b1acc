//
// launch: grid ((N + 63) / 64, 1, 1), block (64, 1, 1), 8 bytes of shared memory

extern "C" __global__ void
total_1(const float* __restrict__ A, float* __restrict__ S, int N) {
  __shared__ float S_warps[2];
  const int b = blockIdx.x;
  const int t = threadIdx.x;
  float S_part = 0.0f;
  if (b * 64 + t < N) {
    S_part += A[b * 64 + t];
  }
  #pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    S_part += __shfl_down_sync(0xffffffff, S_part, offset);
  }
  if (t % 32 == 0) {
    S_warps[t / 32] = S_part;
  }
  __syncthreads();
  const int t_2 = threadIdx.x;
  if (t_2 < 2) {
    float S_last = S_warps[t_2];
    #pragma unroll
    for (int offset_2 = 1; offset_2 > 0; offset_2 /= 2) {
      S_last += __shfl_down_sync(0x3, S_last, offset_2);
    }
    if (t_2 == 0) {
      atomicAdd(&S[0], S_last);
    }
  }
}
