// Layer normalisation of long rows, where the weights are what is read too often: two rows share
// them, in the registers of two blocks that can write to each other.

#include <algorithm>

#include "bench/handwritten/rows.h"
#include "bench/handwritten/shuffles.h"

namespace hone {
namespace {

// Each block has a half of both rows. Its warps leave the sums of their elements, and of the
// squares of how far these are from their own mean, to both blocks: one exchange for both rows.
constexpr const char* shared_weights = R"(
constexpr int WARPS = THREADS / 32;

// The number of elements that a warp has, of `length`.
__device__ int count_of(int warp, int length) {
  int count = 0;
#pragma unroll
  for (int u = 0; u < ITEMS; u++)
    count += min(max(length - (u * THREADS + warp * 32) * 4, 0), 128);
  return count;
}

// The sum and the squares of a warp's elements, of which there are `count`.
__device__ float2 moments(const float4 (&values)[ITEMS], int length, int count) {
  float sum = 0.0f, squares = 0.0f;
#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    float4 v = values[u];
    sum += v.x + v.y + (v.z + v.w);
  }
  sum = warp_sum(sum);
  float mean = count > 0 ? sum / count : 0.0f;
#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    float4 v = values[u];
    v = make_float4(v.x - mean, v.y - mean, v.z - mean, v.w - mean);
    if ((u * THREADS + threadIdx.x) * 4 < length)
      squares += v.x * v.x + v.y * v.y + (v.z * v.z + v.w * v.w);
  }
  return make_float2(sum, warp_sum(squares));
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(THREADS)
layernorm_shared_weights(const float* __restrict__ X, const float* __restrict__ gamma,
                         const float* __restrict__ beta, float* __restrict__ Y, int M, int N) {
  __shared__ float2 parts[2][2][WARPS];  // of a row, from a block, by a warp
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  int rank = blockIdx.x % 2, row = blockIdx.x - rank;
  int half = (N + 7) / 8 * 4, first = rank * half;
  int length = min(half, N - first);
  __cluster_barrier_arrive_relaxed();

  float4 values[2][ITEMS];
#pragma unroll
  for (int r = 0; r < 2; r++) {
#pragma unroll
    for (int u = 0; u < ITEMS; u++) {
      int j = (u * THREADS + t) * 4;
      values[r][u] = j < length && row + r < M ? load4(&X[(row + r) * N + first + j])
                                               : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
  }
  int count = count_of(warp, length);
  float2 upper = moments(values[0], length, count), lower = moments(values[1], length, count);

  __cluster_barrier_wait();  // the other block runs
  if (lane < 4) {
    void* slot = __cluster_map_shared_rank(&parts[lane / 2][rank][warp], lane % 2);
    *static_cast<float2*>(slot) = lane < 2 ? upper : lower;
  }
  __cluster_barrier_arrive();
  __cluster_barrier_wait();

  float mean[2], scale[2];
#pragma unroll
  for (int r = 0; r < 2; r++) {
    float2 left = parts[r][0][lane % WARPS], right = parts[r][1][lane % WARPS];
    mean[r] = warp_sum(lane < WARPS ? left.x + right.x : 0.0f) / N;
    int left_count = count_of(lane, half), right_count = count_of(lane, N - half);
    float left_apart = left_count > 0 ? left.x / left_count - mean[r] : 0.0f;
    float right_apart = right_count > 0 ? right.x / right_count - mean[r] : 0.0f;
    float squares = left.y + right.y + left_count * left_apart * left_apart +
                    right_count * right_apart * right_apart;
    scale[r] = rsqrtf(warp_sum(lane < WARPS ? squares : 0.0f) / N + 1e-5f);
  }

#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    int j = (u * THREADS + t) * 4;
    if (j >= length) break;
    float4 g = load4(&gamma[first + j]), b = load4(&beta[first + j]);
#pragma unroll
    for (int r = 0; r < 2; r++) {
      float4 v = values[r][u];
      v = make_float4(v.x - mean[r], v.y - mean[r], v.z - mean[r], v.w - mean[r]);
      if (row + r < M)
        store4(&Y[(row + r) * N + first + j],
               make_float4(v.x * scale[r] * g.x + b.x, v.y * scale[r] * g.y + b.y,
                           v.z * scale[r] * g.z + b.z, v.w * scale[r] * g.w + b.w));
    }
  }
}
)";

}  // namespace

HandwrittenKernel layernorm_with_shared_weights(const Sizes& sizes) {
  const int64_t N = sizes.at("N");
  const int64_t threads = std::clamp<int64_t>(32 * tiles(N, 1024), 64, 1024);
  HandwrittenKernel kernel = row_kernel(
      "shared-weights", "layernorm_shared_weights", std::string(shuffles) + shared_weights,
      {"X", "gamma", "beta", "Y"}, sizes, {threads, tiles(tiles(N, 2), 4 * threads)});
  HandwrittenLaunch& launch = kernel.launches.front();
  launch.params = {"M", "N"};
  launch.dims.grid[0] = 2 * tiles(sizes.at("M"), 2);
  kernel.multiples_of_4 = {"N"};
  kernel.least_capability = 90;
  return kernel;
}

}  // namespace hone
