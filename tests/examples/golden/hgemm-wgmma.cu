// C(i, j) = bf16(sum(k, f32(A(i, k)) * f32(B(k, j))))
// s.assume_aligned(A, 16);
// s.assume_aligned(B, 16);
// auto [tile_row, tile_column, i_1, column] = s.tile({i, j}, {128, 256}, {.tail = Tail::pad, .names = {"tile_row", "tile_column", nullptr, "column"}});
// auto [consumer, row] = s.split(i_1, 64, {.names = {"consumer", "row"}});
// auto [step, k_2] = s.split(k, 64, {.tail = Tail::pad, .names = {"step", "k"}});
// s.bind(consumer, warpgroup);
// s.reorder({tile_row, tile_column, step, consumer, row, column, k_2});
// auto [warp_row_init, row_half_init, lane_row_init, octet_init, lane_column_init, element_init] = s.spread({s.axis("row.init"), s.axis("column.init")}, "wgmma_m64n256k64_kn_bf16");
// auto [warp_row, row_half, lane_row, octet, lane_column, element] = s.spread({s.axis("row.post"), s.axis("column.post")}, "wgmma_m64n256k64_kn_bf16");
// s.tensorize(row, "wgmma_m64n256k64_kn_bf16");
// auto A_shared = s.cache_shared(A, step, {.layout = Layout().swizzle({.chunk = 8, .period = 8, .rows = 1})});
// auto B_shared = s.cache_shared(B, step, {.layout = Layout::order({IndexDigit(1) / 64, 0, IndexDigit(1) % 64}).swizzle({.chunk = 8, .period = 8, .rows = 1})});
// s.cache_registers(C.acc, tile_column);
// auto [group, tile_row_1] = s.split(tile_row, 8, {.names = {"group", nullptr}});
// s.reorder({group, tile_column, tile_row_1});
// s.bind(group, block.y);
// Axis tile = s.fuse(tile_column, tile_row_1, {.name = "tile"});
// s.bind(tile, block.x);
// s.specialize(step, 4, {.producer_warps = 4, .producer_registers = 40, .consumer_registers = 232}, CopyEngine::boxes);
// s.assume_aligned(C, 16);
// s.vectorize(element);
//
// launch: grid (((N + 255) / 256)*8, ((M + 127) / 128 + 7) / 8, 1), block (384, 1, 1), 196672 bytes of shared memory

#include <cuda_bf16.h>

namespace hone::hgemm {

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
static __device__ void copy_bulk_2d(void* to, const TensorMap* map, int c0, int c1, void* mbarrier) {
  const unsigned address = __cvta_generic_to_shared(to);
  const unsigned full = __cvta_generic_to_shared(mbarrier);
  asm volatile("cp.async.bulk.tensor.2d.shared::cta.global.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3}], [%4];"
               :
               : "r"(address), "l"(map), "r"(c0), "r"(c1), "r"(full)
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
hgemm(const __nv_bfloat16* __restrict__ A, const __nv_bfloat16* __restrict__ B, __nv_bfloat16* __restrict__ C, int M, int N, int K, const __grid_constant__ TensorMap A_map, const __grid_constant__ TensorMap B_map) {
  extern __shared__ __align__(1024) unsigned char shared[];
  long long (&step_full)[4] = *reinterpret_cast<long long (*)[4]>(shared + 196608);
  long long (&step_empty)[4] = *reinterpret_cast<long long (*)[4]>(shared + 196640);
  __nv_bfloat16 (&A_shared)[4][128][64] = *reinterpret_cast<__nv_bfloat16 (*)[4][128][64]>(shared + 0);
  __nv_bfloat16 (&B_shared)[4][4][64][64] = *reinterpret_cast<__nv_bfloat16 (*)[4][4][64][64]>(shared + 65536);
  const int group = blockIdx.y;
  const int tile = blockIdx.x;
  if (threadIdx.x == 0) {
    for (int slot = 0; slot < 4; ++slot) {
      init_mbarrier(&step_full[slot], 1);
      init_mbarrier(&step_empty[slot], 8);
    }
    fence_engine();
  }
  __syncthreads();
  if (256 <= threadIdx.x) {
    give_registers<40>();
    if (group * 8 + tile % 8 < (M + 127) / 128) {
      const int producer = threadIdx.x - 256;
      if (producer == 0) {
        int step_ahead_slot = 0, step_ahead_parity = 0;
        for (int step_ahead = 0; step_ahead < (K + 63) / 64; ++step_ahead) {
          wait_mbarrier(&step_empty[step_ahead_slot], 1 - step_ahead_parity);
          expect_bytes(&step_full[step_ahead_slot], 49152);
          copy_bulk_2d(&A_shared[step_ahead_slot][0][0], &A_map,
              step_ahead * 64, group * 1024 + tile % 8 * 128, &step_full[step_ahead_slot]);
          copy_bulk_2d(&B_shared[step_ahead_slot][0][0][0], &B_map,
              tile / 8 * 256, step_ahead * 64, &step_full[step_ahead_slot]);
          copy_bulk_2d(&B_shared[step_ahead_slot][1][0][0], &B_map,
              tile / 8 * 256 + 64, step_ahead * 64, &step_full[step_ahead_slot]);
          copy_bulk_2d(&B_shared[step_ahead_slot][2][0][0], &B_map,
              tile / 8 * 256 + 128, step_ahead * 64, &step_full[step_ahead_slot]);
          copy_bulk_2d(&B_shared[step_ahead_slot][3][0][0], &B_map,
              tile / 8 * 256 + 192, step_ahead * 64, &step_full[step_ahead_slot]);
          if (++step_ahead_slot == 4) {
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
  const int first = lane;
  const int consumer_post = warp / 4;
  const int warp_row = warp % 4;
  const int lane_row = lane / 4;
  const int lane_column = lane % 4;
  const int i_base = group * 1024 + consumer_post * 64 + warp_row * 16 + lane_row;
  if (group * 8 + tile % 8 < (M + 127) / 128) {
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
    int step_slot = 0, step_parity = 0;
    for (int step = 0; step < (K + 63) / 64; ++step) {
      wait_mbarrier(&step_full[step_slot], step_parity);
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
    wait_wgmma<0>();
    #pragma unroll
    for (int row_half = 0; row_half < 2; ++row_half) {
      #pragma unroll
      for (int octet = 0; octet < 32; ++octet) {
        if (i_base + tile % 8 * 128 + row_half * 8 < M && tile / 8 * 256 + octet * 8 + lane_column * 2 < N) {
          __align__(4) __nv_bfloat16 C_vec[2];
          #pragma unroll
          for (int element = 0; element < 2; ++element) {
            C_vec[element] = __float2bfloat16(C_reg[octet][row_half][element]);
          }
          *reinterpret_cast<int*>(&C[(i_base + tile % 8 * 128 + row_half * 8) * N + tile / 8 * 256 + octet * 8 + lane_column * 2]) =
              *reinterpret_cast<const int*>(C_vec);
        }
      }
    }
  }
}

}  // namespace hone::hgemm
