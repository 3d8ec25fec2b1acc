// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.assume(M % 8 == 0);
// s.assume(N % 8 == 0);
// s.assume(K % 8 == 0);
// auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {8, 8});
// s.bind(i_0, block.y);
// s.bind(j_0, block.x);
// s.bind(i_1, thread.y);
// s.bind(j_1, thread.x);
// auto [k_0, k_1] = s.split(k, 8);
// s.cache_registers(C, j_1);
// auto A_shared = s.cache_shared(A, k_0);
// auto B_shared = s.cache_shared(B, k_0);
//
// launch: grid (N / 8, M / 8, 1), block (8, 8, 1), 512 bytes of shared memory

extern "C" __global__ void
matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ float A_shared[8][8];
  __shared__ float B_shared[8][8];
  const int i_0 = blockIdx.y;
  const int j_0 = blockIdx.x;
  const int i_1 = threadIdx.y;
  const int j_1 = threadIdx.x;
  float C_reg = 0.0f;
  for (int k_0 = 0; k_0 < K; k_0 += 8) {
    A_shared[i_1][j_1] = A[(i_0 * 8 + i_1) * K + k_0 + j_1];
    B_shared[i_1][j_1] = B[(k_0 + i_1) * N + j_0 * 8 + j_1];
    __syncthreads();
    for (int k_1 = 0; k_1 < 8; ++k_1) {
      C_reg += A_shared[i_1][k_1] * B_shared[k_1][j_1];
    }
    __syncthreads();
  }
  C[(i_0 * 8 + i_1) * N + j_0 * 8 + j_1] = C_reg;
}
