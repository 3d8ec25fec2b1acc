// C(b, i, j) = bf16(sum(k, f32(A(b, i, k)) * f32(B(b, k, j))))
// s.launch_early();
// s.assume_aligned(A, 16);
// s.assume_aligned(B, 16);
// s.assume_aligned(C, 16);
// auto [group, i_1] = s.split(i, 512, {.tail = Tail::pad, .names = {"group", nullptr}});
// auto [tile_row, tile_column, i_1_1, column] = s.tile({i_1, j}, {128, 256}, {.tail = Tail::pad, .names = {"tile_row", "tile_column", nullptr, "column"}});
// auto [consumer, row] = s.split(i_1_1, 64, {.names = {"consumer", "row"}});
// auto [step, k_2] = s.split(k, 64, {.tail = Tail::pad, .names = {"step", "k"}});
// s.bind(consumer, warpgroup);
// s.reorder({tile_column, tile_row, step, consumer, row, column, k_2});
// auto [warp_row_init, row_half_init, lane_row_init, octet_init, lane_column_init, element_init] = s.spread({s.axis("row.init"), s.axis("column.init")}, "wgmma_m64n256k64_kn_bf16");
// auto [warp_row, row_half, lane_row, octet, lane_column, element] = s.spread({s.axis("row.post"), s.axis("column.post")}, "wgmma_m64n256k64_kn_bf16");
// s.tensorize(row, "wgmma_m64n256k64_kn_bf16");
// auto A_shared = s.cache_shared(A, step, {.layout = Layout().swizzle({.chunk = 8, .period = 8, .rows = 1})});
// auto B_shared = s.cache_shared(B, step, {.layout = Layout::order({IndexDigit(1) / 64, 0, IndexDigit(1) % 64}).swizzle({.chunk = 8, .period = 8, .rows = 1})});
// s.cache_registers(C.acc, tile_row);
// Axis tile_column_tile_row = s.fuse(tile_column, tile_row);
// Axis b_group = s.fuse(b, group);
// Axis tile = s.fuse(b_group, tile_column_tile_row, {.name = "tile"});
// auto [turn, block_2] = s.split(tile, 132, {.names = {"turn", "block"}});
// s.reorder({block_2, turn});
// s.bind(block_2, block.x);
// s.specialize(step, 4, {.producer_warps = 4, .producer_registers = 40, .consumer_registers = 232}, CopyEngine::boxes);
// s.assume(K > 192);
// s.cache_registers(C, turn);
// auto [store_group, store_warp, store_half, store_row, C_reg_2_4, store_column, store_element] = s.copy_loops(s.tensor("C.reg_2"), Direction::write_back, {.names = {"store_group", "store_warp", "store_half", "store_row", nullptr, "store_column", "store_element"}});
// auto [stage, C_reg_2_4_1] = s.split(C_reg_2_4, 16, {.names = {"stage", nullptr}});
// auto [chunk, store_octet] = s.split(C_reg_2_4_1, 8, {.names = {"chunk", "store_octet"}});
// s.reorder({stage, chunk, store_group, store_warp, store_half, store_row});
// auto C_shared = s.cache_shared(C, stage, {.layout = Layout::order({IndexDigit(1) / 64, 0, IndexDigit(1) % 64}).swizzle({.chunk = 8, .period = 8, .rows = 1})});
// s.write_back_at(C_shared, store_group);
// s.copy_bulk(C_shared);
// s.cache_registers(C_shared, store_warp);
// s.tensorize(C_shared, "stmatrix_x4_bf16");
// s.vectorize(store_element);
// s.defer(step, {stage, chunk});
//
// launch: grid (132, 1, 1), block (384, 1, 1), 229440 bytes of shared memory

#include <cuda_bf16.h>

