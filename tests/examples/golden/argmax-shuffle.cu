// S() = argmax(k, (A(k), i32(k)))
// auto [k_0, k_1] = s.split(k, 2048);
// auto [S_rf, k_0_2, k_0_S] = s.rfactor(S, k_0);
// s.bind(k_0_2, block.x);
// auto [k_1_0, k_1_1] = s.split(k_1, 256);
// s.reorder({k_1_1, k_1_0});
// s.bind(k_1_1, thread.x, Combine::two_level);
// auto [k_0_S_0, k_0_S_1] = s.split(k_0_S, 1024);
// s.reorder({k_0_S_1, k_0_S_0});
// s.bind(k_0_S_1, thread.x, Combine::two_level);
//
// launch: grid ((n + 2047) / 2048, 1, 1), block (256, 1, 1), 64 bytes of shared memory

namespace hone::argmax_0 {

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

static __device__ f32_i32 shuffle_down(unsigned lanes, f32_i32 tuple, int offset) {
  return {__shfl_down_sync(lanes, tuple.first, offset), __shfl_down_sync(lanes, tuple.second, offset)};
}

extern "C" __global__ void
argmax_0(const float* __restrict__ A, f32_i32* __restrict__ S_rf, int n) {
  __shared__ f32_i32 S_rf_warps[8];
  const int k_0 = blockIdx.x;
  const int k_1_1 = threadIdx.x;
  f32_i32 S_rf_part = k_0 * 2048 + k_1_1 < n ? f32_i32{-__int_as_float(0x7f800000), k_0 * 2048 + k_1_1} : f32_i32{-__int_as_float(0x7f800000), 2147483647};
  const int k_base = k_0 * 2048 + k_1_1;
  for (int k_1_0 = 0; k_1_0 < 2048; k_1_0 += 256) {
    if (k_base + k_1_0 < n) {
      S_rf_part = combine_argmax_later(S_rf_part, f32_i32{A[k_base + k_1_0], k_base + k_1_0});
    }
  }
  #pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    S_rf_part = combine_argmax(S_rf_part, shuffle_down(0xffffffff, S_rf_part, offset));
  }
  if (k_1_1 % 32 == 0) {
    S_rf_warps[k_1_1 / 32] = S_rf_part;
  }
  __syncthreads();
  const int t = threadIdx.x;
  if (t < 8) {
    f32_i32 S_rf_last = S_rf_warps[t];
    #pragma unroll
    for (int offset_2 = 4; offset_2 > 0; offset_2 /= 2) {
      S_rf_last = combine_argmax(S_rf_last, shuffle_down(0xff, S_rf_last, offset_2));
    }
    if (t == 0) {
      S_rf[k_0] = S_rf_last;
    }
  }
}

}  // namespace hone::argmax_0
// S() = argmax(k, (A(k), i32(k)))
// auto [k_0, k_1] = s.split(k, 2048);
// auto [S_rf, k_0_2, k_0_S] = s.rfactor(S, k_0);
// s.bind(k_0_2, block.x);
// auto [k_1_0, k_1_1] = s.split(k_1, 256);
// s.reorder({k_1_1, k_1_0});
// s.bind(k_1_1, thread.x, Combine::two_level);
// auto [k_0_S_0, k_0_S_1] = s.split(k_0_S, 1024);
// s.reorder({k_0_S_1, k_0_S_0});
// s.bind(k_0_S_1, thread.x, Combine::two_level);
//
// launch: grid (1, 1, 1), block (1024, 1, 1), 256 bytes of shared memory

namespace hone::argmax_1 {

struct __align__(8) f32_i32 {
  float first;
  int second;
};

static __device__ f32_i32 combine_argmax(f32_i32 lhs, f32_i32 rhs) {
  return (!(rhs.first <= lhs.first) & (lhs.first == lhs.first)) | (((lhs.first <= rhs.first) | (rhs.first != rhs.first)) & (rhs.second < lhs.second)) ? rhs : lhs;
}

static __device__ f32_i32 shuffle_down(unsigned lanes, f32_i32 tuple, int offset) {
  return {__shfl_down_sync(lanes, tuple.first, offset), __shfl_down_sync(lanes, tuple.second, offset)};
}

extern "C" __global__ void
argmax_1(f32_i32* __restrict__ S, const f32_i32* __restrict__ S_rf, int n) {
  __shared__ f32_i32 S_warps[32];
  const int k_0_S_1 = threadIdx.x;
  f32_i32 S_part = f32_i32{-__int_as_float(0x7f800000), 2147483647};
  for (int k_0_S_0 = k_0_S_1; k_0_S_0 < (n + 2047) / 2048; k_0_S_0 += 1024) {
    S_part = combine_argmax(S_part, S_rf[k_0_S_0]);
  }
  #pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    S_part = combine_argmax(S_part, shuffle_down(0xffffffff, S_part, offset));
  }
  if (k_0_S_1 % 32 == 0) {
    S_warps[k_0_S_1 / 32] = S_part;
  }
  __syncthreads();
  const int t = threadIdx.x;
  if (t < 32) {
    f32_i32 S_last = S_warps[t];
    #pragma unroll
    for (int offset_2 = 16; offset_2 > 0; offset_2 /= 2) {
      S_last = combine_argmax(S_last, shuffle_down(0xffffffff, S_last, offset_2));
    }
    if (t == 0) {
      S[0] = S_last;
    }
  }
}

}  // namespace hone::argmax_1
