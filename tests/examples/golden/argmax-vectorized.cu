// S() = argmax(k, (A(k), i32(k)))
// s.assume(n % 4 == 0);
// auto [batch, k_1] = s.split(k, 16384, {.names = {"batch", nullptr}});
// auto [item, k_1_1] = s.split(k_1, 2048, {.names = {"item", nullptr}});
// auto [vector, element] = s.split(k_1_1, 4, {.names = {"vector", "element"}});
// s.reorder({vector, item});
// s.bind(batch, block.x, Combine::atomic);
// s.bind(vector, thread.x, Combine::two_level);
// s.unroll(item);
// s.cache_registers(A, batch, {.vectorize = 4});
//
// launch: grid (1, 1, 1), block (1, 1, 1), 0 bytes of shared memory

namespace hone::argmax_0 {

struct __align__(8) f32_i32 {
  float first;
  int second;
};

extern "C" __global__ void
argmax_0(f32_i32* __restrict__ S) {
  S[0] = f32_i32{-__int_as_float(0x7f800000), 2147483647};
}

}  // namespace hone::argmax_0
// S() = argmax(k, (A(k), i32(k)))
// s.assume(n % 4 == 0);
// auto [batch, k_1] = s.split(k, 16384, {.names = {"batch", nullptr}});
// auto [item, k_1_1] = s.split(k_1, 2048, {.names = {"item", nullptr}});
// auto [vector, element] = s.split(k_1_1, 4, {.names = {"vector", "element"}});
// s.reorder({vector, item});
// s.bind(batch, block.x, Combine::atomic);
// s.bind(vector, thread.x, Combine::two_level);
// s.unroll(item);
// s.cache_registers(A, batch, {.vectorize = 4});
//
// launch: grid ((n + 16383) / 16384, 1, 1), block (512, 1, 1), 128 bytes of shared memory

namespace hone::argmax_1 {

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

static __device__ unsigned long long bits_of(f32_i32 tuple) {
  return (unsigned long long)(unsigned)(tuple.second) << 32 | __float_as_uint(tuple.first);
}

static __device__ f32_i32 f32_i32_of(unsigned long long bits) {
  return {__uint_as_float((unsigned)bits), (int)((unsigned)(bits >> 32))};
}

static __device__ void atomic_argmax(f32_i32* element, f32_i32 value) {
  unsigned long long* const bits = reinterpret_cast<unsigned long long*>(element);
  unsigned long long seen = *bits, expected;
  do {
    expected = seen;
    const f32_i32 before = f32_i32_of(seen);
    const unsigned long long changed = (unsigned long long)bits_of(combine_argmax(before, value));
    if (changed == expected) return;
    seen = atomicCAS(bits, expected, changed);
  } while (seen != expected);
}

extern "C" __global__ void __launch_bounds__(512)
argmax_1(const float* __restrict__ A, f32_i32* __restrict__ S, int n) {
  __shared__ f32_i32 S_warps[16];
  const int batch = blockIdx.x;
  float A_reg[32];
  #pragma unroll
  for (int A_reg_o = 0; A_reg_o < 32; A_reg_o += 4) {
    const int A_reg_t = threadIdx.x;
    __align__(16) float A_vec[4];
    *reinterpret_cast<float4*>(A_vec) =
        (batch * 16384 + A_reg_o * 512 + A_reg_t * 4 < n) ? *reinterpret_cast<const float4*>(&A[batch * 16384 + A_reg_o * 512 + A_reg_t * 4]) : float4{};
    #pragma unroll
    for (int A_reg_v = 0; A_reg_v < 4; ++A_reg_v) {
      A_reg[A_reg_o + A_reg_v] = A_vec[A_reg_v];
    }
  }
  const int vector = threadIdx.x;
  f32_i32 S_part = batch * 16384 + vector * 4 < n ? f32_i32{-__int_as_float(0x7f800000), batch * 16384 + vector * 4} : f32_i32{-__int_as_float(0x7f800000), 2147483647};
  const int k_base = batch * 16384 + vector * 4;
  #pragma unroll
  for (int item = 0; item < 32; item += 4) {
    if (k_base + item * 512 < n) {
      #pragma unroll
      for (int element = 0; element < 4; ++element) {
        S_part = combine_argmax_later(S_part, f32_i32{A_reg[item + element], k_base + item * 512 + element});
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
      atomic_argmax(&S[0], S_last);
    }
  }
}

}  // namespace hone::argmax_1