namespace hone::hgemm_batched {

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
static __device__ void copy_bulk_3d(void* to, const TensorMap* map, int c0, int c1, int c2, void* mbarrier) {
  const unsigned address = __cvta_generic_to_shared(to);
  const unsigned full = __cvta_generic_to_shared(mbarrier);
  asm volatile("cp.async.bulk.tensor.3d.shared::cta.global.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3, %4}], [%5];"
               :
               : "r"(address), "l"(map), "r"(c0), "r"(c1), "r"(c2), "r"(full)
               : "memory");
}

// Asks the copy engine to write the box of `map` at these coordinates, the fastest first.
static __device__ void store_bulk_3d(const TensorMap* map, int c0, int c1, int c2, const void* from) {
  const unsigned address = __cvta_generic_to_shared(from);
  asm volatile("cp.async.bulk.tensor.3d.global.shared::cta.bulk_group [%0, {%1, %2, %3}], [%4];"
               :
               : "l"(map), "r"(c0), "r"(c1), "r"(c2), "r"(address)
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

// Waits until the copy engine has written all stores of this thread but its last `pending` groups.
template <int pending>
static __device__ void wait_stores_written() {
  asm volatile("cp.async.bulk.wait_group %0;" : : "n"(pending) : "memory");
}

// Waits until so many threads have come to the barrier of that number.
template <int barrier, int threads>
static __device__ void named_barrier() {
  asm volatile("bar.sync %0, %1;" : : "n"(barrier), "n"(threads) : "memory");
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

// C += A B, 64 by 256 of 64, of sums that the lanes of a warpgroup have, and of tiles in shared
// memory. The sums are there when the group that this becomes part of has been waited for.
static __device__ void wgmma_m64n256k64_kn(float* c, const void* a, const void* b) {
  const unsigned long long left = matrix_descriptor(a, 16, 128);
  const unsigned long long right = matrix_descriptor(b, 8192, 128);
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, 1, 0;\n"
      "wgmma.fence.sync.aligned;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, "
      "%8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, "
      "%40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, "
      "%56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, "
      "%72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, "
      "%88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, "
      "%104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, "
      "%120, %121, %122, %123, %124, %125, %126, %127}, "
      "%128, %129, p, 1, 1, 0, 1;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, "
      "%8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, "
      "%40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, "
      "%56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, "
      "%72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, "
      "%88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, "
      "%104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, "
      "%120, %121, %122, %123, %124, %125, %126, %127}, "
      "%130, %131, p, 1, 1, 0, 1;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, "
      "%8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, "
      "%40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, "
      "%56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, "
      "%72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, "
      "%88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, "
      "%104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, "
      "%120, %121, %122, %123, %124, %125, %126, %127}, "
      "%132, %133, p, 1, 1, 0, 1;\n"
      "wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, "
      "%8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31, "
      "%32, %33, %34, %35, %36, %37, %38, %39, "
      "%40, %41, %42, %43, %44, %45, %46, %47, "
      "%48, %49, %50, %51, %52, %53, %54, %55, "
      "%56, %57, %58, %59, %60, %61, %62, %63, "
      "%64, %65, %66, %67, %68, %69, %70, %71, "
      "%72, %73, %74, %75, %76, %77, %78, %79, "
      "%80, %81, %82, %83, %84, %85, %86, %87, "
      "%88, %89, %90, %91, %92, %93, %94, %95, "
      "%96, %97, %98, %99, %100, %101, %102, %103, "
      "%104, %105, %106, %107, %108, %109, %110, %111, "
      "%112, %113, %114, %115, %116, %117, %118, %119, "
      "%120, %121, %122, %123, %124, %125, %126, %127}, "
      "%134, %135, p, 1, 1, 0, 1;\n"
      "}"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]),
        "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]),
        "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
        "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31]),
        "+f"(c[32]), "+f"(c[33]), "+f"(c[34]), "+f"(c[35]), "+f"(c[36]), "+f"(c[37]), "+f"(c[38]), "+f"(c[39]),
        "+f"(c[40]), "+f"(c[41]), "+f"(c[42]), "+f"(c[43]), "+f"(c[44]), "+f"(c[45]), "+f"(c[46]), "+f"(c[47]),
        "+f"(c[48]), "+f"(c[49]), "+f"(c[50]), "+f"(c[51]), "+f"(c[52]), "+f"(c[53]), "+f"(c[54]), "+f"(c[55]),
        "+f"(c[56]), "+f"(c[57]), "+f"(c[58]), "+f"(c[59]), "+f"(c[60]), "+f"(c[61]), "+f"(c[62]), "+f"(c[63]),
        "+f"(c[64]), "+f"(c[65]), "+f"(c[66]), "+f"(c[67]), "+f"(c[68]), "+f"(c[69]), "+f"(c[70]), "+f"(c[71]),
        "+f"(c[72]), "+f"(c[73]), "+f"(c[74]), "+f"(c[75]), "+f"(c[76]), "+f"(c[77]), "+f"(c[78]), "+f"(c[79]),
        "+f"(c[80]), "+f"(c[81]), "+f"(c[82]), "+f"(c[83]), "+f"(c[84]), "+f"(c[85]), "+f"(c[86]), "+f"(c[87]),
        "+f"(c[88]), "+f"(c[89]), "+f"(c[90]), "+f"(c[91]), "+f"(c[92]), "+f"(c[93]), "+f"(c[94]), "+f"(c[95]),
        "+f"(c[96]), "+f"(c[97]), "+f"(c[98]), "+f"(c[99]), "+f"(c[100]), "+f"(c[101]), "+f"(c[102]), "+f"(c[103]),
        "+f"(c[104]), "+f"(c[105]), "+f"(c[106]), "+f"(c[107]), "+f"(c[108]), "+f"(c[109]), "+f"(c[110]), "+f"(c[111]),
        "+f"(c[112]), "+f"(c[113]), "+f"(c[114]), "+f"(c[115]), "+f"(c[116]), "+f"(c[117]), "+f"(c[118]), "+f"(c[119]),
        "+f"(c[120]), "+f"(c[121]), "+f"(c[122]), "+f"(c[123]), "+f"(c[124]), "+f"(c[125]), "+f"(c[126]), "+f"(c[127])
      : "l"(left + 0), "l"(right + 0), "l"(left + 2), "l"(right + 128), "l"(left + 4), "l"(right + 256), "l"(left + 6), "l"(right + 384)
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
hgemm_batched(const __nv_bfloat16* __restrict__ A, const __nv_bfloat16* __restrict__ B, __nv_bfloat16* __restrict__ C, int batch, int M, int N, int K, const __grid_constant__ TensorMap A_map, const __grid_constant__ TensorMap B_map, const __grid_constant__ TensorMap C_map) {
  extern __shared__ __align__(1024) unsigned char shared[];
  long long (&step_full)[4] = *reinterpret_cast<long long (*)[4]>(shared + 229376);
  long long (&step_empty)[4] = *reinterpret_cast<long long (*)[4]>(shared + 229408);
  __nv_bfloat16 (&A_shared)[4][128][64] = *reinterpret_cast<__nv_bfloat16 (*)[4][128][64]>(shared + 0);
  __nv_bfloat16 (&B_shared)[4][4][64][64] = *reinterpret_cast<__nv_bfloat16 (*)[4][4][64][64]>(shared + 65536);
  __nv_bfloat16 (&C_shared)[2][128][64] = *reinterpret_cast<__nv_bfloat16 (*)[2][128][64]>(shared + 196608);
  __nv_bfloat16 (&C_shared_last)[2][128][64] = *reinterpret_cast<__nv_bfloat16 (*)[2][128][64]>(shared + 0);
  const int block = blockIdx.x;
  if (threadIdx.x == 0) {
    for (int slot = 0; slot < 4; ++slot) {
      init_mbarrier(&step_full[slot], 1);
      init_mbarrier(&step_empty[slot], 8);
    }
    fence_engine();
  }
  __syncthreads();
  asm volatile("griddepcontrol.wait;" ::: "memory");
  if (256 <= threadIdx.x) {
    give_registers<40>();
    for (int turn_ahead = 0; turn_ahead < (batch * ((M + 511) / 512) * ((N + 255) / 256) + 32) / 33; ++turn_ahead) {
      if (turn_ahead * 132 + block < batch * ((M + 511) / 512) * ((N + 255) / 256) * 4) {
        const int producer = threadIdx.x - 256;
        if (producer == 0) {
          int step_ahead_slot = (long long)turn_ahead * ((K + 63) / 64) % 4, step_ahead_parity = (long long)turn_ahead * ((K + 63) / 64) / 4 % 2;
          for (int step_ahead = 0; step_ahead < (K + 63) / 64; ++step_ahead) {
            wait_mbarrier(&step_empty[step_ahead_slot], 1 - step_ahead_parity);
            expect_bytes(&step_full[step_ahead_slot], 49152);
            copy_bulk_3d(&A_shared[step_ahead_slot][0][0], &A_map,
                step_ahead * 64, (turn_ahead * 132 + block) / ((N + 255) / 256 * 4) % ((M + 511) / 512) * 512 + block % 4 * 128, (turn_ahead * 132 + block) / ((N + 255) / 256 * 4) / ((M + 511) / 512), &step_full[step_ahead_slot]);
            copy_bulk_3d(&B_shared[step_ahead_slot][0][0][0], &B_map,
                (turn_ahead * 33 + block / 4) % ((N + 255) / 256) * 256, step_ahead * 64, (turn_ahead * 132 + block) / ((N + 255) / 256 * 4) / ((M + 511) / 512), &step_full[step_ahead_slot]);
            copy_bulk_3d(&B_shared[step_ahead_slot][1][0][0], &B_map,
                (turn_ahead * 33 + block / 4) % ((N + 255) / 256) * 256 + 64, step_ahead * 64, (turn_ahead * 132 + block) / ((N + 255) / 256 * 4) / ((M + 511) / 512), &step_full[step_ahead_slot]);
            copy_bulk_3d(&B_shared[step_ahead_slot][2][0][0], &B_map,
                (turn_ahead * 33 + block / 4) % ((N + 255) / 256) * 256 + 128, step_ahead * 64, (turn_ahead * 132 + block) / ((N + 255) / 256 * 4) / ((M + 511) / 512), &step_full[step_ahead_slot]);
            copy_bulk_3d(&B_shared[step_ahead_slot][3][0][0], &B_map,
                (turn_ahead * 33 + block / 4) % ((N + 255) / 256) * 256 + 192, step_ahead * 64, (turn_ahead * 132 + block) / ((N + 255) / 256 * 4) / ((M + 511) / 512), &step_full[step_ahead_slot]);
            if (++step_ahead_slot == 4) {
              step_ahead_slot = 0;
              step_ahead_parity = 1 - step_ahead_parity;
            }
          }
        }
      }
    }
    return;
  }
  take_registers<232>();
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int consumer_0 = warp / 4;
  const int store_group_0 = warp / 4;
  const int store_warp_0 = warp % 4;
  const int C_shared_lane_0 = lane % 16;
  const int C_shared_lane_2_0 = lane / 16;
  const int first_0 = lane;
  const int consumer_1 = warp / 4;
  const int store_group_1 = warp / 4;
  const int store_warp_1 = warp % 4;
  const int C_shared_lane_1 = lane % 16;
  const int C_shared_lane_2_1 = lane / 16;
  const int first_1 = lane;
  const int consumer_2 = warp / 4;
  const int store_group_2 = warp / 4;
  const int store_warp_2 = warp % 4;
  const int C_shared_lane_2 = lane % 16;
  const int C_shared_lane_2_2 = lane / 16;
  const int first_2 = lane;
  const int consumer_3 = warp / 4;
  const int store_group_3 = warp / 4;
  const int store_warp_3 = warp % 4;
  const int C_shared_lane_3 = lane % 16;
  const int C_shared_lane_2_3 = lane / 16;
  const int first_3 = lane;
  const int consumer = warp / 4;
  const int first = lane;
  const int store_group_last = warp / 4;
  const int store_warp_last = warp % 4;
  const int C_shared_last_lane = lane % 16;
  const int C_shared_last_lane_2 = lane / 16;
  __align__(4) __nv_bfloat16 C_reg_2[2][64];
  for (int turn = 0; turn < (batch * ((M + 511) / 512) * ((N + 255) / 256) + 32) / 33; ++turn) {
    if (turn * 132 + block < batch * ((M + 511) / 512) * ((N + 255) / 256) * 4) {
      __align__(16) float C_reg[32][2][2];
      #pragma unroll
      for (int row_half_init = 0; row_half_init < 2; ++row_half_init) {
        #pragma unroll
        for (int octet_init = 0; octet_init < 32; ++octet_init) {
          #pragma unroll
          for (int element_init = 0; element_init < 2; ++element_init) {
            C_reg[octet_init][row_half_init][element_init] = 0.0f;
          }
        }
      }
      wait_mbarrier(&step_full[(long long)turn * ((K + 63) / 64) % 4], (long long)turn * ((K + 63) / 64) / 4 % 2);
      wgmma_m64n256k64_kn(&C_reg[0][0][0], &A_shared[(long long)turn * ((K + 63) / 64) % 4][consumer_0 * 64][0], &B_shared[(long long)turn * ((K + 63) / 64) % 4][0][0][0]);
      commit_wgmma();
      if (turn >= 1) {
        __align__(16) __nv_bfloat16 C_reg_3_0[8][2][2];
        #pragma unroll
        for (int store_half_0 = 0; store_half_0 < 2; ++store_half_0) {
          #pragma unroll
          for (int store_octet_0 = 0; store_octet_0 < 8; ++store_octet_0) {
            *reinterpret_cast<int*>(&C_reg_3_0[store_octet_0][store_half_0][0]) =
                *reinterpret_cast<const int*>(&C_reg_2[store_half_0][store_octet_0 * 2]);
          }
        }
        wait_stores<0>();
        warpgroup_barrier();
        #pragma unroll
        for (int tile_0 = 0; tile_0 < 16; tile_0 += 16) {
          #pragma unroll
          for (int tile_2_0 = 0; tile_2_0 < 8; tile_2_0 += 2) {
            stmatrix_x4(&C_shared[0][store_group_0 * 64 + store_warp_0 * 16 + tile_0 + C_shared_lane_0][tile_2_0 * 8 + C_shared_lane_2_0 * 8 ^ C_shared_lane_0 % 8 * 8], &C_reg_3_0[tile_2_0][0][0]);
          }
        }
        wait_stores_written<0>();
        fence_engine();
        warpgroup_barrier();
        const int C_shared_tx_0 = threadIdx.x % 128;
        if (C_shared_tx_0 == 0 && (batch >= 1 && M >= 1 && N >= 1)) {
          store_bulk_3d(&C_map,
              (turn * 33 + block / 4 - 33) % ((N + 255) / 256) * 256, (turn * 132 + block - 132) / ((N + 255) / 256 * 4) % ((M + 511) / 512) * 512 + block % 4 * 128 + store_group_0 * 64, (turn * 132 + block - 132) / ((N + 255) / 256 * 4) / ((M + 511) / 512), &C_shared[0][store_group_0 * 64][0]);
        }
        commit_stores();
      }
      wait_wgmma<0>();
      if (first_0 == 0) {
        arrive_mbarrier(&step_empty[(long long)turn * ((K + 63) / 64) % 4]);
      }
      wait_mbarrier(&step_full[((long long)turn * ((K + 63) / 64) + 1) % 4], ((long long)turn * ((K + 63) / 64) + 1) / 4 % 2);
      wgmma_m64n256k64_kn(&C_reg[0][0][0], &A_shared[((long long)turn * ((K + 63) / 64) + 1) % 4][consumer_1 * 64][0], &B_shared[((long long)turn * ((K + 63) / 64) + 1) % 4][0][0][0]);
      commit_wgmma();
      if (turn >= 1) {
        __align__(16) __nv_bfloat16 C_reg_3_1[8][2][2];
        #pragma unroll
        for (int store_half_1 = 0; store_half_1 < 2; ++store_half_1) {
          #pragma unroll
          for (int store_octet_1 = 0; store_octet_1 < 8; ++store_octet_1) {
            *reinterpret_cast<int*>(&C_reg_3_1[store_octet_1][store_half_1][0]) =
                *reinterpret_cast<const int*>(&C_reg_2[store_half_1][store_octet_1 * 2 + 16]);
          }
        }
        wait_stores<0>();
        warpgroup_barrier();
        #pragma unroll
        for (int tile_1 = 0; tile_1 < 16; tile_1 += 16) {
          #pragma unroll
          for (int tile_2_1 = 0; tile_2_1 < 8; tile_2_1 += 2) {
            stmatrix_x4(&C_shared[1][store_group_1 * 64 + store_warp_1 * 16 + tile_1 + C_shared_lane_1][tile_2_1 * 8 + C_shared_lane_2_1 * 8 ^ C_shared_lane_1 % 8 * 8], &C_reg_3_1[tile_2_1][0][0]);
          }
        }
        wait_stores_written<0>();
        fence_engine();
        warpgroup_barrier();
        const int C_shared_tx_1 = threadIdx.x % 128;
        if (C_shared_tx_1 == 0 && (batch >= 1 && M >= 1 && N >= 1)) {
          store_bulk_3d(&C_map,
              (turn * 33 + block / 4 - 33) % ((N + 255) / 256) * 256 + 64, (turn * 132 + block - 132) / ((N + 255) / 256 * 4) % ((M + 511) / 512) * 512 + block % 4 * 128 + store_group_1 * 64, (turn * 132 + block - 132) / ((N + 255) / 256 * 4) / ((M + 511) / 512), &C_shared[1][store_group_1 * 64][0]);
        }
        commit_stores();
      }
      wait_wgmma<0>();
      if (first_1 == 0) {
        arrive_mbarrier(&step_empty[((long long)turn * ((K + 63) / 64) + 1) % 4]);
      }
      wait_mbarrier(&step_full[((long long)turn * ((K + 63) / 64) + 2) % 4], ((long long)turn * ((K + 63) / 64) + 2) / 4 % 2);
      wgmma_m64n256k64_kn(&C_reg[0][0][0], &A_shared[((long long)turn * ((K + 63) / 64) + 2) % 4][consumer_2 * 64][0], &B_shared[((long long)turn * ((K + 63) / 64) + 2) % 4][0][0][0]);
      commit_wgmma();
      if (turn >= 1) {
        __align__(16) __nv_bfloat16 C_reg_3_2[8][2][2];
        #pragma unroll
        for (int store_half_2 = 0; store_half_2 < 2; ++store_half_2) {
          #pragma unroll
          for (int store_octet_2 = 0; store_octet_2 < 8; ++store_octet_2) {
            *reinterpret_cast<int*>(&C_reg_3_2[store_octet_2][store_half_2][0]) =
                *reinterpret_cast<const int*>(&C_reg_2[store_half_2][store_octet_2 * 2 + 32]);
          }
        }
        wait_stores<0>();
        warpgroup_barrier();
        #pragma unroll
        for (int tile_2 = 0; tile_2 < 16; tile_2 += 16) {
          #pragma unroll
          for (int tile_2_2 = 0; tile_2_2 < 8; tile_2_2 += 2) {
            stmatrix_x4(&C_shared[0][store_group_2 * 64 + store_warp_2 * 16 + tile_2 + C_shared_lane_2][tile_2_2 * 8 + C_shared_lane_2_2 * 8 ^ C_shared_lane_2 % 8 * 8], &C_reg_3_2[tile_2_2][0][0]);
          }
        }
        wait_stores_written<0>();
        fence_engine();
        warpgroup_barrier();
        const int C_shared_tx_2 = threadIdx.x % 128;
        if (C_shared_tx_2 == 0 && (batch >= 1 && M >= 1 && N >= 1)) {
          store_bulk_3d(&C_map,
              (turn * 33 + block / 4 - 33) % ((N + 255) / 256) * 256 + 128, (turn * 132 + block - 132) / ((N + 255) / 256 * 4) % ((M + 511) / 512) * 512 + block % 4 * 128 + store_group_2 * 64, (turn * 132 + block - 132) / ((N + 255) / 256 * 4) / ((M + 511) / 512), &C_shared[0][store_group_2 * 64][0]);
        }
        commit_stores();
      }
      wait_wgmma<0>();
      if (first_2 == 0) {
        arrive_mbarrier(&step_empty[((long long)turn * ((K + 63) / 64) + 2) % 4]);
      }
      wait_mbarrier(&step_full[((long long)turn * ((K + 63) / 64) + 3) % 4], ((long long)turn * ((K + 63) / 64) + 3) / 4 % 2);
      wgmma_m64n256k64_kn(&C_reg[0][0][0], &A_shared[((long long)turn * ((K + 63) / 64) + 3) % 4][consumer_3 * 64][0], &B_shared[((long long)turn * ((K + 63) / 64) + 3) % 4][0][0][0]);
      commit_wgmma();
      if (turn >= 1) {
        __align__(16) __nv_bfloat16 C_reg_3_3[8][2][2];
        #pragma unroll
        for (int store_half_3 = 0; store_half_3 < 2; ++store_half_3) {
          #pragma unroll
          for (int store_octet_3 = 0; store_octet_3 < 8; ++store_octet_3) {
            *reinterpret_cast<int*>(&C_reg_3_3[store_octet_3][store_half_3][0]) =
                *reinterpret_cast<const int*>(&C_reg_2[store_half_3][store_octet_3 * 2 + 48]);
          }
        }
        wait_stores<0>();
        warpgroup_barrier();
        #pragma unroll
        for (int tile_3 = 0; tile_3 < 16; tile_3 += 16) {
          #pragma unroll
          for (int tile_2_3 = 0; tile_2_3 < 8; tile_2_3 += 2) {
            stmatrix_x4(&C_shared[1][store_group_3 * 64 + store_warp_3 * 16 + tile_3 + C_shared_lane_3][tile_2_3 * 8 + C_shared_lane_2_3 * 8 ^ C_shared_lane_3 % 8 * 8], &C_reg_3_3[tile_2_3][0][0]);
          }
        }
        wait_stores_written<0>();
        fence_engine();
        warpgroup_barrier();
        const int C_shared_tx_3 = threadIdx.x % 128;
        if (C_shared_tx_3 == 0 && (batch >= 1 && M >= 1 && N >= 1)) {
          store_bulk_3d(&C_map,
              (turn * 33 + block / 4 - 33) % ((N + 255) / 256) * 256 + 192, (turn * 132 + block - 132) / ((N + 255) / 256 * 4) % ((M + 511) / 512) * 512 + block % 4 * 128 + store_group_3 * 64, (turn * 132 + block - 132) / ((N + 255) / 256 * 4) / ((M + 511) / 512), &C_shared[1][store_group_3 * 64][0]);
        }
        commit_stores();
      }
      wait_wgmma<0>();
      if (first_3 == 0) {
        arrive_mbarrier(&step_empty[((long long)turn * ((K + 63) / 64) + 3) % 4]);
      }
      int step_slot = (long long)turn * ((K + 63) / 64) % 4, step_parity = (long long)turn * ((K + 63) / 64) / 4 % 2;
      for (int step = 0; step < (K + 63) / 64 - 4; ++step) {
        wait_mbarrier(&step_full[step_slot], 1 - step_parity);
        wgmma_m64n256k64_kn(&C_reg[0][0][0], &A_shared[step_slot][consumer * 64][0], &B_shared[step_slot][0][0][0]);
        commit_wgmma();
        wait_wgmma<0>();
        if (first == 0) {
          arrive_mbarrier(&step_empty[step_slot]);
        }
        if (++step_slot == 4) {
          step_slot = 0;
          step_parity = 1 - step_parity;
        }
      }
      wait_stores<0>();
      wait_stores_written<0>();
      wait_wgmma<0>();
      #pragma unroll
      for (int row_half = 0; row_half < 2; ++row_half) {
        #pragma unroll
        for (int octet = 0; octet < 32; ++octet) {
          #pragma unroll
          for (int element = 0; element < 2; ++element) {
            C_reg_2[row_half][octet * 2 + element] = __float2bfloat16(C_reg[octet][row_half][element]);
          }
        }
      }
    }
  }
  wait_stores_written<0>();
  wait_wgmma<0>();
  named_barrier<1, 256>();
  for (int turn_last = 0; turn_last < (batch * ((M + 511) / 512) * ((N + 255) / 256) + 32) / 33; ++turn_last) {
    if (turn_last * 132 + block < batch * ((M + 511) / 512) * ((N + 255) / 256) * 4 && !(turn_last + 1 < (batch * ((M + 511) / 512) * ((N + 255) / 256) + 32) / 33 && turn_last * 132 + block + 132 < batch * ((M + 511) / 512) * ((N + 255) / 256) * 4)) {
      #pragma unroll
      for (int stage_last = 0; stage_last < 64; stage_last += 32) {
        #pragma unroll
        for (int chunk_last = 0; chunk_last < 2; ++chunk_last) {
          __align__(16) __nv_bfloat16 C_reg_3_last[8][2][2];
          #pragma unroll
          for (int store_half_last = 0; store_half_last < 2; ++store_half_last) {
            #pragma unroll
            for (int store_octet_last = 0; store_octet_last < 8; ++store_octet_last) {
              *reinterpret_cast<int*>(&C_reg_3_last[store_octet_last][store_half_last][0]) =
                  *reinterpret_cast<const int*>(&C_reg_2[store_half_last][stage_last + chunk_last * 16 + store_octet_last * 2]);
            }
          }
          wait_stores<1>();
          warpgroup_barrier();
          #pragma unroll
          for (int tile_3_ = 0; tile_3_ < 16; tile_3_ += 16) {
            #pragma unroll
            for (int tile_4 = 0; tile_4 < 8; tile_4 += 2) {
              stmatrix_x4(&C_shared_last[chunk_last][store_group_last * 64 + store_warp_last * 16 + tile_3_ + C_shared_last_lane][tile_4 * 8 + C_shared_last_lane_2 * 8 ^ C_shared_last_lane % 8 * 8], &C_reg_3_last[tile_4][0][0]);
            }
          }
          wait_stores_written<0>();
          fence_engine();
          warpgroup_barrier();
          const int C_shared_last_tx = threadIdx.x % 128;
          if (C_shared_last_tx == 0 && (batch >= 1 && M >= 1 && N >= 1)) {
            store_bulk_3d(&C_map,
                (turn_last * 33 + block / 4) % ((N + 255) / 256) * 256 + stage_last * 4 + chunk_last * 64, (turn_last * 132 + block) / ((N + 255) / 256 * 4) % ((M + 511) / 512) * 512 + block % 4 * 128 + store_group_last * 64, (turn_last * 132 + block) / ((N + 255) / 256 * 4) / ((M + 511) / 512), &C_shared_last[chunk_last][store_group_last * 64][0]);
          }
          commit_stores();
        }
      }
    }
  }
  wait_stores<0>();
}

}  // namespace hone::hgemm_batched
