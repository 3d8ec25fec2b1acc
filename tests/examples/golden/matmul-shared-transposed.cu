// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.assume(M % 32 == 0);
// s.assume(N % 32 == 0);
// s.assume(K % 32 == 0);
// auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {32, 32});
// s.bind(i_0, block.x);
// s.bind(j_0, block.y);
// s.bind(i_1, thread.x);
// s.bind(j_1, thread.y);
// auto [k_0, k_1] = s.split(k, 32);
// s.cache_registers(C, j_1);
// auto A_shared = s.cache_shared(A, k_0, {.layout = Layout::order({1, 0})});
// auto B_shared = s.cache_shared(B, k_0, {.layout = Layout::order({1, 0})});
// auto [A_shared_0, A_shared_1] = s.copy_loops(A_shared);
// s.bind(A_shared_0, thread.x);
// s.bind(A_shared_1, thread.y);
// auto [B_shared_0, B_shared_1] = s.copy_loops(B_shared);
// s.bind(B_shared_0, thread.x);
// s.bind(B_shared_1, thread.y);
//
// launch: grid (M / 32, N / 32, 1), block (32, 32, 1), 8192 bytes of shared memory

extern "C" __global__ void
matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ float A_shared[32][32];
  __shared__ float B_shared[32][32];
  const int i_0 = blockIdx.x;
  const int j_0 = blockIdx.y;
  const int i_1 = threadIdx.x;
  const int j_1 = threadIdx.y;
  float C_reg = 0.0f;
  for (int k_0 = 0; k_0 < K; k_0 += 32) {
    A_shared[j_1][i_1] = A[(i_0 * 32 + i_1) * K + k_0 + j_1];
    B_shared[j_1][i_1] = B[(k_0 + i_1) * N + j_0 * 32 + j_1];
    __syncthreads();
    for (int k_1 = 0; k_1 < 32; ++k_1) {
      C_reg += A_shared[k_1][i_1] * B_shared[j_1][k_1];
    }
    __syncthreads();
  }
  C[(i_0 * 32 + i_1) * N + j_0 * 32 + j_1] = C_reg;
}
