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
// s.tensorize(s.tensor("A.reg"), "ldmatrix_x4_bf16");
// s.tensorize(s.tensor("B.reg"), "ldmatrix_x4_trans_bf16");
// s.copy_async(A_shared);
// s.copy_async(B_shared);
// s.pipeline(step, 3);
//
// launch: grid ((N + 127) / 128, (M + 127) / 128, 1), block (256, 1, 1), 56832 bytes of shared memory

#include <cuda_bf16.h>

namespace hone::hgemm {

// Starts a copy of 16 bytes to shared memory, of zeros where `is_inside` is false.
static __device__ void copy_async_16_or_zeros(void* to, const void* from, bool is_inside) {
  const unsigned address = __cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;"
               :
               : "r"(address), "l"(from), "r"(is_inside ? 16 : 0)
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

// Loads the matrices whose rows of eight lie where the lanes say.
static __device__ void ldmatrix_x4(void* to, const void* from) {
  unsigned* r = static_cast<unsigned*>(to);
  const unsigned address = __cvta_generic_to_shared(from);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

// Loads the matrices whose rows of eight lie where the lanes say, transposed.
static __device__ void ldmatrix_x4_trans(void* to, const void* from) {
  unsigned* r = static_cast<unsigned*>(to);
  const unsigned address = __cvta_generic_to_shared(from);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address)
               : "memory");
}

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
  extern __shared__ __align__(16) unsigned char shared[];
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int warp_row = warp / 4;
  const int warp_column = warp % 4;
  const int A_shared_lane = lane % 16;
  const int A_shared_lane_2 = lane / 16;
  const int B_shared_lane = lane % 16;
  const int B_shared_lane_2 = lane / 16;
  const int lane_row = lane / 4;
  const int lane_column = lane % 4;
  __nv_bfloat16 (&A_shared)[3][128][40] = *reinterpret_cast<__nv_bfloat16 (*)[3][128][40]>(shared + 0);
  __nv_bfloat16 (&B_shared)[3][32][136] = *reinterpret_cast<__nv_bfloat16 (*)[3][32][136]>(shared + 30720);
  const int block_row = blockIdx.y;
  const int block_column = blockIdx.x;
  const int i_base = warp_row * 64 + lane_row;
  const int j_base = warp_column * 32 + lane_column * 2;
  __align__(16) float C_reg[4][4][2][2] = {};
  #pragma unroll
  for (int step_ahead = 0; step_ahead < 2; ++step_ahead) {
    if (step_ahead < (K + 31) / 32) {
      #pragma unroll
      for (int A_shared_s = 0; A_shared_s < 128; A_shared_s += 64) {
        const int A_shared_i = threadIdx.x / 4;
        const int A_shared_step = threadIdx.x % 4;
        copy_async_16_or_zeros(&A_shared[step_ahead][A_shared_s + A_shared_i][A_shared_step * 8],
            &A[(block_row * 128 + A_shared_s + A_shared_i) * K + step_ahead * 32 + A_shared_step * 8], block_row * 128 + A_shared_s + A_shared_i < M && step_ahead * 32 + A_shared_step * 8 < K);
      }
      #pragma unroll
      for (int B_shared_s = 0; B_shared_s < 32; B_shared_s += 16) {
        const int B_shared_step = threadIdx.x / 16;
        const int B_shared_j = threadIdx.x % 16;
        copy_async_16_or_zeros(&B_shared[step_ahead][B_shared_s + B_shared_step][B_shared_j * 8],
            &B[(step_ahead * 32 + B_shared_s + B_shared_step) * N + block_column * 128 + B_shared_j * 8], step_ahead * 32 + B_shared_s + B_shared_step < K && block_column * 128 + B_shared_j * 8 < N);
      }
    }
    commit_group();
  }
  for (int step = 0; step < (K + 31) / 32; ++step) {
    wait_group<1>();
    __syncthreads();
    if (step + 2 < (K + 31) / 32) {
      #pragma unroll
      for (int A_shared_s_2 = 0; A_shared_s_2 < 128; A_shared_s_2 += 64) {
        const int A_shared_i_2 = threadIdx.x / 4;
        const int A_shared_k = threadIdx.x % 4;
        copy_async_16_or_zeros(&A_shared[(step + 2) % 3][A_shared_s_2 + A_shared_i_2][A_shared_k * 8],
            &A[(block_row * 128 + A_shared_s_2 + A_shared_i_2) * K + step * 32 + A_shared_k * 8 + 64], block_row * 128 + A_shared_s_2 + A_shared_i_2 < M && step * 32 + A_shared_k * 8 + 64 < K);
      }
      #pragma unroll
      for (int B_shared_s_2 = 0; B_shared_s_2 < 32; B_shared_s_2 += 16) {
        const int B_shared_k = threadIdx.x / 16;
        const int B_shared_j_2 = threadIdx.x % 16;
        copy_async_16_or_zeros(&B_shared[(step + 2) % 3][B_shared_s_2 + B_shared_k][B_shared_j_2 * 8],
            &B[(step * 32 + B_shared_s_2 + B_shared_k + 64) * N + block_column * 128 + B_shared_j_2 * 8], step * 32 + B_shared_s_2 + B_shared_k + 64 < K && block_column * 128 + B_shared_j_2 * 8 < N);
      }
    }
    commit_group();
    #pragma unroll
    for (int k_tile = 0; k_tile < 32; k_tile += 16) {
      __align__(16) __nv_bfloat16 A_reg[4][2][2][2];
      #pragma unroll
      for (int tile = 0; tile < 4; ++tile) {
        #pragma unroll
        for (int tile_2 = 0; tile_2 < 16; tile_2 += 16) {
          ldmatrix_x4(&A_reg[tile][0][0][tile_2], &A_shared[step % 3][warp_row * 64 + tile * 16 + A_shared_lane][k_tile + tile_2 + A_shared_lane_2 * 8]);
        }
      }
      __align__(16) __nv_bfloat16 B_reg[4][4];
      #pragma unroll
      for (int tile_3 = 0; tile_3 < 16; tile_3 += 16) {
        #pragma unroll
        for (int tile_4 = 0; tile_4 < 4; tile_4 += 2) {
          ldmatrix_x4_trans(&B_reg[tile_4][tile_3], &B_shared[step % 3][k_tile + tile_3 + B_shared_lane][warp_column * 32 + tile_4 * 8 + B_shared_lane_2 * 8]);
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
