// S(j) = sum(k, X(k, j))
// auto [j_0, j_1] = s.split(j, 32);
// auto [k_0, k_1] = s.split(k, 8);
// s.reorder({k_1, k_0});
// s.bind(j_0, block.x);
// s.bind(j_1, thread.x);
// s.bind(k_1, thread.y, {.method = Combine::sequential, .unrolled = true});
// s.cache_registers(S, j_1);
//
// launch: grid ((N + 31) / 32, 1, 1), block (32, 8, 1), 1024 bytes of shared memory

extern "C" __global__ void
colsum(const float* __restrict__ X, float* __restrict__ S, int N, int M) {
  __shared__ float S_reg_tree[8][32];
  const int j_0 = blockIdx.x;
  const int j_1 = threadIdx.x;
  float S_reg;
  const int j = j_0 * 32 + j_1;
  if (j < N) {
    S_reg = 0.0f;
  }
  const int k_1 = threadIdx.y;
  float S_reg_part = 0.0f;
  if (j < N) {
    for (int k_0 = k_1; k_0 < M; k_0 += 8) {
      S_reg_part += X[k_0 * N + j];
    }
  }
  S_reg_tree[k_1][j_1] = S_reg_part;
  __syncthreads();
  const int t = threadIdx.y;
  if (t < 4) {
    S_reg_tree[t][j_1] += S_reg_tree[t + 4][j_1];
  }
  __syncthreads();
  const int t_2 = threadIdx.y;
  if (t_2 < 2) {
    S_reg_tree[t_2][j_1] += S_reg_tree[t_2 + 2][j_1];
  }
  __syncthreads();
  const int t_3 = threadIdx.y;
  if (t_3 == 0) {
    S_reg_tree[t_3][j_1] += S_reg_tree[t_3 + 1][j_1];
  }
  __syncthreads();
  if (j < N) {
    S_reg += S_reg_tree[0][j_1];
  }
  if (threadIdx.y == 0 && j < N) {
    S[j] = S_reg;
  }
}
