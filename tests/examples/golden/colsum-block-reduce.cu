// S(j) = sum(k, X(k, j))
// auto [block_column, column] = s.split(j, 32, {.names = {"block_column", "column"}});
// auto [row, thread_row] = s.split(k, 8, {.names = {"row", "thread_row"}});
// s.reorder({thread_row, row});
// s.bind(block_column, block.x);
// s.bind(column, thread.x);
// s.bind(thread_row, thread.y, {.method = Combine::sequential, .unrolled = true});
// s.cache_registers(S, column);
//
// launch: grid ((N + 31) / 32, 1, 1), block (32, 8, 1), 1024 bytes of shared memory

extern "C" __global__ void
colsum(const float* __restrict__ X, float* __restrict__ S, int N, int M) {
  __shared__ float S_reg_tree[8][32];
  const int block_column = blockIdx.x;
  const int column = threadIdx.x;
  float S_reg;
  const int j = block_column * 32 + column;
  if (j < N) {
    S_reg = 0.0f;
  }
  const int thread_row = threadIdx.y;
  float S_reg_part = 0.0f;
  if (j < N) {
    for (int row = thread_row; row < M; row += 8) {
      S_reg_part += X[row * N + j];
    }
  }
  S_reg_tree[thread_row][column] = S_reg_part;
  __syncthreads();
  const int t = threadIdx.y;
  if (t < 4) {
    S_reg_tree[t][column] += S_reg_tree[t + 4][column];
  }
  __syncthreads();
  const int t_2 = threadIdx.y;
  if (t_2 < 2) {
    S_reg_tree[t_2][column] += S_reg_tree[t_2 + 2][column];
  }
  __syncthreads();
  const int t_3 = threadIdx.y;
  if (t_3 == 0) {
    S_reg_tree[t_3][column] += S_reg_tree[t_3 + 1][column];
  }
  __syncthreads();
  if (j < N) {
    S_reg += S_reg_tree[0][column];
  }
  if (threadIdx.y == 0 && j < N) {
    S[j] = S_reg;
  }
}
