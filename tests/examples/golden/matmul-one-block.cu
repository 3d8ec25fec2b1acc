// C(i, j) = sum(k, A(i, k) * B(k, j))
// auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {32, 32});
// s.reorder({i_1, j_1, i_0, j_0});
// s.bind(i_1, thread.y);
// s.bind(j_1, thread.x);
// s.cache_registers(C, j_0);
//
// launch: grid (1, 1, 1), block (32, 32, 1), 0 bytes of shared memory

extern "C" __global__ void
matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  const int i_1 = threadIdx.y;
  const int j_1 = threadIdx.x;
  for (int i_0 = i_1; i_0 < M; i_0 += 32) {
    for (int j_0 = j_1; j_0 < N; j_0 += 32) {
      float C_reg = 0.0f;
      for (int k = 0; k < K; ++k) {
        C_reg += A[i_0 * K + k] * B[k * N + j_0];
      }
      C[i_0 * N + j_0] = C_reg;
    }
  }
}
