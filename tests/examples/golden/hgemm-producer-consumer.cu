// C(i, j) = bf16(sum(k, f32(A(i, k)) * f32(B(k, j))))
// s.assume_aligned(A, 16);
// s.assume_aligned(B, 16);
// auto [block_row, block_column, i_1, j_1] = s.tile({i, j}, {128, 256}, {.tail = Tail::pad, .names = {"block_row", "block_column", nullptr, nullptr}});
// auto [warp_row, warp_column, i_1_1, j_1_1] = s.tile({i_1, j_1}, {64, 64}, {.names = {"warp_row", "warp_column", nullptr, nullptr}});
// auto [row_tile, column_tile, row, column] = s.tile({i_1_1, j_1_1}, {16, 8}, {.names = {"row_tile", "column_tile", "row", "column"}});
// auto [step, k_1] = s.split(k, 32, {.tail = Tail::pad, .names = {"step", nullptr}});
// auto [k_tile, k_2] = s.split(k_1, 16, {.names = {"k_tile", "k"}});
// s.reorder({block_row, block_column, warp_row, warp_column, step, k_tile, row_tile, column_tile, row, column, k_2});
// auto [group, block_row_1] = s.split(block_row, 8, {.names = {"group", nullptr}});
// s.reorder({group, block_column, block_row_1});
// s.bind(group, block.y);
// Axis tile = s.fuse(block_column, block_row_1, {.name = "tile"});
// s.bind(tile, block.x);
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
// s.pipeline(k_tile, 2);
// s.specialize(step, 4, {.producer_warps = 4, .producer_registers = 40, .consumer_registers = 232});
// s.prefetch(step);
//
// launch: grid (((N + 255) / 256)*8, ((M + 127) / 128 + 7) / 8, 1), block (384, 1, 1), 108608 bytes of shared memory

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

// `count` arrivals end a phase of the mbarrier.
static __device__ void init_mbarrier(void* mbarrier, unsigned count) {
  const unsigned address = __cvta_generic_to_shared(mbarrier);
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"(address), "r"(count) : "memory");
}

// Counts the thread in.
static __device__ void arrive_mbarrier(void* mbarrier) {
  const unsigned address = __cvta_generic_to_shared(mbarrier);
  asm volatile("{ .reg .b64 state; mbarrier.arrive.shared.b64 state, [%0]; }"
               :
               : "r"(address)
               : "memory");
}

// Counts the thread in when the copies are there that it has started.
static __device__ void arrive_mbarrier_after_copies(void* mbarrier) {
  const unsigned address = __cvta_generic_to_shared(mbarrier);
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" : : "r"(address) : "memory");
}

// Waits for the end of the phase of this parity.
static __device__ void wait_mbarrier(void* mbarrier, unsigned parity) {
  const unsigned address = __cvta_generic_to_shared(mbarrier);
  asm volatile("{ .reg .pred ended;\n"
               "again:\n"
#if __CUDA_ARCH__ >= 900
               "  mbarrier.try_wait.parity.shared.b64 ended, [%0], %1;\n"
#else
               "  mbarrier.test_wait.parity.shared.b64 ended, [%0], %1;\n"
#endif
               "  @!ended bra again; }"
               :
               : "r"(address), "r"(parity)
               : "memory");
}

// The threads of this warpgroup keep `count` registers each.
template <int count>
static __device__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" : : "n"(count));
}

// The threads of this warpgroup have `count` registers each, as others have given theirs back.
template <int count>
static __device__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" : : "n"(count));
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

