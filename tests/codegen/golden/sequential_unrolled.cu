//
// launch: grid (M, 1, 1), block (128, 1, 1), 512 bytes of shared memory

extern "C" __global__ void
rows(const float* __restrict__ A, float* __restrict__ S, int M, int N) {
  __shared__ float S_tree[128];
  const int i = blockIdx.x;
  const int t = threadIdx.x;
  float S_part = 0.0f;
  for (int k = t; k < N; k += 128) {
    S_part += A[i * N + k];
  }
  S_tree[t] = S_part;
  __syncthreads();
  const int t_2 = threadIdx.x;
  if (t_2 < 64) {
    S_tree[t_2] += S_tree[t_2 + 64];
  }
  __syncthreads();
  const int t_3 = threadIdx.x;
  if (t_3 < 32) {
    S_tree[t_3] += S_tree[t_3 + 32];
  }
  __syncthreads();
  const int t_4 = threadIdx.x;
  if (t_4 < 16) {
    S_tree[t_4] += S_tree[t_4 + 16];
  }
  __syncthreads();
  const int t_5 = threadIdx.x;
  if (t_5 < 8) {
    S_tree[t_5] += S_tree[t_5 + 8];
  }
  __syncthreads();
  const int t_6 = threadIdx.x;
  if (t_6 < 4) {
    S_tree[t_6] += S_tree[t_6 + 4];
  }
  __syncthreads();
  const int t_7 = threadIdx.x;
  if (t_7 < 2) {
    S_tree[t_7] += S_tree[t_7 + 2];
  }
  __syncthreads();
  const int t_8 = threadIdx.x;
  if (t_8 == 0) {
    S_tree[0] += S_tree[1];
    S[i] = S_tree[0];
  }
}
