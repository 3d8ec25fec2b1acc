// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.assume(K % 4 == 0);
// s.assume(N % 4 == 0);
// auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {32, 32});
// auto [i_1_0, i_1_1] = s.split(i_1, 16);
// auto [k_0, k_1] = s.split(k, 16);
// s.reorder({i_0, j_0, i_1_0, j_1, k_0, k_1, i_1_1});
// s.bind(i_0, block.y);
// s.bind(j_0, block.x);
// s.bind(i_1_0, warp);
// s.bind(j_1, lane);
// s.cache_registers(C, j_1);
// auto A_shared = s.cache_shared(A, k_0, {.layout = Layout().swizzle({.chunk = 4, .period = 4, .rows = 2})});
// auto B_shared = s.cache_shared(B, k_0);
// s.copy_async(A_shared);
// s.copy_async(B_shared);
// s.specialize(k_0, 3, {.producer_warps = 1});
// s.copy_bulk(A_shared);
// s.copy_bulk(B_shared);
//
// launch: grid ((N + 31) / 32, (M + 31) / 32, 1), block (96, 1, 1), 12336 bytes of shared memory

namespace hone::product {

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

extern "C" __global__ void __launch_bounds__(96)
product(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K, const __grid_constant__ TensorMap A_map, const __grid_constant__ TensorMap B_map) {
  __shared__ long long k_0_full[3];
  __shared__ long long k_0_empty[3];
  __shared__ __align__(512) float A_shared[3][32][16];
  __shared__ __align__(128) float B_shared[3][16][32];
  const int i_0 = blockIdx.y;
  const int j_0 = blockIdx.x;
  if (threadIdx.x == 0) {
    for (int slot = 0; slot < 3; ++slot) {
      init_mbarrier(&k_0_full[slot], 1);
      init_mbarrier(&k_0_empty[slot], 64);
    }
    fence_engine();
  }
  __syncthreads();
  if (64 <= threadIdx.x) {
    const int producer = threadIdx.x - 64;
    if (producer == 0) {
      int k_0_ahead_slot = 0, k_0_ahead_parity = 0;
      for (int k_0_ahead = 0; k_0_ahead < (K + 15) / 16; ++k_0_ahead) {
        wait_mbarrier(&k_0_empty[k_0_ahead_slot], 1 - k_0_ahead_parity);
        expect_bytes(&k_0_full[k_0_ahead_slot], 4096);
        copy_bulk_2d(&A_shared[k_0_ahead_slot][0][0], &A_map,
            k_0_ahead * 16, i_0 * 32, &k_0_full[k_0_ahead_slot]);
        copy_bulk_2d(&B_shared[k_0_ahead_slot][0][0], &B_map,
            j_0 * 32, k_0_ahead * 16, &k_0_full[k_0_ahead_slot]);
        if (++k_0_ahead_slot == 3) {
          k_0_ahead_slot = 0;
          k_0_ahead_parity = 1 - k_0_ahead_parity;
        }
      }
    }
    return;
  }
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  const int i_1_0 = warp;
  const int j_1 = lane;
  float C_reg[16] = {};
  int k_0_slot = 0, k_0_parity = 0;
  for (int k_0 = 0; k_0 < (K + 15) / 16; ++k_0) {
    wait_mbarrier(&k_0_full[k_0_slot], k_0_parity);
    for (int k_1 = 0; k_1 < 16; ++k_1) {
      #pragma unroll
      for (int i_1_1 = 0; i_1_1 < 16; ++i_1_1) {
        C_reg[i_1_1] += A_shared[k_0_slot][i_1_0 * 16 + i_1_1][k_1 ^ i_1_1 / 2 % 4 * 4] * B_shared[k_0_slot][k_1][j_1];
      }
    }
    arrive_mbarrier(&k_0_empty[k_0_slot]);
    if (++k_0_slot == 3) {
      k_0_slot = 0;
      k_0_parity = 1 - k_0_parity;
    }
  }
  const int j = j_0 * 32 + j_1;
  const int i = i_0 * 32 + i_1_0 * 16;
  if (j < N) {
    #pragma unroll
    for (int C_at = 0; C_at < 16; ++C_at) {
      if (i + C_at < M) {
        C[(i + C_at) * N + j] = C_reg[C_at];
      }
    }
  }
}

}  // namespace hone::product
