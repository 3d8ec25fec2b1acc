// Softmax that reads each row three times, or twice.

#include "bench/handwritten/rows.h"
#include "bench/handwritten/shuffles.h"

namespace hone {
namespace {

// One kernel for each of the three definitions; a thread walks along its row.
constexpr const char* three_pass = R"(
extern "C" __global__ void softmax_max(const float* __restrict__ X, float* __restrict__ m, int M,
                                       int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M) return;
  float largest = -infinity();
  for (int j = 0; j < N; j++) largest = fmaxf(largest, X[row * N + j]);
  m[row] = largest;
}

extern "C" __global__ void softmax_inverse(const float* __restrict__ X,
                                           const float* __restrict__ m, float* __restrict__ s,
                                           int M, int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M) return;
  float sum = 0.0f;
  for (int j = 0; j < N; j++) sum += expf(X[row * N + j] - m[row]);
  s[row] = 1.0f / sum;
}

extern "C" __global__ void softmax_scale(const float* __restrict__ X, const float* __restrict__ m,
                                         const float* __restrict__ s, float* __restrict__ Y, int M,
                                         int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M) return;
  for (int j = 0; j < N; j++) Y[row * N + j] = expf(X[row * N + j] - m[row]) * s[row];
}
)";

// A block has a row; its threads' maxima, and then their sums, meet in a tree in shared memory.
constexpr const char* block_reduce = R"(
extern "C" __global__ void __launch_bounds__(THREADS)
softmax_block_reduce(const float* __restrict__ X, float* __restrict__ Y, int N) {
  __shared__ float values[THREADS];
  int t = threadIdx.x;
  const float* x = &X[blockIdx.x * N];
  float* y = &Y[blockIdx.x * N];

  float largest = -infinity();
  for (int j = t; j < N; j += THREADS) largest = fmaxf(largest, x[j]);
  values[t] = largest;
  __syncthreads();
  for (int stride = THREADS / 2; stride > 0; stride /= 2) {
    if (t < stride) values[t] = fmaxf(values[t], values[t + stride]);
    __syncthreads();
  }
  largest = values[0];
  __syncthreads();

  float sum = 0.0f;
  for (int j = t; j < N; j += THREADS) sum += expf(x[j] - largest);
  values[t] = sum;
  __syncthreads();
  for (int stride = THREADS / 2; stride > 0; stride /= 2) {
    if (t < stride) values[t] += values[t + stride];
    __syncthreads();
  }
  float scale = 1.0f / values[0];

  for (int j = t; j < N; j += THREADS) y[j] = expf(x[j] - largest) * scale;
}
)";

// Lanes by shuffles; the warps' results are exchanged once, and each warp combines all of them.
constexpr const char* shuffle = R"(
extern "C" __global__ void __launch_bounds__(THREADS)
softmax_shuffle(const float* __restrict__ X, float* __restrict__ Y, int N) {
  constexpr int WARPS = THREADS / 32;
  __shared__ float maxima[WARPS], sums[WARPS];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const float* x = &X[blockIdx.x * N];
  float* y = &Y[blockIdx.x * N];

  float largest = -infinity();
  for (int j = t; j < N; j += THREADS) largest = fmaxf(largest, x[j]);
  largest = warp_max(largest);
  if (lane == 0) maxima[warp] = largest;
  __syncthreads();
  largest = warp_max(maxima[lane % WARPS]);

  float sum = 0.0f;
  for (int j = t; j < N; j += THREADS) sum += expf(x[j] - largest);
  sum = warp_sum(sum);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  float scale = 1.0f / warp_sum(lane < WARPS ? sums[lane] : 0.0f);

  for (int j = t; j < N; j += THREADS) y[j] = expf(x[j] - largest) * scale;
}
)";

// The maximum and the sum in one pass: a sum is scaled whenever its maximum grows.
constexpr const char* online = R"(
__device__ void add(float& largest, float& sum, float other_largest, float other_sum) {
  float both = fmaxf(largest, other_largest);
  sum = sum * expf(largest - both) + other_sum * expf(other_largest - both);
  largest = both;
}

__device__ void warp_add(float& largest, float& sum) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    float other_largest = __shfl_xor_sync(~0u, largest, offset);
    float other_sum = __shfl_xor_sync(~0u, sum, offset);
    add(largest, sum, other_largest, other_sum);
  }
}

extern "C" __global__ void __launch_bounds__(THREADS)
softmax_online(const float* __restrict__ X, float* __restrict__ Y, int N) {
  constexpr int WARPS = THREADS / 32;
  __shared__ float maxima[WARPS], sums[WARPS];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const float* x = &X[blockIdx.x * N];
  float* y = &Y[blockIdx.x * N];

  float largest = -3.402823466e38f, sum = 0.0f;  // not infinite: the difference of two is a number
  for (int j = t; j < N; j += THREADS) add(largest, sum, x[j], 1.0f);
  warp_add(largest, sum);
  if (lane == 0) {
    maxima[warp] = largest;
    sums[warp] = sum;
  }
  __syncthreads();
  largest = maxima[lane % WARPS];
  sum = lane < WARPS ? sums[lane] : 0.0f;
  warp_add(largest, sum);
  float scale = 1.0f / sum;

  for (int j = t; j < N; j += THREADS) y[j] = expf(x[j] - largest) * scale;
}
)";

HandwrittenKernel by_three_passes(const Sizes& sizes) {
  return {"three-pass",
          std::string(shuffles) + three_pass,
          {thread_per_row("softmax_max", {"X", "m"}, sizes),
           thread_per_row("softmax_inverse", {"X", "m", "s"}, sizes),
           thread_per_row("softmax_scale", {"X", "m", "s", "Y"}, sizes)},
          {{"m", sizes.at("M")}, {"s", sizes.at("M")}}};
}

}  // namespace

std::vector<HandwrittenKernel> softmax_by_passes(const Sizes& sizes) {
  const RowShape shape = {256};
  const std::string text = shuffles;
  return {
      by_three_passes(sizes),
      row_kernel("block-reduce", "softmax_block_reduce", text + block_reduce, {"X", "Y"}, sizes,
                 shape),
      row_kernel("shuffle", "softmax_shuffle", text + shuffle, {"X", "Y"}, sizes, shape),
      row_kernel("online", "softmax_online", text + online, {"X", "Y"}, sizes, shape),
  };
}

}  // namespace hone
