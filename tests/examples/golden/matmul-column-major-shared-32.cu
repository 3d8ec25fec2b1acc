// C(i, j) = sum(k, A(i, k) * B(k, j))
// auto [j_0, i_0, j_1, i_1] = s.tile({j, i}, {32, 32});
// s.bind(j_0, block.y);
// s.bind(i_0, block.x);
// s.bind(j_1, thread.y);
// s.bind(i_1, thread.x);
// auto [k_0, k_1] = s.split(k, 32);
// s.cache_registers(C, i_1);
// auto A_shared = s.cache_shared(A, k_0);
// auto B_shared = s.cache_shared(B, k_0);
//
// launch: grid ((M + 31) / 32, (N + 31) / 32, 1), block (32, 32, 1), 8192 bytes of shared memory

extern "C" __global__ void
matmul_column_major(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ float A_shared[32][32];
  __shared__ float B_shared[32][32];
  const int j_0 = blockIdx.y;
  const int i_0 = blockIdx.x;
  const int j_1 = threadIdx.y;
  const int i_1 = threadIdx.x;
  float C_reg = 0.0f;
  const int i = i_0 * 32 + i_1;
  const int j = j_0 * 32 + j_1;
  for (int k_0 = 0; k_0 < K; k_0 += 32) {
    A_shared[j_1][i_1] = (i < M && k_0 + j_1 < K) ? A[(k_0 + j_1) * M + i] : 0.0f;
    B_shared[j_1][i_1] = (k_0 + i_1 < K && j < N) ? B[j * K + k_0 + i_1] : 0.0f;
    __syncthreads();
    for (int k_1 = 0; k_1 < 32; ++k_1) {
      C_reg += A_shared[k_1][i_1] * B_shared[j_1][k_1];
    }
    __syncthreads();
  }
  if (i < M && j < N) {
    C[j * M + i] = C_reg;
  }
}
