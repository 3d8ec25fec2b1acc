// C(i, j) = bf16(sum(k, A_scale(i, k / 128) * B_scale(j / 128, k / 128) * (f32(A(i, k)) * f32(B(j, k)))))
// s.assume_aligned(A, 16);
// s.assume_aligned(B, 16);
// s.assume_aligned(C, 16);
// auto [group, i_1] = s.split(i, 1024, {.tail = Tail::pad, .names = {"group", nullptr}});
// auto [tile_row, tile_column, i_1_1, column] = s.tile({i_1, j}, {128, 128}, {.tail = Tail::pad, .names = {"tile_row", "tile_column", nullptr, "column"}});
// auto [consumer, row] = s.split(i_1_1, 64, {.names = {"consumer", "row"}});
// auto [step, k_2] = s.split(k, 128, {.names = {"step", "k"}});
// s.reorder({tile_column, tile_row, step, consumer, row, column, k_2});
// auto C_acc_part = s.reduce_at(C.acc, step);
// s.merge(s.axis("consumer.start"), consumer);
// s.merge(s.axis("consumer.start"), s.axis("consumer.combine"));
// Axis consumer_2 = s.rename(s.axis("consumer.start"), "consumer");
// s.bind(consumer_2, warpgroup);
// s.bind(s.axis("consumer.init"), warpgroup);
// s.bind(s.axis("consumer.post"), warpgroup);
// auto [warp_row_start, row_half_start, lane_row_start, octet_start, lane_column_start, element_start] = s.spread({s.axis("row.start"), s.axis("column.start")}, "wgmma_m64n128k128_e4m3");
// auto [warp_row_combine, row_half_combine, lane_row_combine, octet_combine, lane_column_combine, element_combine] = s.spread({s.axis("row.combine"), s.axis("column.combine")}, "wgmma_m64n128k128_e4m3");
// auto [warp_row_init, row_half_init, lane_row_init, octet_init, lane_column_init, element_init] = s.spread({s.axis("row.init"), s.axis("column.init")}, "wgmma_m64n128k128_e4m3");
// auto [warp_row, row_half, lane_row, octet, lane_column, element] = s.spread({s.axis("row.post"), s.axis("column.post")}, "wgmma_m64n128k128_e4m3");
// s.tensorize(row, "wgmma_m64n128k128_e4m3");
// auto A_shared = s.cache_shared(A, step, {.layout = Layout().swizzle({.chunk = 16, .period = 8, .rows = 1})});
// auto B_shared = s.cache_shared(B, step, {.layout = Layout().swizzle({.chunk = 16, .period = 8, .rows = 1})});
// auto A_scale_shared = s.cache_shared(A_scale, step);
// s.cache_registers(B_scale, step);
// s.cache_registers(C.acc, tile_row);
// s.cache_registers(C_acc_part, consumer_2);
// Axis tile_column_tile_row = s.fuse(tile_column, tile_row);
// Axis tile = s.fuse(group, tile_column_tile_row, {.name = "tile"});
// auto [turn, block_2] = s.split(tile, 132, {.names = {"turn", "block"}});
// s.reorder({block_2, turn});
// s.bind(block_2, block.x);
// s.copy_async(A_scale_shared);
// s.specialize(step, 5, {.producer_warps = 4, .producer_registers = 40, .consumer_registers = 232}, CopyEngine::boxes);
// auto C_shared = s.cache_shared(C, turn, {.layout = Layout::order({IndexDigit(1) / 64, 0, IndexDigit(1) % 64}).swizzle({.chunk = 8, .period = 8, .rows = 1})});
// s.write_back_at(C_shared, s.axis("consumer.post"));
// s.copy_bulk(C_shared);
// s.cache_registers(C_shared, warp_row);
// s.tensorize(C_shared, "stmatrix_x4_bf16");
//
// launch: grid (132, 1, 1), block (384, 1, 1), 199248 bytes of shared memory

#include <cuda_bf16.h>

