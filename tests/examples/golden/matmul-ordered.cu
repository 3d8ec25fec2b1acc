// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.assume_aligned(A, 16);
// s.assume_aligned(B, 16);
// s.assume(M % 128 == 0);
// s.assume(N % 256 == 0);
// s.assume(K % 16 == 0);
// auto [block_row, block_column, i_1, j_1] = s.tile({i, j}, {128, 256}, {.names = {"block_row", "block_column", nullptr, nullptr}});
// auto [warp_row, warp_column, i_1_1, j_1_1] = s.tile({i_1, j_1}, {32, 128}, {.names = {"warp_row", "warp_column", nullptr, nullptr}});
// auto [row, quad_column, lane_row, j_1_1_1] = s.tile({i_1_1, j_1_1}, {4, 32}, {.names = {"row", "quad_column", "lane_row", nullptr}});
// auto [lane_column, column] = s.split(j_1_1_1, 4, {.names = {"lane_column", "column"}});
// auto [step, k_2] = s.split(k, 16, {.names = {"step", "k"}});
// s.reorder({block_row, block_column, warp_row, warp_column, lane_row, lane_column, step, k_2, row, quad_column, column});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind({warp_row, warp_column}, warp);
// s.bind({lane_row, lane_column}, lane);
// s.cache_registers(C, lane_column);
// auto A_shared = s.cache_shared(A, step, {.vectorize = 4, .layout = Layout().swizzle({.chunk = 4, .period = 4, .rows = 2})});
// auto B_shared = s.cache_shared(B, step, {.vectorize = 4});
// s.cache_registers(B_shared, k_2, {.vectorize = 4});
// s.pipeline(k_2, 2);
// auto [k_quad, k_3] = s.split(k_2, 4, {.names = {"k_quad", "k"}});
// s.cache_registers(A_shared, k_quad, {.vectorize = 4});
// s.unroll(k_quad);
// s.unroll(k_3);
// s.serpentine(row, {quad_column, column});
// s.keep_order(s.axis("B.reg.fill.ahead"));
// s.keep_order(k_quad);
// s.copy_async(A_shared);
// s.copy_async(B_shared);
// s.specialize(step, 4, {.producer_warps = 4, .producer_registers = 40, .consumer_registers = 232});
//
// launch: grid (N / 256, M / 128, 1), block (384, 1, 1), 98368 bytes of shared memory
// ptxas -O1: statements keep their order

