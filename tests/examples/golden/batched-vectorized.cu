// C(b, i, j) = sum(k, A(b, i, k) * B(b, k, j))
// s.bind(b, block.z);
// s.assume_aligned(A, 16);
// s.assume_aligned(B, 16);
// s.assume_aligned(C, 16);
// s.assume(M % 128 == 0);
// s.assume(N % 128 == 0);
// s.assume(K % 8 == 0);
// auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {128, 128});
// auto [i_1_0, j_1_0, i_1_1, j_1_1] = s.tile({i_1, j_1}, {8, 8});
// auto [k_0, k_1] = s.split(k, 8);
// s.reorder({i_0, j_0, i_1_0, j_1_0, k_0, k_1, i_1_1, j_1_1});
// Axis i_1_0_j_1_0 = s.fuse(i_1_0, j_1_0);
// s.bind(i_0, block.y);
// s.bind(j_0, block.x);
// s.bind(i_1_0_j_1_0, thread.x);
// s.cache_registers(C, i_1_0_j_1_0, {.vectorize = 4});
// auto A_shared = s.cache_shared(A, k_0, {.vectorize = 4, .layout = Layout::order({1, 0})});
// auto B_shared = s.cache_shared(B, k_0, {.vectorize = 4});
// s.cache_registers(A_shared, k_1, {.vectorize = 4});
// s.cache_registers(B_shared, k_1, {.vectorize = 4});
// s.unroll(k_1);
//
// launch: grid (N / 128, M / 128, batch), block (256, 1, 1), 8192 bytes of shared memory

extern "C" __global__ void __launch_bounds__(256)
batched(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int batch, int M, int N, int K) {
  __shared__ __align__(16) float A_shared[8][128];
  __shared__ __align__(16) float B_shared[8][128];
  const int b = blockIdx.z;
  const int i_0 = blockIdx.y;
  const int j_0 = blockIdx.x;
  const int i_1_0 = threadIdx.x / 16;
  const int j_1_0 = threadIdx.x % 16;
  const int A_shared_i = threadIdx.x / 2;
  const int A_shared_k = threadIdx.x % 2;
  const int B_shared_k = threadIdx.x / 32;
  const int B_shared_j = threadIdx.x % 32;
  __align__(16) float C_reg[8][8] = {};
  for (int k_0 = 0; k_0 < K; k_0 += 8) {
    __align__(16) float A_vec[4];
    *reinterpret_cast<float4*>(A_vec) =
        *reinterpret_cast<const float4*>(&A[(b * M + i_0 * 128 + A_shared_i) * K + k_0 + A_shared_k * 4]);
    #pragma unroll
    for (int A_shared_v = 0; A_shared_v < 4; ++A_shared_v) {
      A_shared[A_shared_k * 4 + A_shared_v][A_shared_i] = A_vec[A_shared_v];
    }
    *reinterpret_cast<float4*>(&B_shared[B_shared_k][B_shared_j * 4]) =
        *reinterpret_cast<const float4*>(&B[(b * K + k_0 + B_shared_k) * N + j_0 * 128 + B_shared_j * 4]);
    __syncthreads();
    #pragma unroll
    for (int k_1 = 0; k_1 < 8; ++k_1) {
      __align__(16) float A_reg[8];
      #pragma unroll
      for (int A_reg_at = 0; A_reg_at < 8; A_reg_at += 4) {
        *reinterpret_cast<float4*>(&A_reg[A_reg_at]) =
            *reinterpret_cast<const float4*>(&A_shared[k_1][i_1_0 * 8 + A_reg_at]);
      }
      __align__(16) float B_reg[8];
      #pragma unroll
      for (int B_reg_at = 0; B_reg_at < 8; B_reg_at += 4) {
        *reinterpret_cast<float4*>(&B_reg[B_reg_at]) =
            *reinterpret_cast<const float4*>(&B_shared[k_1][j_1_0 * 8 + B_reg_at]);
      }
      #pragma unroll
      for (int i_1_1 = 0; i_1_1 < 8; ++i_1_1) {
        #pragma unroll
        for (int j_1_1 = 0; j_1_1 < 8; ++j_1_1) {
          C_reg[i_1_1][j_1_1] += A_reg[i_1_1] * B_reg[j_1_1];
        }
      }
    }
    __syncthreads();
  }
  #pragma unroll
  for (int C_at = 0; C_at < 8; ++C_at) {
    #pragma unroll
    for (int C_at_2 = 0; C_at_2 < 8; C_at_2 += 4) {
      *reinterpret_cast<float4*>(&C[(b * M + i_0 * 128 + i_1_0 * 8 + C_at) * N + j_0 * 128 + j_1_0 * 8 + C_at_2]) =
          *reinterpret_cast<const float4*>(&C_reg[C_at][C_at_2]);
    }
  }
}
