//
// launch: grid (max((N + 63) / 64, 1), 1, 1), block (64, 1, 1), 24 bytes of shared memory

namespace hone::total {

// True in the last of `count` blocks to arrive. That block sees what the others wrote before, and
// the counter is 0 again.
static __device__ bool arrives_last(int* counter, int count) {
  int before;
  asm volatile("atom.acq_rel.gpu.inc.u32 %0, [%1], %2;"
               : "=r"(before)
               : "l"(counter), "r"(count - 1)
               : "memory");
  return before == count - 1;
}

extern "C" __global__ void
total(const float* __restrict__ A, float* __restrict__ S, float* __restrict__ S_parts, int* __restrict__ S_arrivals, int N) {
  __shared__ bool S_is_last;
  __shared__ float S_warps[2];
  const int b = blockIdx.x;
  if (b < (N + 63) / 64) {
    const int t = threadIdx.x;
    float S_part = 0.0f;
    if (b * 64 + t < N) {
      S_part += A[b * 64 + t];
    }
    #pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
      S_part += __shfl_down_sync(0xffffffff, S_part, offset);
    }
    if (t % 32 == 0) {
      S_warps[t / 32] = S_part;
    }
    __syncthreads();
    const int t_2 = threadIdx.x;
    if (t_2 < 2) {
      float S_last = S_warps[t_2];
      #pragma unroll
      for (int offset_2 = 1; offset_2 > 0; offset_2 /= 2) {
        S_last += __shfl_down_sync(0x3, S_last, offset_2);
      }
      if (t_2 == 0) {
        S_parts[b] = S_last;
      }
    }
  }
  if (threadIdx.x == 0) {
    S_is_last = arrives_last(&S_arrivals[0], max((N + 63) / 64, 1));
  }
  __syncthreads();
  if (S_is_last) {
    const int t_3 = threadIdx.x;
    if (t_3 < 32) {
      float S_part_2 = 0.0f;
      for (int turn = 0; turn < (N + 63) / 64; turn += 256) {
        #pragma unroll
        for (int part = 0; part < 256; part += 32) {
          S_part_2 += turn + part + t_3 < (N + 63) / 64 ? S_parts[turn + part + t_3] : 0.0f;
        }
      }
      #pragma unroll
      for (int offset_3 = 16; offset_3 > 0; offset_3 /= 2) {
        S_part_2 += __shfl_down_sync(0xffffffff, S_part_2, offset_3);
      }
      if (t_3 == 0) {
        S[0] = S_part_2;
      }
    }
  }
}

}  // namespace hone::total
