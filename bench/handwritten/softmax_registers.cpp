// Softmax that reads each row once and keeps it in the registers of a block.

#include "bench/handwritten/rows.h"
#include "bench/handwritten/shuffles.h"

namespace hone {
namespace {

constexpr const char* registers = R"(
extern "C" __global__ void __launch_bounds__(THREADS)
softmax_registers(const float* __restrict__ X, float* __restrict__ Y, int N) {
  constexpr int WARPS = THREADS / 32;
  __shared__ float maxima[WARPS], sums[WARPS];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const float* x = &X[blockIdx.x * N];
  float* y = &Y[blockIdx.x * N];

  float values[ITEMS];
#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    int j = u * THREADS + t;
    values[u] = j < N ? x[j] : -infinity();
  }

  float largest = values[0];
#pragma unroll
  for (int u = 1; u < ITEMS; u++) largest = fmaxf(largest, values[u]);
  largest = warp_max(largest);
  if (lane == 0) maxima[warp] = largest;
  __syncthreads();
  largest = warp_max(maxima[lane % WARPS]);

  float sum = 0.0f;
#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    values[u] = expf(values[u] - largest);
    sum += values[u];
  }
  sum = warp_sum(sum);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  float scale = 1.0f / warp_sum(lane < WARPS ? sums[lane] : 0.0f);

#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    int j = u * THREADS + t;
    if (j < N) y[j] = values[u] * scale;
  }
}
)";

// The same in vectors, and with as many registers as let two rows be on their way at a time.
constexpr const char* vectorized = R"(
extern "C" __global__ void __launch_bounds__(THREADS, LEAST_BLOCKS)
softmax_vectorized(const float* __restrict__ X, float* __restrict__ Y, int N) {
  constexpr int WARPS = THREADS / 32;
  const float lowest = -infinity();
  __shared__ float maxima[WARPS], sums[WARPS];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const float* x = &X[blockIdx.x * N];
  float* y = &Y[blockIdx.x * N];

  float4 values[ITEMS];
#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    int j = (u * THREADS + t) * 4;
    values[u] = j < N ? load4(&x[j]) : make_float4(lowest, lowest, lowest, lowest);
  }

  float largest = lowest;
#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    float4 v = values[u];
    largest = fmaxf(largest, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)));
  }
  largest = warp_max(largest);
  if (lane == 0) maxima[warp] = largest;
  __syncthreads();
  largest = warp_max(maxima[lane % WARPS]);

  float sum = 0.0f;
#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    float4& v = values[u];
    v = make_float4(expf(v.x - largest), expf(v.y - largest), expf(v.z - largest),
                    expf(v.w - largest));
    sum += v.x + v.y + (v.z + v.w);
  }
  sum = warp_sum(sum);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  float scale = 1.0f / warp_sum(lane < WARPS ? sums[lane] : 0.0f);

#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    int j = (u * THREADS + t) * 4;
    float4 v = values[u];
    if (j < N) store4(&y[j], make_float4(v.x * scale, v.y * scale, v.z * scale, v.w * scale));
  }
}
)";

}  // namespace

std::vector<HandwrittenKernel> softmax_in_registers(const Sizes& sizes) {
  const int64_t N = sizes.at("N"), threads = N <= 1024 ? 64 : 1024;
  const bool two_rows_fit = threads == 1024 && N <= 8192;
  const RowShape elements = {threads, tiles(N, threads)};
  const RowShape vectors = {threads, tiles(N, 4 * threads), two_rows_fit ? 2 : 1};
  const std::string text = shuffles;
  std::vector<HandwrittenKernel> kernels = {
      row_kernel("registers", "softmax_registers", text + registers, {"X", "Y"}, sizes, elements),
      row_kernel("vectorized", "softmax_vectorized", text + vectorized, {"X", "Y"}, sizes, vectors),
  };
  kernels.back().multiples_of_4 = {"N"};
  return kernels;
}

}  // namespace hone
