// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.assume_aligned(A, 16);
// s.assume_aligned(B, 16);
// s.assume_aligned(C, 16);
// s.assume(M % 128 == 0);
// s.assume(N % 128 == 0);
// s.assume(K % 16 == 0);
// auto [block_row, block_column, i_1, j_1] = s.tile({i, j}, {128, 128}, {.names = {"block_row", "block_column", nullptr, nullptr}});
// auto [warp_row, warp_column, i_1_1, j_1_1] = s.tile({i_1, j_1}, {32, 64}, {.names = {"warp_row", "warp_column", nullptr, nullptr}});
// auto [quad_row, quad_column, i_1_1_1, j_1_1_1] = s.tile({i_1_1, j_1_1}, {16, 32}, {.names = {"quad_row", "quad_column", nullptr, nullptr}});
// auto [lane_row, lane_column, row, column] = s.tile({i_1_1_1, j_1_1_1}, {4, 4}, {.names = {"lane_row", "lane_column", "row", "column"}});
// auto [step, k_2] = s.split(k, 16, {.names = {"step", "k"}});
// s.reorder({block_row, block_column, warp_row, warp_column, lane_row, lane_column, step, k_2, quad_row, row, quad_column, column});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind({warp_row, warp_column}, warp);
// s.bind({lane_row, lane_column}, lane);
// s.cache_registers(C, lane_column, {.vectorize = 4});
// auto A_shared = s.cache_shared(A, step, {.layout = Layout::order({1, 0}).pad(4)});
// auto B_shared = s.cache_shared(B, step, {.vectorize = 4});
// s.cache_registers(A_shared, k_2, {.vectorize = 4});
// s.cache_registers(B_shared, k_2, {.vectorize = 4});
// s.unroll(k_2);
//
// launch: grid (N / 128, M / 128, 1), block (256, 1, 1), 16640 bytes of shared memory

extern "C" __global__ void __launch_bounds__(256)
matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int warp_row = warp / 2;
  const int warp_column = warp % 2;
  const int lane_row = lane / 8;
  const int lane_column = lane % 8;
  __shared__ __align__(16) float A_shared[16][132];
  __shared__ __align__(16) float B_shared[16][128];
  const int block_row = blockIdx.y;
  const int block_column = blockIdx.x;
  const int j = warp_column * 64 + lane_column * 4;
  const int i = warp_row * 32 + lane_row * 4;
  __align__(16) float C_reg[2][4][2][4] = {};
  for (int step = 0; step < K; step += 16) {
    #pragma unroll
    for (int A_shared_s = 0; A_shared_s < 128; A_shared_s += 16) {
      const int A_shared_i = threadIdx.x / 16;
      const int A_shared_k = threadIdx.x % 16;
      A_shared[A_shared_k][A_shared_s + A_shared_i] = A[(block_row * 128 + A_shared_s + A_shared_i) * K + step + A_shared_k];
    }
    #pragma unroll
    for (int B_shared_s = 0; B_shared_s < 16; B_shared_s += 8) {
      const int B_shared_k = threadIdx.x / 32;
      const int B_shared_j = threadIdx.x % 32;
      *reinterpret_cast<float4*>(&B_shared[B_shared_s + B_shared_k][B_shared_j * 4]) =
          *reinterpret_cast<const float4*>(&B[(step + B_shared_s + B_shared_k) * N + block_column * 128 + B_shared_j * 4]);
    }
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < 16; ++k) {
      __align__(16) float B_reg[2][4];
      #pragma unroll
      for (int B_reg_fill = 0; B_reg_fill < 2; ++B_reg_fill) {
        *reinterpret_cast<float4*>(&B_reg[B_reg_fill][0]) =
            *reinterpret_cast<const float4*>(&B_shared[k][j + B_reg_fill * 32]);
      }
      __align__(16) float A_reg[2][4];
      #pragma unroll
      for (int A_reg_fill = 0; A_reg_fill < 2; ++A_reg_fill) {
        *reinterpret_cast<float4*>(&A_reg[A_reg_fill][0]) =
            *reinterpret_cast<const float4*>(&A_shared[k][i + A_reg_fill * 16]);
      }
      #pragma unroll
      for (int quad_row = 0; quad_row < 2; ++quad_row) {
        #pragma unroll
        for (int row = 0; row < 4; ++row) {
          #pragma unroll
          for (int quad_column = 0; quad_column < 2; ++quad_column) {
            #pragma unroll
            for (int column = 0; column < 4; ++column) {
              C_reg[quad_row][row][quad_column][column] += A_reg[quad_row][row] * B_reg[quad_column][column];
            }
          }
        }
      }
    }
    __syncthreads();
  }
  #pragma unroll
  for (int C_reg_write_back = 0; C_reg_write_back < 2; ++C_reg_write_back) {
    #pragma unroll
    for (int C_reg_write_back_2 = 0; C_reg_write_back_2 < 4; ++C_reg_write_back_2) {
      #pragma unroll
      for (int C_reg_write_back_3 = 0; C_reg_write_back_3 < 2; ++C_reg_write_back_3) {
        *reinterpret_cast<float4*>(&C[(block_row * 128 + i + C_reg_write_back * 16 + C_reg_write_back_2) * N + block_column * 128 + j + C_reg_write_back_3 * 32]) =
            *reinterpret_cast<const float4*>(&C_reg[C_reg_write_back][C_reg_write_back_2][C_reg_write_back_3][0]);
      }
    }
  }
}
