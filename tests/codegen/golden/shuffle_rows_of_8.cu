//
// launch: grid ((M + 3) / 4, 1, 1), block (8, 4, 1), 0 bytes of shared memory

extern "C" __global__ void
rows(const float* __restrict__ A, float* __restrict__ S, int M) {
  const int i = blockIdx.x * 4 + threadIdx.y;
  if (threadIdx.x == 0 && i < M) {
    S[i] = 0.0f;
  }
  const int t = threadIdx.x;
  float S_part = 0.0f;
  if (i < M) {
    S_part += A[i * 8 + t];
  }
  #pragma unroll
  for (int offset = 4; offset > 0; offset /= 2) {
    S_part += __shfl_down_sync(0xffffffff, S_part, offset);
  }
  if (t == 0 && i < M) {
    S[i] += S_part;
  }
}
