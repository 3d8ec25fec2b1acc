// C(b, i, j) = sum(k, A(b, i, k) * B(b, k, j))
// s.bind(b, block.z);
// s.assume_aligned(A, 16);
// s.assume_aligned(B, 16);
// s.assume_aligned(C, 16);
// s.assume(M % 128 == 0);
// s.assume(N % 128 == 0);
// s.assume(K % 8 == 0);
// auto [block_row, block_column, i_1, j_1] = s.tile({i, j}, {128, 128}, {.names = {"block_row", "block_column", nullptr, nullptr}});
// auto [thread_row, thread_column, row, column] = s.tile({i_1, j_1}, {8, 8}, {.names = {"thread_row", "thread_column", "row", "column"}});
// auto [step, k_2] = s.split(k, 8, {.names = {"step", "k"}});
// s.reorder({block_row, block_column, thread_row, thread_column, step, k_2, row, column});
// Axis thread_row_thread_column = s.fuse(thread_row, thread_column);
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(thread_row_thread_column, thread.x);
// s.cache_registers(C, thread_row_thread_column, {.vectorize = 4});
// auto A_shared = s.cache_shared(A, step, {.vectorize = 4, .layout = Layout::order({1, 0})});
// auto B_shared = s.cache_shared(B, step, {.vectorize = 4});
// s.cache_registers(A_shared, k_2, {.vectorize = 4});
// s.cache_registers(B_shared, k_2, {.vectorize = 4});
// s.unroll(k_2);
//
// launch: grid (N / 128, M / 128, batch), block (256, 1, 1), 8192 bytes of shared memory

extern "C" __global__ void __launch_bounds__(256)
batched(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int batch, int M, int N, int K) {
  __shared__ __align__(16) float A_shared[8][128];
  __shared__ __align__(16) float B_shared[8][128];
  const int b = blockIdx.z;
  const int block_row = blockIdx.y;
  const int block_column = blockIdx.x;
  const int thread_row = threadIdx.x / 16;
  const int thread_column = threadIdx.x % 16;
  const int A_shared_i = threadIdx.x / 2;
  const int A_shared_k = threadIdx.x % 2;
  const int B_shared_k = threadIdx.x / 32;
  const int B_shared_j = threadIdx.x % 32;
  __align__(16) float C_reg[8][8] = {};
  for (int step = 0; step < K; step += 8) {
    __align__(16) float A_vec[4];
    *reinterpret_cast<float4*>(A_vec) =
        *reinterpret_cast<const float4*>(&A[(b * M + block_row * 128 + A_shared_i) * K + step + A_shared_k * 4]);
    #pragma unroll
    for (int A_shared_v = 0; A_shared_v < 4; ++A_shared_v) {
      A_shared[A_shared_k * 4 + A_shared_v][A_shared_i] = A_vec[A_shared_v];
    }
    *reinterpret_cast<float4*>(&B_shared[B_shared_k][B_shared_j * 4]) =
        *reinterpret_cast<const float4*>(&B[(b * K + step + B_shared_k) * N + block_column * 128 + B_shared_j * 4]);
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
      __align__(16) float A_reg[8];
      #pragma unroll
      for (int A_reg_at = 0; A_reg_at < 8; A_reg_at += 4) {
        *reinterpret_cast<float4*>(&A_reg[A_reg_at]) =
            *reinterpret_cast<const float4*>(&A_shared[k][thread_row * 8 + A_reg_at]);
      }
      __align__(16) float B_reg[8];
      #pragma unroll
      for (int B_reg_at = 0; B_reg_at < 8; B_reg_at += 4) {
        *reinterpret_cast<float4*>(&B_reg[B_reg_at]) =
            *reinterpret_cast<const float4*>(&B_shared[k][thread_column * 8 + B_reg_at]);
      }
      #pragma unroll
      for (int row = 0; row < 8; ++row) {
        #pragma unroll
        for (int column = 0; column < 8; ++column) {
          C_reg[row][column] += A_reg[row] * B_reg[column];
        }
      }
    }
    __syncthreads();
  }
  #pragma unroll
  for (int C_at = 0; C_at < 8; ++C_at) {
    #pragma unroll
    for (int C_at_2 = 0; C_at_2 < 8; C_at_2 += 4) {
      *reinterpret_cast<float4*>(&C[(b * M + block_row * 128 + thread_row * 8 + C_at) * N + block_column * 128 + thread_column * 8 + C_at_2]) =
          *reinterpret_cast<const float4*>(&C_reg[C_at][C_at_2]);
    }
  }
}