extern "C" __global__ void __launch_bounds__(384, 1)
hgemm(const __nv_bfloat16* __restrict__ A, const __nv_bfloat16* __restrict__ B, __nv_bfloat16* __restrict__ C, int M, int N, int K) {
  extern __shared__ __align__(16) unsigned char shared[];
  long long (&step_full)[4] = *reinterpret_cast<long long (*)[4]>(shared + 108544);
  long long (&step_empty)[4] = *reinterpret_cast<long long (*)[4]>(shared + 108576);
  __nv_bfloat16 (&A_shared)[4][128][40] = *reinterpret_cast<__nv_bfloat16 (*)[4][128][40]>(shared + 0);
  __nv_bfloat16 (&B_shared)[4][32][264] = *reinterpret_cast<__nv_bfloat16 (*)[4][32][264]>(shared + 40960);
  const int group = blockIdx.y;
  const int tile = blockIdx.x;
  if (threadIdx.x == 0) {
    for (int slot = 0; slot < 4; ++slot) {
      init_mbarrier(&step_full[slot], 128);
      init_mbarrier(&step_empty[slot], 256);
    }
  }
  __syncthreads();
  if (256 <= threadIdx.x) {
    give_registers<40>();
    if (group * 8 + tile % 8 < (M + 127) / 128) {
      int step_ahead_slot = 0, step_ahead_parity = 0;
      for (int step_ahead = 0; step_ahead < (K + 31) / 32; ++step_ahead) {
        wait_mbarrier(&step_empty[step_ahead_slot], 1 - step_ahead_parity);
        #pragma unroll
        for (int A_shared_s = 0; A_shared_s < 128; A_shared_s += 32) {
          const int A_shared_tx = threadIdx.x - 256;
          const int A_shared_0 = A_shared_tx / 4;
          const int A_shared_k = A_shared_tx % 4;
          copy_async_16_or_zeros(&A_shared[step_ahead_slot][A_shared_s + A_shared_0][A_shared_k * 8],
              &A[(group * 1024 + tile % 8 * 128 + A_shared_s + A_shared_0) * K + step_ahead * 32 + A_shared_k * 8], group * 1024 + tile % 8 * 128 + A_shared_s + A_shared_0 < M && step_ahead * 32 + A_shared_k * 8 < K);
        }
        #pragma unroll
        for (int B_shared_s = 0; B_shared_s < 32; B_shared_s += 4) {
          const int B_shared_tx = threadIdx.x - 256;
          const int B_shared_k = B_shared_tx / 32;
          const int B_shared_tile = B_shared_tx % 32;
          copy_async_16_or_zeros(&B_shared[step_ahead_slot][B_shared_s + B_shared_k][B_shared_tile * 8],
              &B[(step_ahead * 32 + B_shared_s + B_shared_k) * N + tile / 8 * 256 + B_shared_tile * 8], step_ahead * 32 + B_shared_s + B_shared_k < K && tile / 8 * 256 + B_shared_tile * 8 < N);
        }
        arrive_mbarrier_after_copies(&step_full[step_ahead_slot]);
        if (++step_ahead_slot == 4) {
          step_ahead_slot = 0;
          step_ahead_parity = 1 - step_ahead_parity;
        }
      }
    }
    return;
  }
  take_registers<232>();
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int warp_row = warp / 4;
  const int warp_column = warp % 4;
  const int A_shared_lane_first = lane % 16;
  const int A_shared_lane_2_first = lane / 16;
  const int B_shared_lane_first = lane % 16;
  const int B_shared_lane_2_first = lane / 16;
  const int B_shared_lane = lane % 16;
  const int B_shared_lane_2 = lane / 16;
  const int A_shared_lane = lane % 16;
  const int A_shared_lane_2 = lane / 16;
  const int A_shared_lane_3 = lane % 16;
  const int A_shared_lane_4 = lane / 16;
  const int B_shared_lane_3 = lane % 16;
  const int B_shared_lane_4 = lane / 16;
  const int lane_row = lane / 4;
  const int lane_column = lane % 4;
  const int i_base = group * 1024 + warp_row * 64 + lane_row;
  const int j_base = warp_column * 64 + lane_column * 2;
  if (group * 8 + tile % 8 < (M + 127) / 128) {
    __align__(16) float C_reg[4][8][2][2] = {};
    __align__(16) __nv_bfloat16 A_reg[2][4][2][2][2];
    __align__(16) __nv_bfloat16 B_reg[2][8][4];
    if (0 < (K + 31) / 32) {
      wait_mbarrier(&step_full[0], 0);
      #pragma unroll
      for (int tile_2_first = 0; tile_2_first < 4; ++tile_2_first) {
        #pragma unroll
        for (int tile_3_first = 0; tile_3_first < 16; tile_3_first += 16) {
          ldmatrix_x4(&A_reg[0][tile_2_first][0][0][tile_3_first], &A_shared[0][warp_row * 64 + tile_2_first * 16 + A_shared_lane_first][tile_3_first + A_shared_lane_2_first * 8]);
        }
      }
      #pragma unroll
      for (int tile_4_first = 0; tile_4_first < 16; tile_4_first += 16) {
        #pragma unroll
        for (int tile_5_first = 0; tile_5_first < 8; tile_5_first += 2) {
          ldmatrix_x4_trans(&B_reg[0][tile_5_first][tile_4_first], &B_shared[0][tile_4_first + B_shared_lane_first][warp_column * 64 + tile_5_first * 8 + B_shared_lane_2_first * 8]);
        }
      }
    }
    int step_slot = 0, step_parity = 0;
    for (int step = 0; step < (K + 31) / 32; ++step) {
      const int step_next = step + 1 < (K + 31) / 32 ? step + 1 : step;
      #pragma unroll
      for (int k_tile = 0; k_tile < 2; ++k_tile) {
        if (k_tile == 1) {
          wait_mbarrier(&step_full[step_next % 4], step_next / 4 % 2);
        }
        if (k_tile == 1) {
          #pragma unroll
          for (int tile_4 = 0; tile_4 < 16; tile_4 += 16) {
            #pragma unroll
            for (int tile_5 = 0; tile_5 < 8; tile_5 += 2) {
              ldmatrix_x4_trans(&B_reg[0][tile_5][tile_4], &B_shared[step_next % 4][tile_4 + B_shared_lane][warp_column * 64 + tile_5 * 8 + B_shared_lane_2 * 8]);
            }
          }
        }
        if (k_tile == 1) {
          #pragma unroll
          for (int tile_2 = 0; tile_2 < 4; ++tile_2) {
            #pragma unroll
            for (int tile_3 = 0; tile_3 < 16; tile_3 += 16) {
              ldmatrix_x4(&A_reg[0][tile_2][0][0][tile_3], &A_shared[step_next % 4][warp_row * 64 + tile_2 * 16 + A_shared_lane][tile_3 + A_shared_lane_2 * 8]);
            }
          }
        }
        if (k_tile + 1 < 2) {
          #pragma unroll
          for (int tile_6 = 0; tile_6 < 4; ++tile_6) {
            #pragma unroll
            for (int tile_7 = 0; tile_7 < 16; tile_7 += 16) {
              ldmatrix_x4(&A_reg[k_tile + 1][tile_6][0][0][tile_7], &A_shared[step_slot][warp_row * 64 + tile_6 * 16 + A_shared_lane_3][k_tile * 16 + tile_7 + A_shared_lane_4 * 8 + 16]);
            }
          }
          #pragma unroll
          for (int tile_8 = 0; tile_8 < 16; tile_8 += 16) {
            #pragma unroll
            for (int tile_9 = 0; tile_9 < 8; tile_9 += 2) {
              ldmatrix_x4_trans(&B_reg[k_tile + 1][tile_9][tile_8], &B_shared[step_slot][k_tile * 16 + tile_8 + B_shared_lane_3 + 16][warp_column * 64 + tile_9 * 8 + B_shared_lane_4 * 8]);
            }
          }
        }
        #pragma unroll
        for (int row_tile = 0; row_tile < 4; ++row_tile) {
          #pragma unroll
          for (int column_tile = 0; column_tile < 8; ++column_tile) {
            mma_m16n8k16_bf16(&C_reg[row_tile][column_tile][0][0], &A_reg[k_tile][row_tile][0][0][0], &B_reg[k_tile][column_tile][0]);
          }
        }
      }
      arrive_mbarrier(&step_empty[step_slot]);
      if (++step_slot == 4) {
        step_slot = 0;
        step_parity = 1 - step_parity;
      }
    }
    #pragma unroll
    for (int row_tile_post = 0; row_tile_post < 4; ++row_tile_post) {
      #pragma unroll
      for (int column_tile_post = 0; column_tile_post < 8; ++column_tile_post) {
        #pragma unroll
        for (int row_half = 0; row_half < 2; ++row_half) {
          if (i_base + tile % 8 * 128 + row_tile_post * 16 + row_half * 8 < M && tile / 8 * 256 + j_base + column_tile_post * 8 < N) {
            __align__(4) __nv_bfloat16 C_vec[2];
            #pragma unroll
            for (int element = 0; element < 2; ++element) {
              C_vec[element] = __float2bfloat16(C_reg[row_tile_post][column_tile_post][row_half][element]);
            }
            *reinterpret_cast<int*>(&C[(i_base + tile % 8 * 128 + row_tile_post * 16 + row_half * 8) * N + tile / 8 * 256 + j_base + column_tile_post * 8]) =
                *reinterpret_cast<const int*>(C_vec);
          }
        }
      }
    }
  }
}

}  // namespace hone::hgemm
