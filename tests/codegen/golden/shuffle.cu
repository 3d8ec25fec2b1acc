//
// launch: grid (M, 1, 1), block (32, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
rows(const float* __restrict__ A, float* __restrict__ S, int M, int N) {
  const int i = blockIdx.x;
  const int t = threadIdx.x;
  float S_part = 0.0f;
  for (int k = t; k < N; k += 32) {
    S_part += A[i * N + k];
  }
  #pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    S_part += __shfl_down_sync(0xffffffff, S_part, offset);
  }
  if (t == 0) {
    S[i] = S_part;
  }
}
