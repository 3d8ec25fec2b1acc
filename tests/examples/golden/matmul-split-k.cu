// C(i, j) = sum(k, A(i, k) * B(k, j))
// auto [part, k_2] = s.split(k, 256, {.names = {"part", "k"}});
// auto [C_rf, part_2, part_C] = s.rfactor(C, part);
// s.bind(part_2, block.z);
// s.assume_aligned(C, 16);
// auto [chunk, j_1] = s.split(j, 512, {.names = {"chunk", nullptr}});
// auto [vector, element] = s.split(j_1, 4, {.names = {"vector", "element"}});
// s.reorder({i, chunk, vector, part_C, element});
// s.bind(i, block.y);
// s.bind(chunk, block.x);
// s.bind(vector, thread.x);
// s.cache_registers(C, vector, {.vectorize = 4});
// s.vectorize(element);
// s.assume_aligned(A, 16);
// s.assume_aligned(B, 16);
// s.assume(M % 64 == 0);
// s.assume(N % 128 == 0);
// s.assume(K % 16 == 0);
// auto [block_row, block_column, i_rf_1, j_rf_1] = s.tile({s.axis("i.rf"), s.axis("j.rf")}, {64, 128}, {.names = {"block_row", "block_column", nullptr, nullptr}});
// auto [warp_row, warp_column, i_rf_1_1, j_rf_1_1] = s.tile({i_rf_1, j_rf_1}, {32, 64}, {.names = {"warp_row", "warp_column", nullptr, nullptr}});
// auto [row, quad_column, lane_row, j_rf_1_1_1] = s.tile({i_rf_1_1, j_rf_1_1}, {4, 32}, {.names = {"row", "quad_column", "lane_row", nullptr}});
// auto [lane_column, column] = s.split(j_rf_1_1_1, 4, {.names = {"lane_column", "column"}});
// auto [step, k_3] = s.split(k_2, 16, {.names = {"step", "k"}});
// s.reorder({block_row, block_column, warp_row, warp_column, lane_row, lane_column, step, k_3, row, quad_column, column});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind({warp_row, warp_column}, warp);
// s.bind({lane_row, lane_column}, lane);
// s.cache_registers(C_rf, lane_column);
// auto A_shared = s.cache_shared(A, step, {.vectorize = 4, .layout = Layout().swizzle({.chunk = 4, .period = 4, .rows = 2})});
// auto B_shared = s.cache_shared(B, step, {.vectorize = 4});
// s.cache_registers(B_shared, k_3, {.vectorize = 4});
// s.pipeline(k_3, 2);
// auto [k_quad, k_4] = s.split(k_3, 4, {.names = {"k_quad", "k"}});
// s.cache_registers(A_shared, k_quad, {.vectorize = 4});
// s.unroll(k_quad);
// s.unroll(k_4);
// s.serpentine(row, {quad_column, column});
// s.keep_order(s.axis("B.reg.fill.ahead"));
// s.keep_order(k_quad);
// s.copy_async(A_shared);
// s.copy_async(B_shared);
// s.specialize(step, 8, {.producer_warps = 1});
// s.copy_bulk(A_shared);
// s.copy_bulk(B_shared);
// s.pipeline(k_quad, 1);
//
// launch: grid (N / 128, M / 64, (K + 255) / 256), block (160, 1, 1), 98432 bytes of shared memory
// ptxas -O1: statements keep their order

namespace hone::matmul_0 {

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

// Adds x * y to the sum. The compiler leaves the instruction in its place.
static __device__ __forceinline__ void multiply_add(float& sum, float x, float y) {
  asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(sum) : "f"(x), "f"(y));
}

// The address of an element in shared memory, as instructions take it.
static __device__ __forceinline__ unsigned shared_address(const void* element) {
  return __cvta_generic_to_shared(element);
}

// Loads 4 elements from shared memory. The compiler leaves the instruction in its place.
static __device__ __forceinline__ void load_shared_4(float* to, unsigned address) {
  asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
               : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
               : "r"(address)
               : "memory");
}

