// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.assume(M % 32 == 0);
// s.assume(N % 32 == 0);
// s.assume(K % 32 == 0);
// auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {32, 32});
// auto [i_1_0, i_1_1] = s.split(i_1, 4);
// auto [k_0, k_1] = s.split(k, 32);
// s.reorder({i_0, j_0, i_1_1, j_1, k_0, k_1, i_1_0});
// s.bind(i_0, block.y);
// s.bind(j_0, block.x);
// s.bind(i_1_1, thread.y);
// s.bind(j_1, thread.x);
// s.cache_registers(C, j_1);
// auto A_shared = s.cache_shared(A, k_0);
// auto B_shared = s.cache_shared(B, k_0);
// s.cache_registers(B_shared, k_1);
// auto [A_shared_0, A_shared_1] = s.copy_loops(A_shared);
// auto [A_shared_0_0, A_shared_0_1] = s.split(A_shared_0, 4);
// s.bind(A_shared_0_1, thread.y);
// s.bind(A_shared_1, thread.x);
// auto [B_shared_0, B_shared_1] = s.copy_loops(B_shared);
// auto [B_shared_0_0, B_shared_0_1] = s.split(B_shared_0, 4);
// s.bind(B_shared_0_1, thread.y);
// s.bind(B_shared_1, thread.x);
// s.merge(A_shared_0_0, B_shared_0_0);
// Axis w = s.rename(A_shared_0_0, "w");
// s.unroll(w);
// s.unroll(k_1);
//
// launch: grid (N / 32, M / 32, 1), block (32, 4, 1), 8192 bytes of shared memory

extern "C" __global__ void __launch_bounds__(128)
matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ float A_shared[32][32];
  __shared__ float B_shared[32][32];
  const int i_0 = blockIdx.y;
  const int j_0 = blockIdx.x;
  const int i_1_1 = threadIdx.y;
  const int j_1 = threadIdx.x;
  float C_reg[8] = {};
  for (int k_0 = 0; k_0 < K; k_0 += 32) {
    #pragma unroll
    for (int w = 0; w < 32; w += 4) {
      A_shared[w + i_1_1][j_1] = A[(i_0 * 32 + w + i_1_1) * K + k_0 + j_1];
      B_shared[w + i_1_1][j_1] = B[(k_0 + w + i_1_1) * N + j_0 * 32 + j_1];
    }
    __syncthreads();
    #pragma unroll
    for (int k_1 = 0; k_1 < 32; ++k_1) {
      float B_reg = B_shared[k_1][j_1];
      #pragma unroll
      for (int i_1_0 = 0; i_1_0 < 8; ++i_1_0) {
        C_reg[i_1_0] += A_shared[i_1_0 * 4 + i_1_1][k_1] * B_reg;
      }
    }
    __syncthreads();
  }
  #pragma unroll
  for (int C_at = 0; C_at < 8; ++C_at) {
    C[(i_0 * 32 + i_1_1 + C_at * 4) * N + j_0 * 32 + j_1] = C_reg[C_at];
  }
}
