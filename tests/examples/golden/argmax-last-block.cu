// S() = argmax(k, (A(k), i32(k)))
// s.assume(n % 4 == 0);
// auto [batch, k_1] = s.split(k, 8192, {.names = {"batch", nullptr}});
// auto [turn, batch_2] = s.split(batch, 1056, {.names = {"turn", "batch"}});
// s.reorder({batch_2, turn});
// auto [item, k_1_1] = s.split(k_1, 2048, {.names = {"item", nullptr}});
// auto [vector, element] = s.split(k_1_1, 4, {.names = {"vector", "element"}});
// s.reorder({vector, item});
// s.reorder({vector, turn});
// s.bind(batch_2, block.x, {.method = Combine::last_block, .last_warp = true});
// s.bind(vector, thread.x, Combine::two_level);
// s.unroll(item);
// s.cache_registers(A, item, {.vectorize = 4});
//
// launch: grid (1056, 1, 1), block (512, 1, 1), 144 bytes of shared memory

namespace hone::argmax {

struct __align__(8) f32_i32 {
  float first;
  int second;
};

static __device__ f32_i32 combine_argmax_later(f32_i32 lhs, f32_i32 rhs) {
  return !(rhs.first <= lhs.first) & (lhs.first == lhs.first) ? rhs : lhs;
}

static __device__ f32_i32 combine_argmax(f32_i32 lhs, f32_i32 rhs) {
  return (!(rhs.first <= lhs.first) & (lhs.first == lhs.first)) | (((lhs.first <= rhs.first) | (rhs.first != rhs.first)) & (rhs.second < lhs.second)) ? rhs : lhs;
}

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

static __device__ f32_i32 shuffle_down(unsigned lanes, f32_i32 tuple, int offset) {
  return {__shfl_down_sync(lanes, tuple.first, offset), __shfl_down_sync(lanes, tuple.second, offset)};
}

extern "C" __global__ void __launch_bounds__(512)
argmax(const float* __restrict__ A, f32_i32* __restrict__ S, f32_i32* __restrict__ S_parts, int* __restrict__ S_arrivals, int n) {
  __shared__ bool S_is_last;
  __shared__ f32_i32 S_warps[16];
  const int batch = blockIdx.x;
  const int vector = threadIdx.x;
  f32_i32 S_part = batch * 8192 + vector * 4 < n ? f32_i32{-__int_as_float(0x7f800000), batch * 8192 + vector * 4} : f32_i32{-__int_as_float(0x7f800000), 2147483647};
  const int k_base = batch * 8192 + vector * 4;
  for (int turn = 0; turn < (n + 8191) / 8192 - batch; turn += 1056) {
    #pragma unroll
    for (int item = 0; item < 8192; item += 2048) {
      float A_reg[4];
      __align__(16) float A_vec[4];
      *reinterpret_cast<float4*>(A_vec) =
          (turn * 8192 + k_base + item < n) ? *reinterpret_cast<const float4*>(&A[turn * 8192 + k_base + item]) : float4{};
      #pragma unroll
      for (int A_reg_v = 0; A_reg_v < 4; ++A_reg_v) {
        A_reg[A_reg_v] = A_vec[A_reg_v];
      }
      if (turn * 8192 + k_base + item < n) {
        #pragma unroll
        for (int element = 0; element < 4; ++element) {
          S_part = combine_argmax_later(S_part, f32_i32{A_reg[element], turn * 8192 + k_base + item + element});
        }
      }
    }
  }
  #pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    S_part = combine_argmax(S_part, shuffle_down(0xffffffff, S_part, offset));
  }
  if (vector % 32 == 0) {
    S_warps[vector / 32] = S_part;
  }
  __syncthreads();
  const int t = threadIdx.x;
  if (t < 16) {
    f32_i32 S_last = S_warps[t];
    #pragma unroll
    for (int offset_2 = 8; offset_2 > 0; offset_2 /= 2) {
      S_last = combine_argmax(S_last, shuffle_down(0xffff, S_last, offset_2));
    }
    if (t == 0) {
      S_parts[batch] = S_last;
    }
  }
  if (threadIdx.x == 0) {
    S_is_last = arrives_last(&S_arrivals[0], 1056);
  }
  __syncthreads();
  if (S_is_last) {
    const int t_2 = threadIdx.x;
    if (t_2 < 32) {
      f32_i32 S_part_2 = f32_i32{-__int_as_float(0x7f800000), 2147483647};
      for (int turn_2 = 0; turn_2 < 1280; turn_2 += 256) {
        #pragma unroll
        for (int part = 0; part < 256; part += 32) {
          S_part_2 = combine_argmax(S_part_2, turn_2 + part + t_2 < 1056 ? S_parts[turn_2 + part + t_2] : f32_i32{-__int_as_float(0x7f800000), 2147483647});
        }
      }
      #pragma unroll
      for (int offset_3 = 16; offset_3 > 0; offset_3 /= 2) {
        S_part_2 = combine_argmax(S_part_2, shuffle_down(0xffffffff, S_part_2, offset_3));
      }
      if (t_2 == 0) {
        S[0] = S_part_2;
      }
    }
  }
}

}  // namespace hone::argmax
