// C(i, j) = bf16(sum(k, f32(A(i, k)) * f32(B(k, j))))
// s.assume_aligned(A, 16);
// s.assume_aligned(B, 16);
// auto [block_row, block_column, i_1, j_1] = s.tile({i, j}, {128, 128}, {.tail = Tail::pad, .names = {"block_row", "block_column", nullptr, nullptr}});
// auto [warp_row, warp_column, i_1_1, j_1_1] = s.tile({i_1, j_1}, {64, 32}, {.names = {"warp_row", "warp_column", nullptr, nullptr}});
// auto [row_tile, column_tile, row, column] = s.tile({i_1_1, j_1_1}, {16, 8}, {.names = {"row_tile", "column_tile", "row", "column"}});
// auto [step, k_1] = s.split(k, 32, {.tail = Tail::pad, .names = {"step", nullptr}});
// auto [k_tile, k_2] = s.split(k_1, 16, {.names = {"k_tile", "k"}});
// s.reorder({block_row, block_column, warp_row, warp_column, step, k_tile, row_tile, column_tile, row, column, k_2});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind({warp_row, warp_column}, warp);
// auto [row_half_init, lane_row_init, lane_column_init, element_init] = s.spread({s.axis("row.init"), s.axis("column.init")}, "mma_m16n8k16_bf16");
// auto [row_half, lane_row, lane_column, element] = s.spread({s.axis("row.post"), s.axis("column.post")}, "mma_m16n8k16_bf16");
// s.tensorize(row, "mma_m16n8k16_bf16");
// s.cache_registers(C.acc, warp_column);
// auto A_shared = s.cache_shared(A, step, {.vectorize = 8, .layout = Layout().pad(8)});
// auto B_shared = s.cache_shared(B, step, {.vectorize = 8, .layout = Layout().pad(8)});
// s.cache_registers(A_shared, k_tile);
// s.cache_registers(B_shared, k_tile);
// s.unroll(k_tile);
// s.assume_aligned(C, 16);
// s.vectorize(element);
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
  const int lane_row = lane / 4;
  const int lane_column = lane % 4;
  __shared__ __align__(16) __nv_bfloat16 A_shared[128][40];
  __shared__ __align__(16) __nv_bfloat16 B_shared[32][136];
  const int block_row = blockIdx.y;
  const int block_column = blockIdx.x;
  const int i_base = warp_row * 64 + lane_row;
  const int j_base = warp_column * 32 + lane_column * 2;
  __align__(16) float C_reg[4][4][2][2] = {};
  for (int step = 0; step < K; step += 32) {
    #pragma unroll
    for (int A_shared_s = 0; A_shared_s < 128; A_shared_s += 64) {
      const int A_shared_i = threadIdx.x / 4;
      const int A_shared_k = threadIdx.x % 4;
      __align__(16) __nv_bfloat16 A_vec[8];
      *reinterpret_cast<int4*>(A_vec) =
          (block_row * 128 + A_shared_s + A_shared_i < M && step + A_shared_k * 8 < K) ? *reinterpret_cast<const int4*>(&A[(block_row * 128 + A_shared_s + A_shared_i) * K + step + A_shared_k * 8]) : int4{};
      *reinterpret_cast<int4*>(&A_shared[A_shared_s + A_shared_i][A_shared_k * 8]) =
          *reinterpret_cast<const int4*>(A_vec);
    }
    #pragma unroll
    for (int B_shared_s = 0; B_shared_s < 32; B_shared_s += 16) {
      const int B_shared_k = threadIdx.x / 16;
      const int B_shared_j = threadIdx.x % 16;
      __align__(16) __nv_bfloat16 B_vec[8];
      *reinterpret_cast<int4*>(B_vec) =
          (step + B_shared_s + B_shared_k < K && block_column * 128 + B_shared_j * 8 < N) ? *reinterpret_cast<const int4*>(&B[(step + B_shared_s + B_shared_k) * N + block_column * 128 + B_shared_j * 8]) : int4{};
      *reinterpret_cast<int4*>(&B_shared[B_shared_s + B_shared_k][B_shared_j * 8]) =
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
      for (int row_half = 0; row_half < 2; ++row_half) {
        if (block_row * 128 + i_base + row_tile_post * 16 + row_half * 8 < M && block_column * 128 + j_base + column_tile_post * 8 < N) {
          __align__(4) __nv_bfloat16 C_vec[2];
          #pragma unroll
          for (int element = 0; element < 2; ++element) {
            C_vec[element] = __float2bfloat16(C_reg[row_tile_post][column_tile_post][row_half][element]);
          }
          *reinterpret_cast<int*>(&C[(block_row * 128 + i_base + row_tile_post * 16 + row_half * 8) * N + block_column * 128 + j_base + column_tile_post * 8]) =
              *reinterpret_cast<const int*>(C_vec);
        }
      }
    }
  }
}

}  // namespace hone::hgemm
