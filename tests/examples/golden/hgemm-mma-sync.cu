// C(i, j) = bf16(sum(k, f32(A(i, k)) * f32(B(k, j))))
// s.assume_aligned(A, 16);
// s.assume(K % 8 == 0);
// s.assume_aligned(B, 16);
// s.assume(N % 8 == 0);
// auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {128, 128}, {.tail = Tail::pad});
// Axis tile_row = s.rename(i_0, "tile_row");
// Axis tile_column = s.rename(j_0, "tile_column");
// auto [i_1_0, j_1_0, i_1_1, j_1_1] = s.tile({i_1, j_1}, {64, 32});
// Axis warp_row = s.rename(i_1_0, "warp_row");
// Axis warp_column = s.rename(j_1_0, "warp_column");
// auto [i_1_1_0, j_1_1_0, i_1_1_1, j_1_1_1] = s.tile({i_1_1, j_1_1}, {16, 8});
// Axis row_tile = s.rename(i_1_1_0, "row_tile");
// Axis column_tile = s.rename(j_1_1_0, "column_tile");
// Axis row = s.rename(i_1_1_1, "row");
// Axis column = s.rename(j_1_1_1, "column");
// auto [k_0, k_1] = s.split(k, 32, {.tail = Tail::pad});
// Axis step = s.rename(k_0, "step");
// auto [k_1_0, k_1_1] = s.split(k_1, 16);
// Axis k_tile = s.rename(k_1_0, "k_tile");
// s.reorder({tile_row, tile_column, warp_row, warp_column, step, k_tile, row_tile, column_tile, row, column, k_1_1});
// s.bind(tile_row, block.y);
// s.bind(tile_column, block.x);
// s.bind({warp_row, warp_column}, warp);
// auto [row_init_0, row_init_1] = s.split(s.axis("row.init"), 8);
// auto [column_init_0, column_init_1] = s.split(s.axis("column.init"), 8);
// auto [column_init_1_0, column_init_1_1] = s.split(column_init_1, 2);
// s.bind({row_init_1, column_init_1_0}, lane);
// auto [row_post_0, row_post_1] = s.split(s.axis("row.post"), 8);
// auto [column_post_0, column_post_1] = s.split(s.axis("column.post"), 8);
// auto [column_post_1_0, column_post_1_1] = s.split(column_post_1, 2);
// s.bind({row_post_1, column_post_1_0}, lane);
// s.tensorize(row, "mma_m16n8k16_bf16");
// s.cache_registers(C.acc, warp_column);
// auto A_shared = s.cache_shared(A, step, {.vectorize = 8, .layout = Layout().pad(8)});
// auto B_shared = s.cache_shared(B, step, {.vectorize = 8, .layout = Layout().pad(8)});
// s.cache_registers(A_shared, k_tile);
// s.cache_registers(B_shared, k_tile);
// s.unroll(k_tile);
// s.assume_aligned(C, 16);
// s.assume(N % 8 == 0);
// s.vectorize(column_post_1_1);
//
// launch: grid ((N + 127) / 128, (M + 127) / 128, 1), block (256, 1, 1), 18944 bytes of shared memory

#include <cuda_bf16.h>

