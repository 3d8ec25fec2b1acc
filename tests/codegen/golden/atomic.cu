//
// launch: grid (M, 1, 1), block (128, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
rows(const float* __restrict__ A, float* __restrict__ S, int M, int N) {
  const int i = blockIdx.x;
  if (threadIdx.x == 0) {
    S[i] = 0.0f;
  }
  __syncthreads();
  const int t = threadIdx.x;
  for (int k = t; k < N; k += 128) {
    atomicAdd(&S[i], A[i * N + k]);
  }
}
