// out(n, y, x, o) = bf16(sum({r, s, c}, f32(select(y + r >= 1 && y + r <= H && x + s >= 1 && x + s <= W, in(n, y + r - 1, x + s - 1, c), 0.0bf16)) * f32(w(o, r, s, c))))
// s.launch_early();
// s.assume_aligned(out, 16);
// s.assume_aligned(in, 16);
// s.assume_aligned(w, 16);
// auto [tile_n, tile_y, tile_x, tile_column, images, ys, px, column] = s.tile({n, y, x, o}, {4, 8, 8, 64}, {.tail = Tail::pad, .names = {"tile_n", "tile_y", "tile_x", "tile_column", "images", "ys", "px", "column"}});
// auto [chunk, channel] = s.split(c, 64, {.tail = Tail::pad, .names = {"chunk", "channel"}});
// auto [consumer, image] = s.split(images, 1, {.names = {"consumer", "image"}});
// Axis ys_px = s.fuse(ys, px);
// Axis row = s.fuse(image, ys_px, {.name = "row"});
// s.bind(consumer, warpgroup);
// s.reorder({tile_n, tile_y, tile_x, tile_column, r, s.axis("s"), chunk, consumer, row, column, channel});
// Axis s_chunk = s.fuse(s.axis("s"), chunk);
// Axis step = s.fuse(r, s_chunk, {.name = "step"});
// Axis tile_n_tile_y = s.fuse(tile_n, tile_y);
// Axis tile_pixels = s.fuse(tile_n_tile_y, tile_x, {.name = "tile_pixels"});
// auto [warp_row_init, row_half_init, lane_row_init, octet_init, lane_column_init, element_init] = s.spread({s.axis("row.init"), s.axis("column.init")}, "wgmma_m64n64k64_bf16");
// auto [warp_row, row_half, lane_row, octet, lane_column, element] = s.spread({s.axis("row.post"), s.axis("column.post")}, "wgmma_m64n64k64_bf16");
// s.tensorize(row, "wgmma_m64n64k64_bf16");
// auto in_shared = s.cache_shared(in, step, {.layout = Layout().swizzle({.chunk = 8, .period = 8, .rows = 1})});
// auto w_shared = s.cache_shared(w, step, {.layout = Layout().swizzle({.chunk = 8, .period = 8, .rows = 1})});
// s.cache_registers(out.acc, tile_column);
// Axis tile = s.fuse(tile_pixels, tile_column, {.name = "tile"});
// auto [turn, block_2] = s.split(tile, 132, {.names = {"turn", "block"}});
// s.reorder({block_2, turn});
// s.bind(block_2, block.x);
// s.specialize(step, 4, {.producer_warps = 4, .producer_registers = 40, .consumer_registers = 104}, CopyEngine::boxes);
// auto out_shared = s.cache_shared(out, turn, {.layout = Layout().swizzle({.chunk = 8, .period = 8, .rows = 1})});
// s.write_back_at(out_shared, s.axis("consumer.post"));
// s.copy_bulk(out_shared);
// s.vectorize(element);
//
// launch: grid (132, 1, 1), block (640, 1, 1), 196672 bytes of shared memory

#include <cuda_bf16.h>