namespace hone::matmul {

// Starts a copy of 16 bytes to shared memory.
static __device__ void copy_async_16(void* to, const void* from) {
  const unsigned address = __cvta_generic_to_shared(to);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
               :
               : "r"(address), "l"(from)
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

extern "C" __global__ void __launch_bounds__(384, 1)
matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  extern __shared__ __align__(16) unsigned char shared[];
  long long (&step_full)[4] = *reinterpret_cast<long long (*)[4]>(shared + 98304);
  long long (&step_empty)[4] = *reinterpret_cast<long long (*)[4]>(shared + 98336);
  float (&A_shared)[4][128][16] = *reinterpret_cast<float (*)[4][128][16]>(shared + 0);
  float (&B_shared)[4][16][256] = *reinterpret_cast<float (*)[4][16][256]>(shared + 32768);
  const int block_row = blockIdx.y;
  const int block_column = blockIdx.x;
  if (threadIdx.x == 0) {
    for (int slot = 0; slot < 4; ++slot) {
      init_mbarrier(&step_full[slot], 128);
      init_mbarrier(&step_empty[slot], 256);
    }
  }
  __syncthreads();
  if (256 <= threadIdx.x) {
    give_registers<40>();
    int step_ahead_slot = 0, step_ahead_parity = 0;
    for (int step_ahead = 0; step_ahead < K / 16; ++step_ahead) {
      wait_mbarrier(&step_empty[step_ahead_slot], 1 - step_ahead_parity);
      #pragma unroll
      for (int A_shared_s = 0; A_shared_s < 128; A_shared_s += 32) {
        const int A_shared_tx = threadIdx.x - 256;
        const int A_shared_i = A_shared_tx / 4;
        const int A_shared_k = A_shared_tx % 4;
        copy_async_16(&A_shared[step_ahead_slot][A_shared_s + A_shared_i][A_shared_k * 4 ^ A_shared_i / 2 % 4 * 4], &A[(block_row * 128 + A_shared_s + A_shared_i) * K + step_ahead * 16 + A_shared_k * 4]);
      }
      #pragma unroll
      for (int B_shared_s = 0; B_shared_s < 16; B_shared_s += 2) {
        const int B_shared_tx = threadIdx.x - 256;
        const int B_shared_k = B_shared_tx / 64;
        const int B_shared_j = B_shared_tx % 64;
        copy_async_16(&B_shared[step_ahead_slot][B_shared_s + B_shared_k][B_shared_j * 4], &B[(step_ahead * 16 + B_shared_s + B_shared_k) * N + block_column * 256 + B_shared_j * 4]);
      }
      arrive_mbarrier_after_copies(&step_full[step_ahead_slot]);
      if (++step_ahead_slot == 4) {
        step_ahead_slot = 0;
        step_ahead_parity = 1 - step_ahead_parity;
      }
    }
    return;
  }
  take_registers<232>();
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int warp_row = warp / 2;
  const int warp_column = warp % 2;
  const int lane_row = lane / 8;
  const int lane_column = lane % 8;
  float C_reg[8][4][4] = {};
  const int j = warp_column * 128 + lane_column * 4;
  const unsigned B_shared_at = shared_address(&B_shared[0][0][j]);
  const unsigned A_shared_at = shared_address(&A_shared[0][warp_row * 32 + lane_row][0]);
  const unsigned A_shared_flip = lane_row / 2 * 16;
  int step_slot = 0, step_parity = 0;
  for (int step = 0; step < K / 16; ++step) {
    wait_mbarrier(&step_full[step_slot], step_parity);
    __align__(16) float B_reg[2][4][4];
    #pragma unroll
    for (int B_reg_fill_ahead = 0; B_reg_fill_ahead < 4; ++B_reg_fill_ahead) {
      load_shared_4(&B_reg[0][B_reg_fill_ahead][0], B_shared_at + B_reg_fill_ahead * 128 + step_slot * 16384);
    }
    #pragma unroll
    for (int k_quad = 0; k_quad < 16; k_quad += 4) {
      __align__(16) float A_reg[8][4];
      #pragma unroll
      for (int A_reg_at = 0; A_reg_at < 8; ++A_reg_at) {
        load_shared_4(&A_reg[A_reg_at][0], A_shared_at + A_reg_at * 256 + step_slot * 8192 + ((k_quad ^ A_reg_at * 2 % 4 * 4) * 4 ^ A_shared_flip));
      }
      #pragma unroll
      for (int k = 0; k < 4; ++k) {
        if (k_quad + k + 1 < 16) {
          #pragma unroll
          for (int B_reg_fill = 0; B_reg_fill < 4; ++B_reg_fill) {
            load_shared_4(&B_reg[(k + 1) % 2][B_reg_fill][0], B_shared_at + B_reg_fill * 128 + k_quad * 1024 + k * 1024 + step_slot * 16384 + 1024);
          }
        }
        #pragma unroll
        for (int row = 0; row < 8; ++row) {
          #pragma unroll
          for (int quad_column = 0; quad_column < 4; ++quad_column) {
            const int quad_column_turn = row % 2 == 0 ? quad_column : 3 - quad_column;
            #pragma unroll
            for (int column = 0; column < 4; ++column) {
              const int column_turn = row % 2 == 0 ? column : 3 - column;
              multiply_add(C_reg[row][quad_column_turn][column_turn], A_reg[row][k], B_reg[k % 2][quad_column_turn][column_turn]);
            }
          }
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
  for (int C_reg_write_back = 0; C_reg_write_back < 8; ++C_reg_write_back) {
    #pragma unroll
    for (int C_reg_write_back_2 = 0; C_reg_write_back_2 < 4; ++C_reg_write_back_2) {
      #pragma unroll
      for (int C_reg_write_back_3 = 0; C_reg_write_back_3 < 4; ++C_reg_write_back_3) {
        C[(block_row * 128 + warp_row * 32 + C_reg_write_back * 4 + lane_row) * N + block_column * 256 + warp_column * 128 + C_reg_write_back_2 * 32 + lane_column * 4 + C_reg_write_back_3] = C_reg[C_reg_write_back][C_reg_write_back_2][C_reg_write_back_3];
      }
    }
  }
}

}  // namespace hone::matmul
