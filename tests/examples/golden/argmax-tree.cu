// S() = argmax(k, (A(k), i32(k)))
// auto [k_0, k_1] = s.split(k, 512);
// auto [S_rf, k_0_2, k_0_S] = s.rfactor(S, k_0);
// s.bind(k_0_2, block.x);
// auto [k_1_0, k_1_1] = s.split(k_1, 256);
// s.reorder({k_1_1, k_1_0});
// s.bind(k_1_1, thread.x, Combine::sequential);
// auto [k_0_S_0, k_0_S_1] = s.split(k_0_S, 1024);
// s.reorder({k_0_S_1, k_0_S_0});
// s.bind(k_0_S_1, thread.x, Combine::sequential);
//
// launch: grid ((n + 511) / 512, 1, 1), block (256, 1, 1), 2048 bytes of shared memory

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

extern "C" __global__ void
argmax_0(const float* __restrict__ A, f32_i32* __restrict__ S_rf, int n) {
  __shared__ f32_i32 S_rf_tree[256];
  const int k_0 = blockIdx.x;
  const int k_1_1 = threadIdx.x;
  f32_i32 S_rf_part = k_0 * 512 + k_1_1 < n ? f32_i32{-__int_as_float(0x7f800000), k_0 * 512 + k_1_1} : f32_i32{-__int_as_float(0x7f800000), 2147483647};
  const int k_base = k_0 * 512 + k_1_1;
  for (int k_1_0 = 0; k_1_0 < 512; k_1_0 += 256) {
    if (k_base + k_1_0 < n) {
      S_rf_part = combine_argmax_later(S_rf_part, f32_i32{A[k_base + k_1_0], k_base + k_1_0});
    }
  }
  S_rf_tree[k_1_1] = S_rf_part;
  for (int stride = 128; stride > 0; stride /= 2) {
    __syncthreads();
    const int t = threadIdx.x;
    if (t < stride) {
      S_rf_tree[t] = combine_argmax(S_rf_tree[t], S_rf_tree[t + stride]);
    }
  }
  if (threadIdx.x == 0) {
    S_rf[k_0] = S_rf_tree[0];
  }
}

}  // namespace hone::argmax_0
// S() = argmax(k, (A(k), i32(k)))
// auto [k_0, k_1] = s.split(k, 512);
// auto [S_rf, k_0_2, k_0_S] = s.rfactor(S, k_0);
// s.bind(k_0_2, block.x);
// auto [k_1_0, k_1_1] = s.split(k_1, 256);
// s.reorder({k_1_1, k_1_0});
// s.bind(k_1_1, thread.x, Combine::sequential);
// auto [k_0_S_0, k_0_S_1] = s.split(k_0_S, 1024);
// s.reorder({k_0_S_1, k_0_S_0});
// s.bind(k_0_S_1, thread.x, Combine::sequential);
//
// launch: grid (1, 1, 1), block (1024, 1, 1), 8192 bytes of shared memory

namespace hone::argmax_1 {

struct __align__(8) f32_i32 {
  float first;
  int second;
};

static __device__ f32_i32 combine_argmax(f32_i32 lhs, f32_i32 rhs) {
  return (!(rhs.first <= lhs.first) & (lhs.first == lhs.first)) | (((lhs.first <= rhs.first) | (rhs.first != rhs.first)) & (rhs.second < lhs.second)) ? rhs : lhs;
}

extern "C" __global__ void
argmax_1(f32_i32* __restrict__ S, const f32_i32* __restrict__ S_rf, int n) {
  __shared__ f32_i32 S_tree[1024];
  const int k_0_S_1 = threadIdx.x;
  f32_i32 S_part = f32_i32{-__int_as_float(0x7f800000), 2147483647};
  for (int k_0_S_0 = k_0_S_1; k_0_S_0 < (n + 511) / 512; k_0_S_0 += 1024) {
    S_part = combine_argmax(S_part, S_rf[k_0_S_0]);
  }
  S_tree[k_0_S_1] = S_part;
  for (int stride = 512; stride > 0; stride /= 2) {
    __syncthreads();
    const int t = threadIdx.x;
    if (t < stride) {
      S_tree[t] = combine_argmax(S_tree[t], S_tree[t + stride]);
    }
  }
  if (threadIdx.x == 0) {
    S[0] = S_tree[0];
  }
}

}  // namespace hone::argmax_1
