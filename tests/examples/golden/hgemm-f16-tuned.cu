// C(i, j) = f16(sum(k, f32(A(i, k)) * f32(B(k, j))))
// s.launch_early();
// s.reorder({j, i});
// s.assume_aligned(B, 16);
// s.assume_aligned(A, 16);
// s.assume_aligned(C, 16);
// auto [group, j_1] = s.split(j, 512, {.tail = Tail::pad, .names = {"group", nullptr}});
// auto [tile_row, tile_column, j_1_1, column] = s.tile({j_1, i}, {64, 128}, {.tail = Tail::pad, .names = {"tile_row", "tile_column", nullptr, "column"}});
// auto [consumer, row] = s.split(j_1_1, 64, {.names = {"consumer", "row"}});
// auto [step, k_2] = s.split(k, 64, {.tail = Tail::pad, .names = {"step", "k"}});
// s.bind(consumer, warpgroup);
// s.reorder({tile_column, tile_row, step, consumer, column, row, k_2});
// auto [warp_row_init, octet_init, lane_column_init, element_init, row_half_init, lane_row_init] = s.spread({s.axis("column.init"), s.axis("row.init")}, "wgmma_m128n64k64_kn_f16");
// auto [warp_row, octet, lane_column, element, row_half, lane_row] = s.spread({s.axis("column.post"), s.axis("row.post")}, "wgmma_m128n64k64_kn_f16");
// s.tensorize(column, "wgmma_m128n64k64_kn_f16");
// auto B_shared = s.cache_shared(B, step, {.layout = Layout().swizzle({.chunk = 8, .period = 8, .rows = 1})});
// auto A_shared = s.cache_shared(A, step, {.layout = Layout().swizzle({.chunk = 8, .period = 8, .rows = 1})});
// s.cache_registers(C.acc, tile_row);
// Axis tile_column_tile_row = s.fuse(tile_column, tile_row);
// Axis tile = s.fuse(group, tile_column_tile_row, {.name = "tile"});
// auto [turn, block_2] = s.split(tile, 132, {.names = {"turn", "block"}});
// s.reorder({block_2, turn});
// s.bind(block_2, block.x);
// s.specialize(step, 8, {.producer_warps = 1, .in_flight = 1}, CopyEngine::boxes);
// auto C_shared = s.cache_shared(C, turn, {.layout = Layout().swizzle({.chunk = 8, .period = 8, .rows = 1})});
// s.write_back_at(C_shared, s.axis("consumer.post"));
// s.copy_bulk(C_shared);
// s.cache_registers(C_shared, warp_row);
// s.tensorize(C_shared, "stmatrix_x4_trans_columns_f16");
//
// launch: grid (132, 1, 1), block (160, 1, 1), 213120 bytes of shared memory

#include <cuda_fp16.h>

namespace hone::hgemm_f16 {

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

// A tensor as the copy engine knows it: cuTensorMapEncodeTiled makes it on the host.
struct alignas(64) TensorMap {
  unsigned char bytes[128];
};

// Counts the thread in; the phase does not end before copies have brought `bytes` more.
static __device__ void expect_bytes(void* mbarrier, unsigned bytes) {
  const unsigned address = __cvta_generic_to_shared(mbarrier);
  asm volatile("{ .reg .b64 state; mbarrier.arrive.expect_tx.shared.b64 state, [%0], %1; }"
               :
               : "r"(address), "r"(bytes)
               : "memory");
}

// Shows the copy engine and tensor cores what the thread has written to shared memory before.
static __device__ void fence_engine() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

// Asks the copy engine for the box of `map` at these coordinates, the fastest first. It counts the
// bytes at the mbarrier.
static __device__ void copy_bulk_2d(void* to, const TensorMap* map, int c0, int c1, void* mbarrier) {
  const unsigned address = __cvta_generic_to_shared(to);
  const unsigned full = __cvta_generic_to_shared(mbarrier);
  asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3}], [%4];"
               :
               : "r"(address), "l"(map), "r"(c0), "r"(c1), "r"(full)
               : "memory");
}

// Asks the copy engine to write the box of `map` at these coordinates, the fastest first.
static __device__ void store_bulk_2d(const TensorMap* map, int c0, int c1, const void* from) {
  const unsigned address = __cvta_generic_to_shared(from);
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];"
               :
               : "l"(map), "r"(c0), "r"(c1), "r"(address)
               : "memory");
}

// The stores that this thread has asked for since its last group are the next one.
static __device__ void commit_stores() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

// Waits until the copy engine has read all that the stores of this thread take, but for its last
// `pending` groups.
template <int pending>
static __device__ void wait_stores() {
  asm volatile("cp.async.bulk.wait_group.read %0;" : : "n"(pending) : "memory");
}

