//
// launch: grid (M, 1, 1), block (16, 1, 1), 64 bytes of shared memory

extern "C" __global__ void
rows(const float* __restrict__ A, float* __restrict__ S, int M, int N) {
  __shared__ float S_tree[16];
  const int i = blockIdx.x;
  const int t = threadIdx.x;
  float S_part = 0.0f;
  for (int k = t; k < N; k += 16) {
    S_part += A[i * N + k];
  }
  S_tree[t] = S_part;
  __syncthreads();
  const int t_2 = threadIdx.x;
  if (t_2 < 8) {
    S_tree[t_2 * 2] += S_tree[t_2 * 2 + 1];
  }
  __syncthreads();
  const int t_3 = threadIdx.x;
  if (t_3 < 4) {
    S_tree[t_3 * 4] += S_tree[t_3 * 4 + 2];
  }
  __syncthreads();
  const int t_4 = threadIdx.x;
  if (t_4 < 2) {
    S_tree[t_4 * 8] += S_tree[t_4 * 8 + 4];
  }
  __syncthreads();
  const int t_5 = threadIdx.x;
  if (t_5 == 0) {
    S_tree[0] += S_tree[8];
    S[i] = S_tree[0];
  }
}