namespace hone::conv2d_nhwc {

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
static __device__ void copy_bulk_4d(void* to, const TensorMap* map, int c0, int c1, int c2, int c3, void* mbarrier) {
  const unsigned address = __cvta_generic_to_shared(to);
  const unsigned full = __cvta_generic_to_shared(mbarrier);
  asm volatile("cp.async.bulk.tensor.4d.shared::cta.global.mbarrier::complete_tx::bytes "
               "[%0], [%1, {%2, %3, %4, %5}], [%6];"
               :
               : "r"(address), "l"(map), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(full)
               : "memory");
}

// Asks the copy engine to write the box of `map` at these coordinates, the fastest first.
static __device__ void store_bulk_4d(const TensorMap* map, int c0, int c1, int c2, int c3, const void* from) {
  const unsigned address = __cvta_generic_to_shared(from);
  asm volatile("cp.async.bulk.tensor.4d.global.shared::cta.bulk_group [%0, {%1, %2, %3, %4}], [%5];"
               :
               : "l"(map), "r"(c0), "r"(c1), "r"(c2), "r"(c3), "r"(address)
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

// A tile in shared memory as wgmma takes it: rows of `row` bytes, in a swizzle of as many. Panels
// lie `panel` bytes apart.
static __device__ unsigned long long matrix_descriptor(const void* tile, unsigned panel,
                                                       unsigned row) {
  const unsigned address = __cvta_generic_to_shared(tile);
  const unsigned long long swizzle = row == 128 ? 1 : row == 64 ? 2 : 3;
  return swizzle << 62 | (unsigned long long)(row / 2) << 32 |
         (unsigned long long)(panel / 16) << 16 | (address & 0x3ffff) >> 4;
}

// C += A B^T, 64 by 64 of 64, of sums that the lanes of a warpgroup have, and of tiles in shared
// memory. The sums are there when the group that this becomes part of has been waited for.
static __device__ void wgmma_m64n64k64(float* c, const void* a, const void* b) {
  const unsigned long long left = matrix_descriptor(a, 16, 128);
  const unsigned long long right = matrix_descriptor(b, 16, 128);
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, 1, 0;\n"
      "wgmma.fence.sync.aligned;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, "
      "%8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31}, "
      "%32, %33, p, 1, 1, 0, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, "
      "%8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31}, "
      "%34, %35, p, 1, 1, 0, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, "
      "%8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31}, "
      "%36, %37, p, 1, 1, 0, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, "
      "%8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, "
      "%24, %25, %26, %27, %28, %29, %30, %31}, "
      "%38, %39, p, 1, 1, 0, 0;\n"
      "}"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]),
        "+f"(c[8]), "+f"(c[9]), "+f"(c[10]), "+f"(c[11]), "+f"(c[12]), "+f"(c[13]), "+f"(c[14]), "+f"(c[15]),
        "+f"(c[16]), "+f"(c[17]), "+f"(c[18]), "+f"(c[19]), "+f"(c[20]), "+f"(c[21]), "+f"(c[22]), "+f"(c[23]),
        "+f"(c[24]), "+f"(c[25]), "+f"(c[26]), "+f"(c[27]), "+f"(c[28]), "+f"(c[29]), "+f"(c[30]), "+f"(c[31])
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

extern "C" __global__ void __launch_bounds__(640, 1)
conv2d_nhwc(const __nv_bfloat16* __restrict__ in, const __nv_bfloat16* __restrict__ w, __nv_bfloat16* __restrict__ out, int batch, int H, int W, int O, int C, const __grid_constant__ TensorMap in_map, const __grid_constant__ TensorMap w_map, const __grid_constant__ TensorMap out_map) {
  extern __shared__ __align__(1024) unsigned char shared[];
  long long (&step_full)[4] = *reinterpret_cast<long long (*)[4]>(shared + 196608);
  long long (&step_empty)[4] = *reinterpret_cast<long long (*)[4]>(shared + 196640);
  __nv_bfloat16 (&out_shared)[4][8][8][64] = *reinterpret_cast<__nv_bfloat16 (*)[4][8][8][64]>(shared + 0);
  __nv_bfloat16 (&in_shared)[4][4][8][8][64] = *reinterpret_cast<__nv_bfloat16 (*)[4][4][8][8][64]>(shared + 32768);
  __nv_bfloat16 (&w_shared)[4][64][64] = *reinterpret_cast<__nv_bfloat16 (*)[4][64][64]>(shared + 163840);
  const int block = blockIdx.x;
  if (threadIdx.x == 0) {
    for (int slot = 0; slot < 4; ++slot) {
      init_mbarrier(&step_full[slot], 1);
      init_mbarrier(&step_empty[slot], 16);
    }
    fence_engine();
  }
  __syncthreads();
  asm volatile("griddepcontrol.wait;" ::: "memory");
  if (512 <= threadIdx.x) {
    give_registers<40>();
    for (int turn_ahead = 0; turn_ahead < ((batch + 3) / 4 * ((H + 7) / 8) * ((W + 7) / 8) * ((O + 63) / 64) + 131) / 132; ++turn_ahead) {
      if (turn_ahead * 132 + block < (batch + 3) / 4 * ((H + 7) / 8) * ((W + 7) / 8) * ((O + 63) / 64)) {
        const int producer = threadIdx.x - 512;
        if (producer == 0) {
          int step_ahead_slot = (long long)turn_ahead * ((C + 63) / 64) * 9 % 4, step_ahead_parity = (long long)turn_ahead * ((C + 63) / 64) * 9 / 4 % 2;
          for (int step_ahead = 0; step_ahead < (C + 63) / 64 * 9; ++step_ahead) {
            wait_mbarrier(&step_empty[step_ahead_slot], 1 - step_ahead_parity);
            expect_bytes(&step_full[step_ahead_slot], 40960);
            copy_bulk_4d(&in_shared[step_ahead_slot][0][0][0][0], &in_map,
                step_ahead % ((C + 63) / 64) * 64, (turn_ahead * 132 + block) / ((O + 63) / 64) % ((W + 7) / 8) * 8 + step_ahead % ((C + 63) / 64 * 3) / ((C + 63) / 64) - 1, (turn_ahead * 132 + block) / ((O + 63) / 64) / ((W + 7) / 8) % ((H + 7) / 8) * 8 + step_ahead / ((C + 63) / 64 * 3) - 1, (turn_ahead * 132 + block) / ((O + 63) / 64) / ((W + 7) / 8) / ((H + 7) / 8) * 4, &step_full[step_ahead_slot]);
            copy_bulk_4d(&w_shared[step_ahead_slot][0][0], &w_map,
                step_ahead % ((C + 63) / 64) * 64, step_ahead % ((C + 63) / 64 * 3) / ((C + 63) / 64), step_ahead / ((C + 63) / 64 * 3), (turn_ahead * 132 + block) % ((O + 63) / 64) * 64, &step_full[step_ahead_slot]);
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
  take_registers<104>();
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int consumer = warp / 4;
  const int first = lane;
  const int consumer_post = warp / 4;
  const int warp_row = warp % 4;
  const int lane_row = lane / 4;
  const int lane_column = lane % 4;
  for (int turn = 0; turn < ((batch + 3) / 4 * ((H + 7) / 8) * ((W + 7) / 8) * ((O + 63) / 64) + 131) / 132; ++turn) {
    if (turn * 132 + block < (batch + 3) / 4 * ((H + 7) / 8) * ((W + 7) / 8) * ((O + 63) / 64)) {
      __align__(16) float out_reg[1][1][8][2][2];
      #pragma unroll
      for (int row_half_init = 0; row_half_init < 2; ++row_half_init) {
        #pragma unroll
        for (int octet_init = 0; octet_init < 8; ++octet_init) {
          #pragma unroll
          for (int element_init = 0; element_init < 2; ++element_init) {
            out_reg[0][0][octet_init][row_half_init][element_init] = 0.0f;
          }
        }
      }
      int step_slot = (long long)turn * ((C + 63) / 64) * 9 % 4, step_parity = (long long)turn * ((C + 63) / 64) * 9 / 4 % 2;
      for (int step = 0; step < (C + 63) / 64 * 9; ++step) {
        wait_mbarrier(&step_full[step_slot], step_parity);
        wgmma_m64n64k64(&out_reg[0][0][0][0][0], &in_shared[step_slot][consumer][0][0][0], &w_shared[step_slot][0][0]);
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
      wait_wgmma<0>();
      warpgroup_barrier();
      #pragma unroll
      for (int row_half = 0; row_half < 2; ++row_half) {
        #pragma unroll
        for (int octet = 0; octet < 8; ++octet) {
          __align__(4) __nv_bfloat16 out_shared_vec[2];
          #pragma unroll
          for (int element = 0; element < 2; ++element) {
            out_shared_vec[element] = __float2bfloat16(out_reg[0][0][octet][row_half][element]);
          }
          *reinterpret_cast<int*>(&out_shared[consumer_post][warp_row * 2 + row_half][lane_row][octet * 8 + lane_column * 2 ^ lane_row * 8]) =
              *reinterpret_cast<const int*>(out_shared_vec);
        }
      }
      fence_engine();
      warpgroup_barrier();
      const int out_shared_tx = threadIdx.x % 128;
      if (out_shared_tx == 0 && (batch >= 1 && H >= 1 && W >= 1 && O >= 1)) {
        store_bulk_4d(&out_map,
            (turn * 132 + block) % ((O + 63) / 64) * 64, (turn * 132 + block) / ((O + 63) / 64) % ((W + 7) / 8) * 8, (turn * 132 + block) / ((O + 63) / 64) / ((W + 7) / 8) % ((H + 7) / 8) * 8, (turn * 132 + block) / ((O + 63) / 64) / ((W + 7) / 8) / ((H + 7) / 8) * 4 + consumer_post, &out_shared[consumer_post][0][0][0]);
      }
      commit_stores();
    }
  }
  wait_stores<0>();
}

}  // namespace hone::conv2d_nhwc
