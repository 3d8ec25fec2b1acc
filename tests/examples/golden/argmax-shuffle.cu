// S() = argmax(k, (A(k), i32(k)))
// auto [chunk, element] = s.split(k, 2048, {.names = {"chunk", "element"}});
// auto [S_rf, chunk_2, chunk_S] = s.rfactor(S, chunk);
// s.bind(chunk_2, block.x);
// auto [element_2, element_thread] = s.split(element, 256, {.names = {"element", "element_thread"}});
// s.reorder({element_thread, element_2});
// s.bind(element_thread, thread.x, Combine::two_level);
// auto [chunk_S_2, chunk_S_thread] = s.split(chunk_S, 1024, {.names = {"chunk_S", "chunk_S_thread"}});
// s.reorder({chunk_S_thread, chunk_S_2});
// s.bind(chunk_S_thread, thread.x, Combine::two_level);
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
  const int chunk = blockIdx.x;
  const int element_thread = threadIdx.x;
  f32_i32 S_rf_part = chunk * 2048 + element_thread < n ? f32_i32{-__int_as_float(0x7f800000), chunk * 2048 + element_thread} : f32_i32{-__int_as_float(0x7f800000), 2147483647};
  const int k_base = chunk * 2048 + element_thread;
  for (int element = 0; element < 2048; element += 256) {
    if (k_base + element < n) {
      S_rf_part = combine_argmax_later(S_rf_part, f32_i32{A[k_base + element], k_base + element});
    }
  }
  #pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    S_rf_part = combine_argmax(S_rf_part, shuffle_down(0xffffffff, S_rf_part, offset));
  }
  if (element_thread % 32 == 0) {
    S_rf_warps[element_thread / 32] = S_rf_part;
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
      S_rf[chunk] = S_rf_last;
    }
  }
}

}  // namespace hone::argmax_0
// S() = argmax(k, (A(k), i32(k)))
// auto [chunk, element] = s.split(k, 2048, {.names = {"chunk", "element"}});
// auto [S_rf, chunk_2, chunk_S] = s.rfactor(S, chunk);
// s.bind(chunk_2, block.x);
// auto [element_2, element_thread] = s.split(element, 256, {.names = {"element", "element_thread"}});
// s.reorder({element_thread, element_2});
// s.bind(element_thread, thread.x, Combine::two_level);
// auto [chunk_S_2, chunk_S_thread] = s.split(chunk_S, 1024, {.names = {"chunk_S", "chunk_S_thread"}});
// s.reorder({chunk_S_thread, chunk_S_2});
// s.bind(chunk_S_thread, thread.x, Combine::two_level);
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
  const int chunk_S_thread = threadIdx.x;
  f32_i32 S_part = f32_i32{-__int_as_float(0x7f800000), 2147483647};
  for (int chunk_S = chunk_S_thread; chunk_S < (n + 2047) / 2048; chunk_S += 1024) {
    S_part = combine_argmax(S_part, S_rf[chunk_S]);
  }
  #pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    S_part = combine_argmax(S_part, shuffle_down(0xffffffff, S_part, offset));
  }
  if (chunk_S_thread % 32 == 0) {
    S_warps[chunk_S_thread / 32] = S_part;
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
