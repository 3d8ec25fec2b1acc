// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.assume(M % 32 == 0);
// s.assume(N % 32 == 0);
// s.assume(K % 32 == 0);
// auto [k_0, k_1] = s.split(k, 32);
// auto [C_rf, k_0_2, k_0_C] = s.rfactor(C, k_0);
// auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {32, 32});
// s.bind(i_0, block.y);
// s.bind(j_0, block.x);
// s.bind(i_1, thread.y);
// s.bind(j_1, thread.x);
// s.cache_registers(C, j_1);
// s.compute_at(C_rf, k_0_C);
// auto A_shared = s.cache_shared(A, k_0_C);
// auto B_shared = s.cache_shared(B, k_0_C);
//
// launch: grid (N / 32, M / 32, 1), block (32, 32, 1), 8192 bytes of shared memory

extern "C" __global__ void
matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ float A_shared[32][32];
  __shared__ float B_shared[32][32];
  const int i_0 = blockIdx.y;
  const int j_0 = blockIdx.x;
  const int i_1 = threadIdx.y;
  const int j_1 = threadIdx.x;
  float C_reg = 0.0f;
  for (int k_0_C = 0; k_0_C < K; k_0_C += 32) {
    A_shared[i_1][j_1] = A[(i_0 * 32 + i_1) * K + k_0_C + j_1];
    B_shared[i_1][j_1] = B[(k_0_C + i_1) * N + j_0 * 32 + j_1];
    float C_rf = 0.0f;
    __syncthreads();
    for (int k_1 = 0; k_1 < 32; ++k_1) {
      C_rf += A_shared[i_1][k_1] * B_shared[k_1][j_1];
    }
    C_reg += C_rf;
    __syncthreads();
  }
  C[(i_0 * 32 + i_1) * N + j_0 * 32 + j_1] = C_reg;
}