namespace hone::gemm_fp8_blocks {

// Starts a copy of 4 bytes to shared memory, of zeros where `is_inside` is false.
static __device__ void copy_async_4_or_zeros(void* to, const void* from, bool is_inside) {
  const unsigned address = __cvta_generic_to_shared(to);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;"
               :
               : "r"(address), "l"(from), "r"(is_inside ? 4 : 0)
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

// The threads of this warpgroup wait for each other: number 8 and those behind it are theirs.
static __device__ void warpgroup_barrier() {
  asm volatile("bar.sync %0, 128;" : : "r"(8 + threadIdx.x / 128) : "memory");
}

// Stores matrices where the lanes say that their rows of eight lie.
static __device__ void stmatrix_x4(void* to, const void* from) {
  const unsigned* r = static_cast<const unsigned*>(from);
  const unsigned address = __cvta_generic_to_shared(to);
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
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

// C += A B^T, 64 by 128 of 128, of sums that the lanes of a warpgroup have, and of tiles in shared
// memory. The sums are there when the group that this becomes part of has been waited for.
static __device__ void wgmma_m64n128k128_e4m3(float* c, const void* a, const void* b) {
  const unsigned long long left = matrix_descriptor(a, 16, 128);
  const unsigned long long right = matrix_descriptor(b, 16, 128);
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, 1, 0;\n"
      "wgmma.fence.sync.aligned;\n"
      "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, "
      "%8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, "
      "%40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, "
      "%56, %57, %58, %59, %60, %61, %62, %63}, "
      "%64, %65, p, 1, 1;\n"
      "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, "
      "%8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, "
      "%40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, "
      "%56, %57, %58, %59, %60, %61, %62, %63}, "
      "%66, %67, p, 1, 1;\n"
      "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, "
      "%8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, "
      "%40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, "
      "%56, %57, %58, %59, %60, %61, %62, %63}, "
      "%68, %69, p, 1, 1;\n"
      "wgmma.mma_async.sync.aligned.m64n128k32.f32.e4m3.e4m3 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, "
      "%8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, "
      "%40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, "
      "%56, %57, %58, %59, %60, %61, %62, %63}, "
      "%70, %71, p, 1, 1;\n"
      "}"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]),
        "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]),
        "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
        "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]),
        "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]),
        "+f"(c[40]), "+f"(c[41]), "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]),
        "+f"(c[48]), "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]),
        "+f"(c[56]), "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63])
      : "l"(left + 0), "l"(right + 0), "l"(left + 2), "l"(right + 2), "l"(left + 4), "l"(right + 4), "l"(left + 6), "l"(right + 6)
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

extern "C" __global__ void __launch_bounds__(384, 1)
gemm_fp8_blocks(const float* __restrict__ A_scale, const float* __restrict__ B_scale, const unsigned char* __restrict__ A, const unsigned char* __restrict__ B, __nv_bfloat16* __restrict__ C, int M, int N, int K, const __grid_constant__ TensorMap A_map, const __grid_constant__ TensorMap B_map, const __grid_constant__ TensorMap C_map) {
  extern __shared__ __align__(1024) unsigned char shared[];
  long long (&step_full)[5] = *reinterpret_cast<long long (*)[5]>(shared + 199168);
  long long (&step_empty)[5] = *reinterpret_cast<long long (*)[5]>(shared + 199208);
  __nv_bfloat16 (&C_shared)[2][128][64] = *reinterpret_cast<__nv_bfloat16 (*)[2][128][64]>(shared + 0);
  unsigned char (&A_shared)[5][128][128] = *reinterpret_cast<unsigned char (*)[5][128][128]>(shared + 32768);
  unsigned char (&B_shared)[5][128][128] = *reinterpret_cast<unsigned char (*)[5][128][128]>(shared + 114688);
  float (&A_scale_shared)[5][128] = *reinterpret_cast<float (*)[5][128]>(shared + 196608);
  const int block = blockIdx.x;
  if (threadIdx.x == 0) {
    for (int slot = 0; slot < 5; ++slot) {
      init_mbarrier(&step_full[slot], 129);
      init_mbarrier(&step_empty[slot], 256);
    }
    fence_engine();
  }
  __syncthreads();
  if (256 <= threadIdx.x) {
    give_registers<40>();
    for (int turn_ahead = 0; turn_ahead < ((M + 1023) / 1024 * ((N + 127) / 128) * 2 + 32) / 33; ++turn_ahead) {
      if (turn_ahead * 132 + block < (M + 1023) / 1024 * ((N + 127) / 128) * 8) {
        const int producer = threadIdx.x - 256;
        int step_ahead_slot = (long long)turn_ahead * ((K + 127) / 128) % 5, step_ahead_parity = (long long)turn_ahead * ((K + 127) / 128) / 5 % 2;
        for (int step_ahead = 0; step_ahead < (K + 127) / 128; ++step_ahead) {
          wait_mbarrier(&step_empty[step_ahead_slot], 1 - step_ahead_parity);
          if (producer == 0) {
            expect_bytes(&step_full[step_ahead_slot], 32768);
            copy_bulk_2d(&A_shared[step_ahead_slot][0][0], &A_map,
                step_ahead * 128, (turn_ahead * 132 + block) / ((N + 127) / 128 * 8) * 1024 + (turn_ahead * 132 + block) % 8 * 128, &step_full[step_ahead_slot]);
            copy_bulk_2d(&B_shared[step_ahead_slot][0][0], &B_map,
                step_ahead * 128, (turn_ahead * 132 + block) % ((N + 127) / 128 * 8) / 8 * 128, &step_full[step_ahead_slot]);
          }
          const int A_scale_shared_tx = threadIdx.x - 256;
          copy_async_4_or_zeros(&A_scale_shared[step_ahead_slot][A_scale_shared_tx],
              &A_scale[((long long)((turn_ahead * 132 + block) / ((N + 127) / 128 * 8)) * 1024 + (turn_ahead * 132 + block) % 8 * 128 + A_scale_shared_tx) * ((K + 127) / 128) + step_ahead], (turn_ahead * 132 + block) / ((N + 127) / 128 * 8) * 1024 + (turn_ahead * 132 + block) % 8 * 128 + A_scale_shared_tx < M);
          arrive_mbarrier_after_copies(&step_full[step_ahead_slot]);
          if (++step_ahead_slot == 5) {
            step_ahead_slot = 0;
            step_ahead_parity = 1 - step_ahead_parity;
          }
        }
      }
    }
    return;
  }
  take_registers<232>();
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int consumer = warp / 4;
  const int warp_row_combine = warp % 4;
  const int lane_row_combine = lane / 4;
  const int consumer_post = warp / 4;
  const int warp_row = warp % 4;
  const int C_shared_lane = lane % 16;
  const int C_shared_lane_2 = lane / 16;
  for (int turn = 0; turn < ((M + 1023) / 1024 * ((N + 127) / 128) * 2 + 32) / 33; ++turn) {
    if (turn * 132 + block < (M + 1023) / 1024 * ((N + 127) / 128) * 8) {
      float C_reg[2][32];
      #pragma unroll
      for (int row_half_init = 0; row_half_init < 2; ++row_half_init) {
        #pragma unroll
        for (int octet_init = 0; octet_init < 32; octet_init += 2) {
          #pragma unroll
          for (int element_init = 0; element_init < 2; ++element_init) {
            C_reg[row_half_init][octet_init + element_init] = 0.0f;
          }
        }
      }
      int step_slot = (long long)turn * ((K + 127) / 128) % 5, step_parity = (long long)turn * ((K + 127) / 128) / 5 % 2;
      for (int step = 0; step < (K + 127) / 128; ++step) {
        wait_mbarrier(&step_full[step_slot], step_parity);
        float B_scale_reg = B_scale[(turn * 132 + block) % ((N + 127) / 128 * 8) / 8 * ((K + 127) / 128) + step];
        __align__(16) float C_reg_2[16][2][2];
        #pragma unroll
        for (int row_half_start = 0; row_half_start < 2; ++row_half_start) {
          #pragma unroll
          for (int octet_start = 0; octet_start < 16; ++octet_start) {
            #pragma unroll
            for (int element_start = 0; element_start < 2; ++element_start) {
              C_reg_2[octet_start][row_half_start][element_start] = 0.0f;
            }
          }
        }
        wgmma_m64n128k128_e4m3(&C_reg_2[0][0][0], &A_shared[step_slot][consumer * 64][0], &B_shared[step_slot][0][0]);
        commit_wgmma();
        wait_wgmma<0>();
        #pragma unroll
        for (int row_half_combine = 0; row_half_combine < 2; ++row_half_combine) {
          #pragma unroll
          for (int octet_combine = 0; octet_combine < 16; ++octet_combine) {
            #pragma unroll
            for (int element_combine = 0; element_combine < 2; ++element_combine) {
              C_reg[row_half_combine][octet_combine * 2 + element_combine] += A_scale_shared[step_slot][consumer * 64 + warp_row_combine * 16 + row_half_combine * 8 + lane_row_combine] * B_scale_reg * C_reg_2[octet_combine][row_half_combine][element_combine];
            }
          }
        }
        wait_wgmma<0>();
        arrive_mbarrier(&step_empty[step_slot]);
        if (++step_slot == 5) {
          step_slot = 0;
          step_parity = 1 - step_parity;
        }
      }
      __align__(16) __nv_bfloat16 C_reg_3[16][2][2];
      #pragma unroll
      for (int row_half = 0; row_half < 2; ++row_half) {
        #pragma unroll
        for (int octet = 0; octet < 16; ++octet) {
          #pragma unroll
          for (int element = 0; element < 2; ++element) {
            C_reg_3[octet][row_half][element] = __float2bfloat16(C_reg[row_half][octet * 2 + element]);
          }
        }
      }
      wait_stores<0>();
      warpgroup_barrier();
      #pragma unroll
      for (int tile = 0; tile < 16; tile += 16) {
        #pragma unroll
        for (int tile_2 = 0; tile_2 < 8; ++tile_2) {
          stmatrix_x4(&C_shared[tile_2 / 4][consumer_post * 64 + tile + warp_row * 16 + C_shared_lane][(tile_2 * 16 + C_shared_lane_2 * 8) % 64 ^ C_shared_lane % 8 * 8], &C_reg_3[tile_2 * 2][0][0]);
        }
      }
      fence_engine();
      warpgroup_barrier();
      const int C_shared_tx = threadIdx.x % 128;
      if (C_shared_tx == 0 && (M >= 1 && N >= 1)) {
        store_bulk_2d(&C_map,
            (turn * 132 + block) % ((N + 127) / 128 * 8) / 8 * 128, (turn * 132 + block) / ((N + 127) / 128 * 8) * 1024 + (turn * 132 + block) % 8 * 128 + consumer_post * 64, &C_shared[0][consumer_post * 64][0]);
        store_bulk_2d(&C_map,
            (turn * 132 + block) % ((N + 127) / 128 * 8) / 8 * 128 + 64, (turn * 132 + block) / ((N + 127) / 128 * 8) * 1024 + (turn * 132 + block) % 8 * 128 + consumer_post * 64, &C_shared[1][consumer_post * 64][0]);
      }
      commit_stores();
    }
  }
  wait_stores<0>();
}

}  // namespace hone::gemm_fp8_blocks
