// C(i, j) = sum(k, A(i, k) * B(k, j))
// auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {32, 32});
// auto [i_1_0, j_1_0, i_1_1, j_1_1] = s.tile({i_1, j_1}, {4, 1});
// s.reorder({i_1_0, j_1_0, k, i_1_1, j_1_1});
// s.bind(i_0, block.y);
// s.bind(j_0, block.x);
// s.bind(i_1_0, thread.y);
// s.bind(j_1_0, thread.x);
// s.cache_registers(C, j_1_0);
// s.cache_registers(A, k);
// s.cache_registers(B, k);
//
// launch: grid ((N + 31) / 32, (M + 31) / 32, 1), block (32, 8, 1), 0 bytes of shared memory

extern "C" __global__ void __launch_bounds__(256)
matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  const int i_0 = blockIdx.y;
  const int j_0 = blockIdx.x;
  const int i_1_0 = threadIdx.y;
  const int j_1_0 = threadIdx.x;
  float C_reg[4];
  #pragma unroll
  for (int i_1_1_init = 0; i_1_1_init < 4; ++i_1_1_init) {
    for (int j_1_1_init = 0; j_1_1_init < 1; ++j_1_1_init) {
      C_reg[i_1_1_init] = 0.0f;
    }
  }
  const int i = i_0 * 32 + i_1_0 * 4;
  const int j = j_0 * 32 + j_1_0;
  for (int k = 0; k < K; ++k) {
    float A_reg[4];
    #pragma unroll
    for (int A_reg_at = 0; A_reg_at < 4; ++A_reg_at) {
      A_reg[A_reg_at] = i + A_reg_at < M ? A[(i + A_reg_at) * K + k] : 0.0f;
    }
    float B_reg;
    if (j < N) {
      B_reg = B[k * N + j];
    }
    if (j < N) {
      #pragma unroll
      for (int i_1_1 = 0; i_1_1 < 4; ++i_1_1) {
        for (int j_1_1 = 0; j_1_1 < 1; ++j_1_1) {
          C_reg[i_1_1] += A_reg[i_1_1] * B_reg;
        }
      }
    }
  }
  if (j < N) {
    #pragma unroll
    for (int C_at = 0; C_at < 4; ++C_at) {
      if (i + C_at < M) {
        C[(i + C_at) * N + j] = C_reg[C_at];
      }
    }
  }
}