// Waits until so many threads have come to the barrier of that number.
template <int barrier, int threads>
static __device__ void named_barrier() {
  asm volatile("bar.sync %0, %1;" : : "n"(barrier), "n"(threads) : "memory");
}

// Stores matrices where the lanes say that their columns of eight lie.
static __device__ void stmatrix_x4_trans(void* to, const void* from) {
  const unsigned* r = static_cast<const unsigned*>(from);
  const unsigned address = __cvta_generic_to_shared(to);
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1, %2, %3, %4};"
               :
               : "r"(address), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
               : "memory");
}

// A tile in shared memory as wgmma takes it: rows of `row` bytes, in a swizzle of as many. Panels
// lie `panel` bytes apart.
static __device__ unsigned long long matrix_descriptor(const void* tile, unsigned panel,
                                                       unsigned row) {
  const unsigned address = __cvta_generic_to_shared(tile);
  const unsigned long long swizzle = row == 128 ? 1 : row == 64 ? 2 : 3;
  return swizzle << 62 | (unsigned long long)(row / 2) << 32 |
         (unsigned long long)(panel / 16) << 16 | (address & 0x3ffff) >> 4;
}

// C += A^T B^T, 64 by 128 of 64, of sums that the lanes of a warpgroup have, and of tiles in shared
// memory. The sums are there when the group that this becomes part of has been waited for.
static __device__ void wgmma_m64n128k64_km(float* c, const void* a, const void* b) {
  const unsigned long long left = matrix_descriptor(a, 8192, 128);
  const unsigned long long right = matrix_descriptor(b, 16, 128);
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, 1, 0;\n"
      "wgmma.fence.sync.aligned;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, "
      "%8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, "
      "%40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, "
      "%56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, p, 1, 1, 1, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, "
      "%8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, "
      "%40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, "
      "%56, %57, %58, %59, %60, %61, %62, %63}, "
      "%66, %67, p, 1, 1, 1, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, "
      "%8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, "
      "%40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, "
      "%56, %57, %58, %59, %60, %61, %62, %63}, "
      "%68, %69, p, 1, 1, 1, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, "
      "%8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, "
      "%40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, "
      "%56, %57, %58, %59, %60, %61, %62, %63}, "
      "%70, %71, p, 1, 1, 1, 0;\n"
      "}"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]),
        "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]),
        "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
        "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]),
        "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]),
        "+f"(c[40]), "+f"(c[41]), "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]),
        "+f"(c[48]), "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]),
        "+f"(c[56]), "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63])
      : "l"(left + 0), "l"(right + 0), "l"(left + 128), "l"(right + 2), "l"(left + 256), "l"(right + 4), "l"(left + 384), "l"(right + 6)
      : "memory");
}

// The products that this warpgroup has started since its last group are the next one.
static __device__ void commit_wgmma() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

// Waits for the products of this warpgroup but those of its last `pending` groups.
template <int pending>
static __device__ void wait_wgmma() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" : : "n"(pending) : "memory");
}

