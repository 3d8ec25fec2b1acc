// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.assume(M % 16 == 0);
// s.assume(N % 16 == 0);
// s.assume(K % 16 == 0);
// auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {16, 16});
// s.bind(i_0, block.y);
// s.bind(j_0, block.x);
// s.bind(i_1, thread.y);
// s.bind(j_1, thread.x);
// auto [k_0, k_1] = s.split(k, 16);
// s.cache_registers(C, j_1);
// auto A_shared = s.cache_shared(A, k_0);
// auto B_shared = s.cache_shared(B, k_0);
// s.unroll(k_0, 3);
// s.unroll(k_1);
//
// launch: grid (N / 16, M / 16, 1), block (16, 16, 1), 2048 bytes of shared memory

extern "C" __global__ void
matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ float A_shared[16][16];
  __shared__ float B_shared[16][16];
  const int i_0 = blockIdx.y;
  const int j_0 = blockIdx.x;
  const int i_1 = threadIdx.y;
  const int j_1 = threadIdx.x;
  float C_reg = 0.0f;
  #pragma unroll 3
  for (int k_0 = 0; k_0 < K; k_0 += 16) {
    A_shared[i_1][j_1] = A[(i_0 * 16 + i_1) * K + k_0 + j_1];
    B_shared[i_1][j_1] = B[(k_0 + i_1) * N + j_0 * 16 + j_1];
    __syncthreads();
    #pragma unroll
    for (int k_1 = 0; k_1 < 16; ++k_1) {
      C_reg += A_shared[i_1][k_1] * B_shared[k_1][j_1];
    }
    __syncthreads();
  }
  C[(i_0 * 16 + i_1) * N + j_0 * 16 + j_1] = C_reg;
}