namespace hone::hgemm {

// C += A B, 16 by 8 of 16, of the values that the lanes of a warp have.
static __device__ void mma_m16n8k16_bf16(float* c, const void* left, const void* right) {
  const unsigned* a = static_cast<const unsigned*>(left);
  const unsigned* b = static_cast<const unsigned*>(right);
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
               "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

extern "C" __global__ void __launch_bounds__(256)
hgemm(const __nv_bfloat16* __restrict__ A, const __nv_bfloat16* __restrict__ B, __nv_bfloat16* __restrict__ C, int M, int N, int K) {
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int warp_row = warp / 4;
  const int warp_column = warp % 4;
  const int A_reg_t = lane % 4;
  const int A_reg_t_2 = lane / 4;
  const int B_reg_t = lane % 4;
  const int B_reg_t_2 = lane / 4;
  const int row_post_1 = lane / 4;
  const int column_post_1_0 = lane % 4;
  __shared__ __align__(16) __nv_bfloat16 A_shared[128][40];
  __shared__ __align__(16) __nv_bfloat16 B_shared[32][136];
  const int tile_row = blockIdx.y;
  const int tile_column = blockIdx.x;
  __align__(16) float C_reg[4][4][2][2];
  #pragma unroll
  for (int row_tile_init = 0; row_tile_init < 4; ++row_tile_init) {
    #pragma unroll
    for (int column_tile_init = 0; column_tile_init < 4; ++column_tile_init) {
      #pragma unroll
      for (int row_init_0 = 0; row_init_0 < 2; ++row_init_0) {
        #pragma unroll
        for (int column_init_0 = 0; column_init_0 < 1; ++column_init_0) {
          #pragma unroll
          for (int column_init_1_1 = 0; column_init_1_1 < 2; ++column_init_1_1) {
            C_reg[row_tile_init][column_init_0 + column_tile_init][row_init_0][column_init_1_1] = 0.0f;
          }
        }
      }
    }
  }
  for (int step = 0; step < K; step += 32) {
    #pragma unroll
    for (int A_shared_s = 0; A_shared_s < 128; A_shared_s += 64) {
      const int A_shared_tile_row = threadIdx.x / 4;
      const int A_shared_step = threadIdx.x % 4;
      __align__(16) __nv_bfloat16 A_vec[8];
      *reinterpret_cast<int4*>(A_vec) =
          (tile_row * 128 + A_shared_s + A_shared_tile_row < M && step + A_shared_step * 8 < K) ? *reinterpret_cast<const int4*>(&A[(tile_row * 128 + A_shared_s + A_shared_tile_row) * K + step + A_shared_step * 8]) : int4{};
      *reinterpret_cast<int4*>(&A_shared[A_shared_s + A_shared_tile_row][A_shared_step * 8]) =
          *reinterpret_cast<const int4*>(A_vec);
    }
    #pragma unroll
    for (int B_shared_s = 0; B_shared_s < 32; B_shared_s += 16) {
      const int B_shared_step = threadIdx.x / 16;
      const int B_shared_tile_column = threadIdx.x % 16;
      __align__(16) __nv_bfloat16 B_vec[8];
      *reinterpret_cast<int4*>(B_vec) =
          (step + B_shared_s + B_shared_step < K && tile_column * 128 + B_shared_tile_column * 8 < N) ? *reinterpret_cast<const int4*>(&B[(step + B_shared_s + B_shared_step) * N + tile_column * 128 + B_shared_tile_column * 8]) : int4{};
      *reinterpret_cast<int4*>(&B_shared[B_shared_s + B_shared_step][B_shared_tile_column * 8]) =
          *reinterpret_cast<const int4*>(B_vec);
    }
    __syncthreads();
    #pragma unroll
    for (int k_tile = 0; k_tile < 32; k_tile += 16) {
      __align__(16) __nv_bfloat16 A_reg[4][2][2][2];
      #pragma unroll
      for (int A_reg_o = 0; A_reg_o < 2; ++A_reg_o) {
        #pragma unroll
        for (int A_reg_o_2 = 0; A_reg_o_2 < 8; ++A_reg_o_2) {
          #pragma unroll
          for (int A_reg_at = 0; A_reg_at < 2; ++A_reg_at) {
            A_reg[A_reg_o_2 / 2][A_reg_o][A_reg_o_2 % 2][A_reg_at] = A_shared[warp_row * 64 + A_reg_o_2 * 8 + A_reg_t_2][k_tile + A_reg_o * 8 + A_reg_t * 2 + A_reg_at];
          }
        }
      }
      __align__(16) __nv_bfloat16 B_reg[4][4];
      #pragma unroll
      for (int B_reg_o = 0; B_reg_o < 4; B_reg_o += 2) {
        #pragma unroll
        for (int B_reg_o_2 = 0; B_reg_o_2 < 4; ++B_reg_o_2) {
          #pragma unroll
          for (int B_reg_at = 0; B_reg_at < 2; ++B_reg_at) {
            B_reg[B_reg_o_2][B_reg_o + B_reg_at] = B_shared[k_tile + B_reg_o * 4 + B_reg_t * 2 + B_reg_at][warp_column * 32 + B_reg_o_2 * 8 + B_reg_t_2];
          }
        }
      }
      #pragma unroll
      for (int row_tile = 0; row_tile < 4; ++row_tile) {
        #pragma unroll
        for (int column_tile = 0; column_tile < 4; ++column_tile) {
          mma_m16n8k16_bf16(&C_reg[row_tile][column_tile][0][0], &A_reg[row_tile][0][0][0], &B_reg[column_tile][0]);
        }
      }
    }
    __syncthreads();
  }
  #pragma unroll
  for (int row_tile_post = 0; row_tile_post < 4; ++row_tile_post) {
    #pragma unroll
    for (int column_tile_post = 0; column_tile_post < 4; ++column_tile_post) {
      #pragma unroll
      for (int row_post_0 = 0; row_post_0 < 2; ++row_post_0) {
        #pragma unroll
        for (int column_post_0 = 0; column_post_0 < 1; ++column_post_0) {
          if (tile_row * 128 + warp_row * 64 + row_tile_post * 16 + row_post_0 * 8 + row_post_1 < M && tile_column * 128 + warp_column * 32 + column_tile_post * 8 + column_post_0 * 8 + column_post_1_0 * 2 < N) {
            __align__(4) __nv_bfloat16 C_vec[2];
            #pragma unroll
            for (int column_post_1_1 = 0; column_post_1_1 < 2; ++column_post_1_1) {
              C_vec[column_post_1_1] = __float2bfloat16(C_reg[row_tile_post][column_post_0 + column_tile_post][row_post_0][column_post_1_1]);
            }
            *reinterpret_cast<int*>(&C[(tile_row * 128 + warp_row * 64 + row_tile_post * 16 + row_post_0 * 8 + row_post_1) * N + tile_column * 128 + warp_column * 32 + column_tile_post * 8 + column_post_0 * 8 + column_post_1_0 * 2]) =
                *reinterpret_cast<const int*>(C_vec);
          }
        }
      }
    }
  }
}

}  // namespace hone::hgemm
