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
// s.copy_async(A_shared);
// s.copy_async(B_shared);
// s.pipeline(k_2, 2);
// s.pipeline(step, 3);
//
// launch: grid (N / 128, M / 128, 1), block (256, 1, 1), 49920 bytes of shared memory

namespace hone::matmul {

// Starts a copy of 4 bytes to shared memory.
static __device__ void copy_async_4(void* to, const void* from) {
  const unsigned address = __cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
               :
               : "r"(address), "l"(from)
               : "memory");
}

// Starts a copy of 16 bytes to shared memory.
static __device__ void copy_async_16(void* to, const void* from) {
  const unsigned address = __cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
               :
               : "r"(address), "l"(from)
               : "memory");
}

// The copies that this thread has started since its last group are the next one.
static __device__ void commit_group() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Waits for all groups of this thread but the last `pending` ones.
template <int pending>
static __device__ void wait_group() {
  asm volatile("cp.async.wait_group %0;" : : "n"(pending) : "memory");
}

extern "C" __global__ void __launch_bounds__(256)
matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  extern __shared__ __align__(16) unsigned char shared[];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int warp_row = warp / 2;
  const int warp_column = warp % 2;
  const int lane_row = lane / 8;
  const int lane_column = lane % 8;
  float (&A_shared)[3][16][132] = *reinterpret_cast<float (*)[3][16][132]>(shared + 0);
  float (&B_shared)[3][16][128] = *reinterpret_cast<float (*)[3][16][128]>(shared + 25344);
  const int block_row = blockIdx.y;
  const int block_column = blockIdx.x;
  const int j = warp_column * 64 + lane_column * 4;
  const int i = warp_row * 32 + lane_row * 4;
  __align__(16) float C_reg[2][4][2][4] = {};
  #pragma unroll
  for (int step_ahead = 0; step_ahead < 2; ++step_ahead) {
    if (step_ahead < K / 16) {
      #pragma unroll
      for (int A_shared_s = 0; A_shared_s < 128; A_shared_s += 16) {
        const int A_shared_i = threadIdx.x / 16;
        const int A_shared_step = threadIdx.x % 16;
        copy_async_4(&A_shared[step_ahead][A_shared_step][A_shared_s + A_shared_i], &A[(block_row * 128 + A_shared_s + A_shared_i) * K + step_ahead * 16 + A_shared_step]);
      }
      #pragma unroll
      for (int B_shared_s = 0; B_shared_s < 16; B_shared_s += 8) {
        const int B_shared_step = threadIdx.x / 32;
        const int B_shared_j = threadIdx.x % 32;
        copy_async_16(&B_shared[step_ahead][B_shared_s + B_shared_step][B_shared_j * 4], &B[(step_ahead * 16 + B_shared_s + B_shared_step) * N + block_column * 128 + B_shared_j * 4]);
      }
    }
    commit_group();
  }
  for (int step = 0; step < K / 16; ++step) {
    wait_group<1>();
    __syncthreads();
    if (step + 2 < K / 16) {
      #pragma unroll
      for (int A_shared_s_2 = 0; A_shared_s_2 < 128; A_shared_s_2 += 16) {
        const int A_shared_i_2 = threadIdx.x / 16;
        const int A_shared_k = threadIdx.x % 16;
        copy_async_4(&A_shared[(step + 2) % 3][A_shared_k][A_shared_s_2 + A_shared_i_2], &A[(block_row * 128 + A_shared_s_2 + A_shared_i_2) * K + step * 16 + A_shared_k + 32]);
      }
      #pragma unroll
      for (int B_shared_s_2 = 0; B_shared_s_2 < 16; B_shared_s_2 += 8) {
        const int B_shared_k = threadIdx.x / 32;
        const int B_shared_j_2 = threadIdx.x % 32;
        copy_async_16(&B_shared[(step + 2) % 3][B_shared_s_2 + B_shared_k][B_shared_j_2 * 4], &B[(step * 16 + B_shared_s_2 + B_shared_k + 32) * N + block_column * 128 + B_shared_j_2 * 4]);
      }
    }
    commit_group();
    __align__(16) float B_reg[2][2][4];
    __align__(16) float A_reg[2][2][4];
    #pragma unroll
    for (int B_reg_fill_ahead = 0; B_reg_fill_ahead < 2; ++B_reg_fill_ahead) {
      *reinterpret_cast<float4*>(&B_reg[0][B_reg_fill_ahead][0]) =
          *reinterpret_cast<const float4*>(&B_shared[step % 3][0][j + B_reg_fill_ahead * 32]);
    }
    #pragma unroll
    for (int A_reg_fill_ahead = 0; A_reg_fill_ahead < 2; ++A_reg_fill_ahead) {
      *reinterpret_cast<float4*>(&A_reg[0][A_reg_fill_ahead][0]) =
          *reinterpret_cast<const float4*>(&A_shared[step % 3][0][i + A_reg_fill_ahead * 16]);
    }
    #pragma unroll
    for (int k = 0; k < 16; ++k) {
      if (k + 1 < 16) {
        #pragma unroll
        for (int B_reg_fill = 0; B_reg_fill < 2; ++B_reg_fill) {
          *reinterpret_cast<float4*>(&B_reg[(k + 1) % 2][B_reg_fill][0]) =
              *reinterpret_cast<const float4*>(&B_shared[step % 3][k + 1][j + B_reg_fill * 32]);
        }
        #pragma unroll
        for (int A_reg_fill = 0; A_reg_fill < 2; ++A_reg_fill) {
          *reinterpret_cast<float4*>(&A_reg[(k + 1) % 2][A_reg_fill][0]) =
              *reinterpret_cast<const float4*>(&A_shared[step % 3][k + 1][i + A_reg_fill * 16]);
        }
      }
      #pragma unroll
      for (int quad_row = 0; quad_row < 2; ++quad_row) {
        #pragma unroll
        for (int row = 0; row < 4; ++row) {
          #pragma unroll
          for (int quad_column = 0; quad_column < 2; ++quad_column) {
            #pragma unroll
            for (int column = 0; column < 4; ++column) {
              C_reg[quad_row][row][quad_column][column] += A_reg[k % 2][quad_row][row] * B_reg[k % 2][quad_column][column];
            }
          }
        }
      }
    }
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

}  // namespace hone::matmul