extern "C" __global__ void __launch_bounds__(160)
matmul_0(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C_rf, int M, int N, int K, const __grid_constant__ TensorMap A_map, const __grid_constant__ TensorMap B_map) {
  extern __shared__ __align__(512) unsigned char shared[];
  long long (&step_full)[8] = *reinterpret_cast<long long (*)[8]>(shared + 98304);
  long long (&step_empty)[8] = *reinterpret_cast<long long (*)[8]>(shared + 98368);
  float (&A_shared)[8][64][16] = *reinterpret_cast<float (*)[8][64][16]>(shared + 0);
  float (&B_shared)[8][16][128] = *reinterpret_cast<float (*)[8][16][128]>(shared + 32768);
  const int part = blockIdx.z;
  const int block_row = blockIdx.y;
  const int block_column = blockIdx.x;
  if (threadIdx.x == 0) {
    for (int slot = 0; slot < 8; ++slot) {
      init_mbarrier(&step_full[slot], 1);
      init_mbarrier(&step_empty[slot], 128);
    }
    fence_engine();
  }
  __syncthreads();
  if (128 <= threadIdx.x) {
    const int producer = threadIdx.x - 128;
    if (producer == 0) {
      int step_ahead_slot = 0, step_ahead_parity = 0;
      for (int step_ahead = 0; step_ahead < 16; ++step_ahead) {
        wait_mbarrier(&step_empty[step_ahead_slot], 1 - step_ahead_parity);
        expect_bytes(&step_full[step_ahead_slot], 12288);
        copy_bulk_2d(&A_shared[step_ahead_slot][0][0], &A_map,
            part * 256 + step_ahead * 16, block_row * 64, &step_full[step_ahead_slot]);
        copy_bulk_2d(&B_shared[step_ahead_slot][0][0], &B_map,
            block_column * 128, part * 256 + step_ahead * 16, &step_full[step_ahead_slot]);
        if (++step_ahead_slot == 8) {
          step_ahead_slot = 0;
          step_ahead_parity = 1 - step_ahead_parity;
        }
      }
    }
    return;
  }
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int warp_row = warp / 2;
  const int warp_column = warp % 2;
  const int lane_row = lane / 8;
  const int lane_column = lane % 8;
  float C_reg_2[8][2][4] = {};
  const int j = warp_column * 64 + lane_column * 4;
  const unsigned B_shared_at = shared_address(&B_shared[0][0][j]);
  const unsigned A_shared_at = shared_address(&A_shared[0][warp_row * 32 + lane_row][0]);
  const unsigned A_shared_flip = lane_row / 2 * 16;
  int step_slot = 0, step_parity = 0;
  for (int step = 0; step < 16; ++step) {
    wait_mbarrier(&step_full[step_slot], step / 8);
    __align__(16) float B_reg[2][2][4];
    #pragma unroll
    for (int B_reg_fill_ahead = 0; B_reg_fill_ahead < 2; ++B_reg_fill_ahead) {
      load_shared_4(&B_reg[0][B_reg_fill_ahead][0], B_shared_at + B_reg_fill_ahead * 128 + step_slot * 8192);
    }
    __align__(16) float A_reg[8][4];
    #pragma unroll
    for (int A_reg_at = 0; A_reg_at < 8; ++A_reg_at) {
      *reinterpret_cast<float4*>(&A_reg[A_reg_at][0]) =
          *reinterpret_cast<const float4*>(&A_shared[step_slot][warp_row * 32 + lane_row + A_reg_at * 4][(A_reg_at * 2 + lane_row / 2) % 4 * 4]);
    }
    #pragma unroll
    for (int k_quad = 0; k_quad < 4; ++k_quad) {
      #pragma unroll
      for (int k = 0; k < 4; ++k) {
        if (k_quad * 4 + k + 1 < 16) {
          #pragma unroll
          for (int B_reg_fill = 0; B_reg_fill < 2; ++B_reg_fill) {
            load_shared_4(&B_reg[(k + 1) % 2][B_reg_fill][0], B_shared_at + B_reg_fill * 128 + k_quad * 2048 + k * 512 + step_slot * 8192 + 512);
          }
        }
        #pragma unroll
        for (int row = 0; row < 8; ++row) {
          #pragma unroll
          for (int quad_column = 0; quad_column < 2; ++quad_column) {
            const int quad_column_turn = row % 2 == 0 ? quad_column : 1 - quad_column;
            #pragma unroll
            for (int column = 0; column < 4; ++column) {
              const int column_turn = row % 2 == 0 ? column : 3 - column;
              multiply_add(C_reg_2[row][quad_column_turn][column_turn], A_reg[row][k], B_reg[k % 2][quad_column_turn][column_turn]);
            }
          }
          if (k == 3 && k_quad + 1 < 4) {
            load_shared_4(&A_reg[row][0], A_shared_at + row * 256 + step_slot * 4096 + ((k_quad * 4 + 4 ^ row * 2 % 4 * 4) * 4 ^ A_shared_flip));
          }
        }
      }
    }
    arrive_mbarrier(&step_empty[step_slot]);
    if (++step_slot == 8) {
      step_slot = 0;
      step_parity = 1 - step_parity;
    }
  }
  #pragma unroll
  for (int C_reg_2_write_back = 0; C_reg_2_write_back < 8; ++C_reg_2_write_back) {
    #pragma unroll
    for (int C_reg_2_write_back_2 = 0; C_reg_2_write_back_2 < 2; ++C_reg_2_write_back_2) {
      #pragma unroll
      for (int C_reg_2_write_back_3 = 0; C_reg_2_write_back_3 < 4; ++C_reg_2_write_back_3) {
        C_rf[(part * M + block_row * 64 + warp_row * 32 + C_reg_2_write_back * 4 + lane_row) * N + block_column * 128 + warp_column * 64 + C_reg_2_write_back_2 * 32 + lane_column * 4 + C_reg_2_write_back_3] = C_reg_2[C_reg_2_write_back][C_reg_2_write_back_2][C_reg_2_write_back_3];
      }
    }
  }
}

}  // namespace hone::matmul_0
// C(i, j) = sum(k, A(i, k) * B(k, j))
// auto [part, k_2] = s.split(k, 256, {.names = {"part", "k"}});
// auto [C_rf, part_2, part_C] = s.rfactor(C, part);
// s.bind(part_2, block.z);
// s.assume_aligned(C, 16);
// auto [chunk, j_1] = s.split(j, 512, {.names = {"chunk", nullptr}});
// auto [vector, element] = s.split(j_1, 4, {.names = {"vector", "element"}});
// s.reorder({i, chunk, vector, part_C, element});
// s.bind(i, block.y);
// s.bind(chunk, block.x);
// s.bind(vector, thread.x);
// s.cache_registers(C, vector, {.vectorize = 4});
// s.vectorize(element);
// s.assume_aligned(A, 16);
// s.assume_aligned(B, 16);
// s.assume(M % 64 == 0);
// s.assume(N % 128 == 0);
// s.assume(K % 16 == 0);
// auto [block_row, block_column, i_rf_1, j_rf_1] = s.tile({s.axis("i.rf"), s.axis("j.rf")}, {64, 128}, {.names = {"block_row", "block_column", nullptr, nullptr}});
// auto [warp_row, warp_column, i_rf_1_1, j_rf_1_1] = s.tile({i_rf_1, j_rf_1}, {32, 64}, {.names = {"warp_row", "warp_column", nullptr, nullptr}});
// auto [row, quad_column, lane_row, j_rf_1_1_1] = s.tile({i_rf_1_1, j_rf_1_1}, {4, 32}, {.names = {"row", "quad_column", "lane_row", nullptr}});
// auto [lane_column, column] = s.split(j_rf_1_1_1, 4, {.names = {"lane_column", "column"}});
// auto [step, k_3] = s.split(k_2, 16, {.names = {"step", "k"}});
// s.reorder({block_row, block_column, warp_row, warp_column, lane_row, lane_column, step, k_3, row, quad_column, column});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind({warp_row, warp_column}, warp);
// s.bind({lane_row, lane_column}, lane);
// s.cache_registers(C_rf, lane_column);
// auto A_shared = s.cache_shared(A, step, {.vectorize = 4, .layout = Layout().swizzle({.chunk = 4, .period = 4, .rows = 2})});
// auto B_shared = s.cache_shared(B, step, {.vectorize = 4});
// s.cache_registers(B_shared, k_3, {.vectorize = 4});
// s.pipeline(k_3, 2);
// auto [k_quad, k_4] = s.split(k_3, 4, {.names = {"k_quad", "k"}});
// s.cache_registers(A_shared, k_quad, {.vectorize = 4});
// s.unroll(k_quad);
// s.unroll(k_4);
// s.serpentine(row, {quad_column, column});
// s.keep_order(s.axis("B.reg.fill.ahead"));
// s.keep_order(k_quad);
// s.copy_async(A_shared);
// s.copy_async(B_shared);
// s.specialize(step, 8, {.producer_warps = 1});
// s.copy_bulk(A_shared);
// s.copy_bulk(B_shared);
// s.pipeline(k_quad, 1);
//
// launch: grid ((N + 511) / 512, M, 1), block (128, 1, 1), 0 bytes of shared memory

extern "C" __global__ void __launch_bounds__(128)
matmul_1(float* __restrict__ C, const float* __restrict__ C_rf, int M, int N, int K) {
  const int i = blockIdx.y;
  const int chunk = blockIdx.x;
  const int vector = threadIdx.x;
  __align__(16) float C_reg[4] = {};
  const int j = chunk * 512 + vector * 4;
  if (j < N) {
    for (int part_C = 0; part_C < (K + 255) / 256; ++part_C) {
      __align__(16) float C_rf_vec[4];
      *reinterpret_cast<float4*>(C_rf_vec) =
          *reinterpret_cast<const float4*>(&C_rf[(part_C * M + i) * N + j]);
      #pragma unroll
      for (int element = 0; element < 4; ++element) {
        C_reg[element] += C_rf_vec[element];
      }
    }
  }
  if (j < N) {
    *reinterpret_cast<float4*>(&C[i * N + j]) = *reinterpret_cast<const float4*>(C_reg);
  }
}
