// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.assume(M % 32 == 0);
// s.assume(N % 32 == 0);
// s.assume(K % 32 == 0);
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
// launch: grid (M / 32, N / 32, 1), block (32, 32, 1), 8192 bytes of shared memory

extern "C" __global__ void
matmul_pitched_columns(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K, int lda, int ldb, int ldc) {
  __shared__ float A_shared[32][32];
  __shared__ float B_shared[32][32];
  const int j_0 = blockIdx.y;
  const int i_0 = blockIdx.x;
  const int j_1 = threadIdx.y;
  const int i_1 = threadIdx.x;
  float C_reg = 0.0f;
  for (int k_0 = 0; k_0 < K; k_0 += 32) {
    A_shared[j_1][i_1] = A[(k_0 + j_1) * lda + i_0 * 32 + i_1];
    B_shared[j_1][i_1] = B[(j_0 * 32 + j_1) * ldb + k_0 + i_1];
    __syncthreads();
    for (int k_1 = 0; k_1 < 32; ++k_1) {
      C_reg += A_shared[k_1][i_1] * B_shared[j_1][k_1];
    }
    __syncthreads();
  }
  C[(j_0 * 32 + j_1) * ldc + i_0 * 32 + i_1] = C_reg;
}
