// D(i, j) = alpha() * sum(k, A(i, k) * B(k, j)) + beta() * C(i, j)
// auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {128, 128});
// auto [i_1_0, j_1_0, i_1_1, j_1_1] = s.tile({i_1, j_1}, {8, 8});
// auto [k_0, k_1] = s.split(k, 8);
// s.reorder({i_0, j_0, i_1_0, j_1_0, k_0, k_1, i_1_1, j_1_1});
// Axis i_1_0_j_1_0 = s.fuse(i_1_0, j_1_0);
// s.bind(i_0, block.y);
// s.bind(j_0, block.x);
// s.bind(i_1_0_j_1_0, thread.x);
// s.cache_registers(D, i_1_0_j_1_0);
// auto A_shared = s.cache_shared(A, k_0);
// auto B_shared = s.cache_shared(B, k_0);
// s.cache_registers(A_shared, k_1);
// s.cache_registers(B_shared, k_1);
// s.unroll(k_1, 4);
// s.cache_registers(alpha, i_1_0_j_1_0);
// s.cache_registers(beta, i_1_0_j_1_0);
//
// launch: grid ((N + 127) / 128, (M + 127) / 128, 1), block (256, 1, 1), 8192 bytes of shared memory

extern "C" __global__ void __launch_bounds__(256)
gemm(const float* __restrict__ alpha, const float* __restrict__ A, const float* __restrict__ B, const float* __restrict__ beta, const float* __restrict__ C, float* __restrict__ D, int M, int N, int K) {
  __shared__ float A_shared[128][8];
  __shared__ float B_shared[8][128];
  const int i_0 = blockIdx.y;
  const int j_0 = blockIdx.x;
  const int i_1_0 = threadIdx.x / 16;
  const int j_1_0 = threadIdx.x % 16;
  const int A_shared_i = threadIdx.x / 8;
  const int A_shared_k = threadIdx.x % 8;
  const int B_shared_k = threadIdx.x / 128;
  const int B_shared_j = threadIdx.x % 128;
  float beta_reg = beta[0];
  float alpha_reg = alpha[0];
  float D_reg[8][8] = {};
  for (int k_0 = 0; k_0 < K; k_0 += 8) {
    #pragma unroll
    for (int A_shared_s = 0; A_shared_s < 128; A_shared_s += 32) {
      A_shared[A_shared_s + A_shared_i][A_shared_k] = (i_0 * 128 + A_shared_s + A_shared_i < M && k_0 + A_shared_k < K) ? A[(i_0 * 128 + A_shared_s + A_shared_i) * K + k_0 + A_shared_k] : 0.0f;
    }
    #pragma unroll
    for (int B_shared_s = 0; B_shared_s < 8; B_shared_s += 2) {
      B_shared[B_shared_s + B_shared_k][B_shared_j] = (k_0 + B_shared_s + B_shared_k < K && j_0 * 128 + B_shared_j < N) ? B[(k_0 + B_shared_s + B_shared_k) * N + j_0 * 128 + B_shared_j] : 0.0f;
    }
    __syncthreads();
    #pragma unroll 4
    for (int k_1 = 0; k_1 < 8; ++k_1) {
      float A_reg[8];
      #pragma unroll
      for (int A_reg_at = 0; A_reg_at < 8; ++A_reg_at) {
        A_reg[A_reg_at] = A_shared[i_1_0 * 8 + A_reg_at][k_1];
      }
      float B_reg[8];
      #pragma unroll
      for (int B_reg_at = 0; B_reg_at < 8; ++B_reg_at) {
        B_reg[B_reg_at] = B_shared[k_1][j_1_0 * 8 + B_reg_at];
      }
      #pragma unroll
      for (int i_1_1 = 0; i_1_1 < 8; ++i_1_1) {
        #pragma unroll
        for (int j_1_1 = 0; j_1_1 < 8; ++j_1_1) {
          D_reg[i_1_1][j_1_1] += A_reg[i_1_1] * B_reg[j_1_1];
        }
      }
    }
    __syncthreads();
  }
  const int i_base = i_0 * 128 + i_1_0 * 8;
  const int j_base = j_0 * 128 + j_1_0 * 8;
  #pragma unroll
  for (int i_1_1_post = 0; i_1_1_post < 8; ++i_1_1_post) {
    if (i_base + i_1_1_post < M) {
      #pragma unroll
      for (int j_1_1_post = 0; j_1_1_post < 8; ++j_1_1_post) {
        if (j_base + j_1_1_post < N) {
          D_reg[i_1_1_post][j_1_1_post] = alpha_reg * D_reg[i_1_1_post][j_1_1_post] + beta_reg * C[(i_base + i_1_1_post) * N + j_base + j_1_1_post];
        }
      }
    }
  }
  #pragma unroll
  for (int D_at = 0; D_at < 8; ++D_at) {
    if (i_base + D_at < M) {
      #pragma unroll
      for (int D_at_2 = 0; D_at_2 < 8; ++D_at_2) {
        if (j_base + D_at_2 < N) {
          D[(i_base + D_at) * N + j_base + D_at_2] = D_reg[D_at][D_at_2];
        }
      }
    }
  }
}
