//
// launch: grid (M, 1, 1), block (48, 1, 1), 192 bytes of shared memory

extern "C" __global__ void
rows(const float* __restrict__ A, float* __restrict__ S, int M, int N) {
  __shared__ float S_tree[48];
  const int i = blockIdx.x;
  const int t = threadIdx.x;
  float S_part = 0.0f;
  for (int k = t; k < N; k += 48) {
    S_part += A[i * N + k];
  }
  S_tree[t] = S_part;
  for (int stride = 1; stride < 64; stride *= 2) {
    __syncthreads();
    const int t_2 = threadIdx.x;
    if (t_2 * stride * 2 + stride < 48) {
      S_tree[t_2 * stride * 2] += S_tree[t_2 * stride * 2 + stride];
    }
  }
  if (threadIdx.x == 0) {
    S[i] = S_tree[0];
  }
}
