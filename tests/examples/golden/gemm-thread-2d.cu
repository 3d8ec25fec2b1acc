// D(i, j) = alpha() * sum(k, A(i, k) * B(k, j)) + beta() * C(i, j)
// auto [block_row, block_column, i_1, j_1] = s.tile({i, j}, {128, 128}, {.names = {"block_row", "block_column", nullptr, nullptr}});
// auto [thread_row, thread_column, row, column] = s.tile({i_1, j_1}, {8, 8}, {.names = {"thread_row", "thread_column", "row", "column"}});
// auto [step, k_2] = s.split(k, 8, {.names = {"step", "k"}});
// s.reorder({block_row, block_column, thread_row, thread_column, step, k_2, row, column});
// Axis thread_row_thread_column = s.fuse(thread_row, thread_column);
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(thread_row_thread_column, thread.x);
// s.cache_registers(D, thread_row_thread_column);
// auto A_shared = s.cache_shared(A, step);
// auto B_shared = s.cache_shared(B, step);
// s.cache_registers(A_shared, k_2);
// s.cache_registers(B_shared, k_2);
// s.unroll(k_2, 4);
// s.cache_registers(alpha, thread_row_thread_column);
// s.cache_registers(beta, thread_row_thread_column);
//
// launch: grid ((N + 127) / 128, (M + 127) / 128, 1), block (256, 1, 1), 8192 bytes of shared memory

extern "C" __global__ void __launch_bounds__(256)
gemm(const float* __restrict__ alpha, const float* __restrict__ A, const float* __restrict__ B, const float* __restrict__ beta, const float* __restrict__ C, float* __restrict__ D, int M, int N, int K) {
  __shared__ float A_shared[128][8];
  __shared__ float B_shared[8][128];
  const int block_row = blockIdx.y;
  const int block_column = blockIdx.x;
  const int thread_row = threadIdx.x / 16;
  const int thread_column = threadIdx.x % 16;
  const int A_shared_i = threadIdx.x / 8;
  const int A_shared_k = threadIdx.x % 8;
  const int B_shared_k = threadIdx.x / 128;
  const int B_shared_j = threadIdx.x % 128;
  float beta_reg = beta[0];
  float alpha_reg = alpha[0];
  float D_reg[8][8] = {};
  for (int step = 0; step < K; step += 8) {
    #pragma unroll
    for (int A_shared_s = 0; A_shared_s < 128; A_shared_s += 32) {
      A_shared[A_shared_s + A_shared_i][A_shared_k] = (block_row * 128 + A_shared_s + A_shared_i < M && step + A_shared_k < K) ? A[(block_row * 128 + A_shared_s + A_shared_i) * K + step + A_shared_k] : 0.0f;
    }
    #pragma unroll
    for (int B_shared_s = 0; B_shared_s < 8; B_shared_s += 2) {
      B_shared[B_shared_s + B_shared_k][B_shared_j] = (step + B_shared_s + B_shared_k < K && block_column * 128 + B_shared_j < N) ? B[(step + B_shared_s + B_shared_k) * N + block_column * 128 + B_shared_j] : 0.0f;
    }
    __syncthreads();
    #pragma unroll 4
    for (int k = 0; k < 8; ++k) {
      float A_reg[8];
      #pragma unroll
      for (int A_reg_at = 0; A_reg_at < 8; ++A_reg_at) {
        A_reg[A_reg_at] = A_shared[thread_row * 8 + A_reg_at][k];
      }
      float B_reg[8];
      #pragma unroll
      for (int B_reg_at = 0; B_reg_at < 8; ++B_reg_at) {
        B_reg[B_reg_at] = B_shared[k][thread_column * 8 + B_reg_at];
      }
      #pragma unroll
      for (int row = 0; row < 8; ++row) {
        #pragma unroll
        for (int column = 0; column < 8; ++column) {
          D_reg[row][column] += A_reg[row] * B_reg[column];
        }
      }
    }
    __syncthreads();
  }
  const int i_base = block_row * 128 + thread_row * 8;
  const int j_base = block_column * 128 + thread_column * 8;
  #pragma unroll
  for (int row_post = 0; row_post < 8; ++row_post) {
    if (i_base + row_post < M) {
      #pragma unroll
      for (int column_post = 0; column_post < 8; ++column_post) {
        if (j_base + column_post < N) {
          D_reg[row_post][column_post] = alpha_reg * D_reg[row_post][column_post] + beta_reg * C[(i_base + row_post) * N + j_base + column_post];
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
