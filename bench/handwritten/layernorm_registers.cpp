// Layer normalisation that reads each row once and keeps it in the registers of a block.

#include "bench/handwritten/rows.h"
#include "bench/handwritten/shuffles.h"

namespace hone {
namespace {

constexpr const char* registers = R"(
extern "C" __global__ void __launch_bounds__(THREADS)
layernorm_registers(const float* __restrict__ X, const float* __restrict__ gamma,
                    const float* __restrict__ beta, float* __restrict__ Y, int N) {
  constexpr int WARPS = THREADS / 32;
  __shared__ float sums[WARPS], squares[WARPS];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const float* x = &X[blockIdx.x * N];
  float* y = &Y[blockIdx.x * N];

  float values[ITEMS];
  float sum = 0.0f;
#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    int j = u * THREADS + t;
    values[u] = j < N ? x[j] : 0.0f;
    sum += values[u];
  }
  sum = warp_sum(sum);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  float mean = warp_sum(lane < WARPS ? sums[lane] : 0.0f) / N;

  sum = 0.0f;
#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    float difference = values[u] - mean;
    if (u * THREADS + t < N) sum += difference * difference;
  }
  sum = warp_sum(sum);
  if (lane == 0) squares[warp] = sum;
  __syncthreads();
  float scale = rsqrtf(warp_sum(lane < WARPS ? squares[lane] : 0.0f) / N + 1e-5f);

#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    int j = u * THREADS + t;
    if (j < N) y[j] = (values[u] - mean) * scale * gamma[j] + beta[j];
  }
}
)";

// The same in vectors, and with as many registers as let two rows be on their way at a time.
constexpr const char* vectorized = R"(
extern "C" __global__ void __launch_bounds__(THREADS, LEAST_BLOCKS)
layernorm_vectorized(const float* __restrict__ X, const float* __restrict__ gamma,
                     const float* __restrict__ beta, float* __restrict__ Y, int N) {
  constexpr int WARPS = THREADS / 32;
  __shared__ float sums[WARPS], squares[WARPS];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const float* x = &X[blockIdx.x * N];
  float* y = &Y[blockIdx.x * N];

  float4 values[ITEMS];
#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    int j = (u * THREADS + t) * 4;
    values[u] = j < N ? load4(&x[j]) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  }
  float sum = 0.0f;
#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    float4 v = values[u];
    sum += v.x + v.y + (v.z + v.w);
  }
  sum = warp_sum(sum);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  float mean = warp_sum(lane < WARPS ? sums[lane] : 0.0f) / N;

  sum = 0.0f;
#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    float4& v = values[u];
    v = make_float4(v.x - mean, v.y - mean, v.z - mean, v.w - mean);
    if ((u * THREADS + t) * 4 < N) sum += v.x * v.x + v.y * v.y + (v.z * v.z + v.w * v.w);
  }
  sum = warp_sum(sum);
  if (lane == 0) squares[warp] = sum;
  __syncthreads();
  float scale = rsqrtf(warp_sum(lane < WARPS ? squares[lane] : 0.0f) / N + 1e-5f);

#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    int j = (u * THREADS + t) * 4;
    if (j >= N) break;
    float4 v = values[u], g = load4(&gamma[j]), b = load4(&beta[j]);
    store4(&y[j], make_float4(v.x * scale * g.x + b.x, v.y * scale * g.y + b.y,
                              v.z * scale * g.z + b.z, v.w * scale * g.w + b.w));
  }
}
)";

}  // namespace

std::vector<HandwrittenKernel> layernorm_in_registers(const Sizes& sizes) {
  const int64_t N = sizes.at("N"), threads = N <= 1024 ? 128 : 1024;
  const bool two_rows_fit = threads == 1024 && N <= 8192;
  const RowShape elements = {threads, tiles(N, threads)};
  const RowShape vectors = {threads, tiles(N, 4 * threads), two_rows_fit ? 2 : 1};
  const std::vector<std::string> tensors = {"X", "gamma", "beta", "Y"};
  const std::string text = shuffles;
  std::vector<HandwrittenKernel> kernels = {
      row_kernel("registers", "layernorm_registers", text + registers, tensors, sizes, elements),
      row_kernel("vectorized", "layernorm_vectorized", text + vectorized, tensors, sizes, vectors),
  };
  kernels.back().multiples_of_4 = {"N"};
  return kernels;
}

}  // namespace hone