extern "C" __global__ void __launch_bounds__(160)
hgemm_f16(const __half* __restrict__ A, const __half* __restrict__ B, __half* __restrict__ C, int M, int N, int K, const __grid_constant__ TensorMap B_map, const __grid_constant__ TensorMap A_map, const __grid_constant__ TensorMap C_map) {
  extern __shared__ __align__(1024) unsigned char shared[];
  long long (&step_full)[8] = *reinterpret_cast<long long (*)[8]>(shared + 212992);
  long long (&step_empty)[8] = *reinterpret_cast<long long (*)[8]>(shared + 213056);
  __half (&C_shared)[128][64] = *reinterpret_cast<__half (*)[128][64]>(shared + 0);
  __half (&B_shared)[8][64][64] = *reinterpret_cast<__half (*)[8][64][64]>(shared + 16384);
  __half (&A_shared)[8][128][64] = *reinterpret_cast<__half (*)[8][128][64]>(shared + 81920);
  const int block = blockIdx.x;
  if (threadIdx.x == 0) {
    for (int slot = 0; slot < 8; ++slot) {
      init_mbarrier(&step_full[slot], 1);
      init_mbarrier(&step_empty[slot], 4);
    }
    fence_engine();
  }
  __syncthreads();
  asm volatile("griddepcontrol.wait;" ::: "memory");
  if (128 <= threadIdx.x) {
    for (int turn_ahead = 0; turn_ahead < ((N + 511) / 512 * ((M + 127) / 128) * 2 + 32) / 33; ++turn_ahead) {
      if (turn_ahead * 132 + block < (N + 511) / 512 * ((M + 127) / 128) * 8) {
        const int producer = threadIdx.x - 128;
        if (producer == 0) {
          int step_ahead_slot = (long long)turn_ahead * ((K + 63) / 64) % 8, step_ahead_parity = (long long)turn_ahead * ((K + 63) / 64) / 8 % 2;
          for (int step_ahead = 0; step_ahead < (K + 63) / 64; ++step_ahead) {
            wait_mbarrier(&step_empty[step_ahead_slot], 1 - step_ahead_parity);
            expect_bytes(&step_full[step_ahead_slot], 24576);
            copy_bulk_2d(&B_shared[step_ahead_slot][0][0], &B_map,
                (turn_ahead * 132 + block) / ((M + 127) / 128 * 8) * 512 + (turn_ahead * 132 + block) % 8 * 64, step_ahead * 64, &step_full[step_ahead_slot]);
            copy_bulk_2d(&A_shared[step_ahead_slot][0][0], &A_map,
                step_ahead * 64, (turn_ahead * 132 + block) % ((M + 127) / 128 * 8) / 8 * 128, &step_full[step_ahead_slot]);
            if (++step_ahead_slot == 8) {
              step_ahead_slot = 0;
              step_ahead_parity = 1 - step_ahead_parity;
            }
          }
        }
      }
    }
    return;
  }
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int first = lane;
  const int warp_row = warp;
  const int C_shared_lane = lane % 8;
  const int C_shared_lane_2 = lane / 8 % 2;
  const int C_shared_lane_3 = lane / 16;
  for (int turn = 0; turn < ((N + 511) / 512 * ((M + 127) / 128) * 2 + 32) / 33; ++turn) {
    if (turn * 132 + block < (N + 511) / 512 * ((M + 127) / 128) * 8) {
      __align__(16) float C_reg[16][2][2];
      #pragma unroll
      for (int octet_init = 0; octet_init < 16; ++octet_init) {
        #pragma unroll
        for (int element_init = 0; element_init < 2; ++element_init) {
          #pragma unroll
          for (int row_half_init = 0; row_half_init < 2; ++row_half_init) {
            C_reg[octet_init][row_half_init][element_init] = 0.0f;
          }
        }
      }
      int step_slot = (long long)turn * ((K + 63) / 64) % 8, step_parity = (long long)turn * ((K + 63) / 64) / 8 % 2;
      for (int step = 0; step < (K + 63) / 64; ++step) {
        wait_mbarrier(&step_full[step_slot], step_parity);
        const int consumer = 0;
        wgmma_m64n128k64_km(&C_reg[0][0][0], &B_shared[step_slot][0][consumer * 64], &A_shared[step_slot][0][0]);
        commit_wgmma();
        wait_wgmma<1>();
        if ((long long)turn * ((K + 63) / 64) + step >= 1 && first == 0) {
          arrive_mbarrier(&step_empty[(step_slot + 7) % 8]);
        }
        if (++step_slot == 8) {
          step_slot = 0;
          step_parity = 1 - step_parity;
        }
      }
      wait_wgmma<0>();
      const int consumer_post = 0;
      __align__(16) __half C_reg_2[8][2][2][2];
      #pragma unroll
      for (int octet = 0; octet < 16; ++octet) {
        #pragma unroll
        for (int element = 0; element < 2; ++element) {
          #pragma unroll
          for (int row_half = 0; row_half < 2; ++row_half) {
            C_reg_2[octet / 2][octet % 2][row_half][element] = __float2half(C_reg[octet][row_half][element]);
          }
        }
      }
      wait_stores<0>();
      named_barrier<1, 128>();
      #pragma unroll
      for (int tile = 0; tile < 8; ++tile) {
        #pragma unroll
        for (int tile_2 = 0; tile_2 < 16; tile_2 += 16) {
          stmatrix_x4_trans(&C_shared[tile * 16 + C_shared_lane + C_shared_lane_3 * 8][consumer_post * 64 + tile_2 + warp_row * 16 + C_shared_lane_2 * 8 ^ C_shared_lane * 8], &C_reg_2[tile][0][0][0]);
        }
      }
      fence_engine();
      named_barrier<1, 128>();
      const int C_shared_tx = threadIdx.x;
      if (C_shared_tx == 0 && (M >= 1 && N >= 1)) {
        store_bulk_2d(&C_map,
            (turn * 132 + block) / ((M + 127) / 128 * 8) * 512 + (turn * 132 + block) % 8 * 64 + consumer_post * 64, (turn * 132 + block) % ((M + 127) / 128 * 8) / 8 * 128, &C_shared[0][consumer_post * 64]);
      }
      commit_stores();
    }
  }
  wait_stores<0>();
}

}  // namespace hone::hgemm_f16
