// statistic(i) = merge(k, (X(i, k), 1.0))
// Y(i, j) = exp(X(i, j) - statistic(i).first) * (1.0 / statistic(i).second)
// s.compute_at(statistic, s.axis("i.Y"));
// s.bind(s.axis("i.Y"), block.x);
// auto [k_2, k_thread] = s.split(k, 256, {.names = {"k", "k_thread"}});
// s.reorder({k_thread, k_2});
// s.bind(k_thread, thread.x, Combine::two_level);
// auto [j_2, j_thread] = s.split(j, 256, {.names = {"j", "j_thread"}});
// s.reorder({j_thread, j_2});
// s.bind(j_thread, thread.x);
//
// launch: grid (M, 1, 1), block (256, 1, 1), 64 bytes of shared memory

namespace hone::softmax {

struct __align__(8) f32_f32 {
  float first;
  float second;
};

static __device__ f32_f32 combine_merge(f32_f32 lhs, f32_f32 rhs) {
  const float x0 = fmaxf(lhs.first, rhs.first);
  return f32_f32{x0, lhs.second * expf(lhs.first - x0) + rhs.second * expf(rhs.first - x0)};
}

static __device__ f32_f32 shuffle_down(unsigned lanes, f32_f32 tuple, int offset) {
  return {__shfl_down_sync(lanes, tuple.first, offset), __shfl_down_sync(lanes, tuple.second, offset)};
}

static __device__ f32_f32 shuffle_exchange(unsigned lanes, f32_f32 tuple, int offset) {
  return {__shfl_xor_sync(lanes, tuple.first, offset), __shfl_xor_sync(lanes, tuple.second, offset)};
}

extern "C" __global__ void
softmax(const float* __restrict__ X, float* __restrict__ Y, int M, int N) {
  __shared__ f32_f32 statistic_warps[8];
  const int i_Y = blockIdx.x;
  f32_f32 statistic;
  const int k_thread = threadIdx.x;
  f32_f32 statistic_part = f32_f32{-3.4028235e+38f, 0.0f};
  for (int k = k_thread; k < N; k += 256) {
    statistic_part = combine_merge(statistic_part, f32_f32{X[i_Y * N + k], 1.0f});
  }
  #pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    statistic_part = combine_merge(statistic_part, shuffle_down(0xffffffff, statistic_part, offset));
  }
  if (k_thread % 32 == 0) {
    statistic_warps[k_thread / 32] = statistic_part;
  }
  __syncthreads();
  const int t = threadIdx.x;
  f32_f32 statistic_last = statistic_warps[t % 8];
  #pragma unroll
  for (int offset_2 = 4; offset_2 > 0; offset_2 /= 2) {
    statistic_last = combine_merge(statistic_last, shuffle_exchange(0xffffffff, statistic_last, offset_2));
  }
  statistic = statistic_last;
  const int j_thread = threadIdx.x;
  for (int j = j_thread; j < N; j += 256) {
    Y[i_Y * N + j] = expf(X[i_Y * N + j] - statistic.first) * (1.0f / statistic.second);
  }
}

}  // namespace hone::softmax
