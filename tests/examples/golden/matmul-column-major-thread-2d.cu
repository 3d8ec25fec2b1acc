// C(i, j) = sum(k, A(i, k) * B(k, j))
// auto [j_0, i_0, j_1, i_1] = s.tile({j, i}, {128, 128});
// auto [j_1_0, i_1_0, j_1_1, i_1_1] = s.tile({j_1, i_1}, {8, 8});
// auto [k_0, k_1] = s.split(k, 8);
// s.reorder({j_0, i_0, j_1_0, i_1_0, k_0, k_1, j_1_1, i_1_1});
// Axis j_1_0_i_1_0 = s.fuse(j_1_0, i_1_0);
// s.bind(j_0, block.y);
// s.bind(i_0, block.x);
// s.bind(j_1_0_i_1_0, thread.x);
// s.cache_registers(C, j_1_0_i_1_0);
// auto A_shared = s.cache_shared(A, k_0);
// auto B_shared = s.cache_shared(B, k_0);
// s.cache_registers(A_shared, k_1);
// s.cache_registers(B_shared, k_1);
// s.unroll(k_1, 4);
//
// launch: grid ((M + 127) / 128, (N + 127) / 128, 1), block (256, 1, 1), 8192 bytes of shared memory

extern "C" __global__ void __launch_bounds__(256)
matmul_column_major(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ float A_shared[8][128];
  __shared__ float B_shared[128][8];
  const int j_0 = blockIdx.y;
  const int i_0 = blockIdx.x;
  const int j_1_0 = threadIdx.x / 16;
  const int i_1_0 = threadIdx.x % 16;
  const int A_shared_i = threadIdx.x % 128;
  const int A_shared_k = threadIdx.x / 128;
  const int B_shared_k = threadIdx.x % 8;
  const int B_shared_j = threadIdx.x / 8;
  float C_reg[8][8];
  #pragma unroll
  for (int j_1_1_init = 0; j_1_1_init < 8; ++j_1_1_init) {
    #pragma unroll
    for (int i_1_1_init = 0; i_1_1_init < 8; ++i_1_1_init) {
      C_reg[i_1_1_init][j_1_1_init] = 0.0f;
    }
  }
  for (int k_0 = 0; k_0 < K; k_0 += 8) {
    #pragma unroll
    for (int A_shared_s = 0; A_shared_s < 8; A_shared_s += 2) {
      A_shared[A_shared_s + A_shared_k][A_shared_i] = (i_0 * 128 + A_shared_i < M && k_0 + A_shared_s + A_shared_k < K) ? A[(k_0 + A_shared_s + A_shared_k) * M + i_0 * 128 + A_shared_i] : 0.0f;
    }
    #pragma unroll
    for (int B_shared_s = 0; B_shared_s < 128; B_shared_s += 32) {
      B_shared[B_shared_s + B_shared_j][B_shared_k] = (k_0 + B_shared_k < K && j_0 * 128 + B_shared_s + B_shared_j < N) ? B[(j_0 * 128 + B_shared_s + B_shared_j) * K + k_0 + B_shared_k] : 0.0f;
    }
    __syncthreads();
    #pragma unroll 4
    for (int k_1 = 0; k_1 < 8; ++k_1) {
      float A_reg[8];
      #pragma unroll
      for (int A_reg_at = 0; A_reg_at < 8; ++A_reg_at) {
        A_reg[A_reg_at] = A_shared[k_1][i_1_0 * 8 + A_reg_at];
      }
      float B_reg[8];
      #pragma unroll
      for (int B_reg_at = 0; B_reg_at < 8; ++B_reg_at) {
        B_reg[B_reg_at] = B_shared[j_1_0 * 8 + B_reg_at][k_1];
      }
      #pragma unroll
      for (int j_1_1 = 0; j_1_1 < 8; ++j_1_1) {
        #pragma unroll
        for (int i_1_1 = 0; i_1_1 < 8; ++i_1_1) {
          C_reg[i_1_1][j_1_1] += A_reg[i_1_1] * B_reg[j_1_1];
        }
      }
    }
    __syncthreads();
  }
  const int j = j_0 * 128 + j_1_0 * 8;
  const int i = i_0 * 128 + i_1_0 * 8;
  #pragma unroll
  for (int C_at = 0; C_at < 8; ++C_at) {
    if (j + C_at < N) {
      #pragma unroll
      for (int C_at_2 = 0; C_at_2 < 8; ++C_at_2) {
        if (i + C_at_2 < M) {
          C[(j + C_at) * M + i + C_at_2] = C_reg[C_at_2][C_at];
        }
      }
    }
  }
}
