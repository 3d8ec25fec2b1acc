//
// launch: grid ((M + 3) / 4, 1, 1), block (24, 4, 1), 384 bytes of shared memory

extern "C" __global__ void
rows(const float* __restrict__ A, float* __restrict__ S, int M) {
  __shared__ float S_tree[4][24];
  const int i_1 = threadIdx.y;
  const int i = blockIdx.x * 4 + i_1;
  if (threadIdx.x == 0 && i < M) {
    S[i] = 0.0f;
  }
  const int t = threadIdx.x;
  float S_part = 0.0f;
  if (i < M) {
    S_part += A[i * 24 + t];
  }
  S_tree[i_1][t] = S_part;
  __syncthreads();
  for (int stride = 16; stride > 0; stride /= 2) {
    const int t_2 = threadIdx.x;
    if (t_2 < stride && t_2 + stride < 24) {
      S_tree[i_1][t_2] += S_tree[i_1][t_2 + stride];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0 && i < M) {
    S[i] += S_tree[i_1][0];
  }
}
