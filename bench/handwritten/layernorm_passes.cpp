// Layer normalisation that reads each row three times, or twice.

#include "bench/handwritten/rows.h"
#include "bench/handwritten/shuffles.h"

namespace hone {
namespace {

// One kernel for each of the three definitions; a thread walks along its row.
constexpr const char* three_pass = R"(
extern "C" __global__ void layernorm_mean(const float* __restrict__ X, float* __restrict__ mean,
                                          int M, int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M) return;
  float sum = 0.0f;
  for (int j = 0; j < N; j++) sum += X[row * N + j];
  mean[row] = sum / N;
}

extern "C" __global__ void layernorm_variance(const float* __restrict__ X,
                                              const float* __restrict__ mean,
                                              float* __restrict__ variance, int M, int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M) return;
  float sum = 0.0f;
  for (int j = 0; j < N; j++) {
    float difference = X[row * N + j] - mean[row];
    sum += difference * difference;
  }
  variance[row] = sum / N;
}

extern "C" __global__ void layernorm_normalize(const float* __restrict__ X,
                                               const float* __restrict__ gamma,
                                               const float* __restrict__ beta,
                                               const float* __restrict__ mean,
                                               const float* __restrict__ variance,
                                               float* __restrict__ Y, int M, int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M) return;
  for (int j = 0; j < N; j++)
    Y[row * N + j] =
        (X[row * N + j] - mean[row]) * rsqrtf(variance[row] + 1e-5f) * gamma[j] + beta[j];
}
)";

// A block has a row; its threads' sums meet in a tree in shared memory, twice.
constexpr const char* block_reduce = R"(
extern "C" __global__ void __launch_bounds__(THREADS)
layernorm_block_reduce(const float* __restrict__ X, const float* __restrict__ gamma,
                       const float* __restrict__ beta, float* __restrict__ Y, int N) {
  __shared__ float values[THREADS];
  int t = threadIdx.x;
  const float* x = &X[blockIdx.x * N];
  float* y = &Y[blockIdx.x * N];

  float sum = 0.0f;
  for (int j = t; j < N; j += THREADS) sum += x[j];
  values[t] = sum;
  __syncthreads();
  for (int stride = THREADS / 2; stride > 0; stride /= 2) {
    if (t < stride) values[t] += values[t + stride];
    __syncthreads();
  }
  float mean = values[0] / N;
  __syncthreads();

  sum = 0.0f;
  for (int j = t; j < N; j += THREADS) sum += (x[j] - mean) * (x[j] - mean);
  values[t] = sum;
  __syncthreads();
  for (int stride = THREADS / 2; stride > 0; stride /= 2) {
    if (t < stride) values[t] += values[t + stride];
    __syncthreads();
  }
  float scale = rsqrtf(values[0] / N + 1e-5f);

  for (int j = t; j < N; j += THREADS) y[j] = (x[j] - mean) * scale * gamma[j] + beta[j];
}
)";

// Lanes by shuffles; the warps' sums are exchanged once, and each warp adds up all of them.
constexpr const char* shuffle = R"(
extern "C" __global__ void __launch_bounds__(THREADS)
layernorm_shuffle(const float* __restrict__ X, const float* __restrict__ gamma,
                  const float* __restrict__ beta, float* __restrict__ Y, int N) {
  constexpr int WARPS = THREADS / 32;
  __shared__ float sums[WARPS], squares[WARPS];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const float* x = &X[blockIdx.x * N];
  float* y = &Y[blockIdx.x * N];

  float sum = 0.0f;
  for (int j = t; j < N; j += THREADS) sum += x[j];
  sum = warp_sum(sum);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  float mean = warp_sum(lane < WARPS ? sums[lane] : 0.0f) / N;

  sum = 0.0f;
  for (int j = t; j < N; j += THREADS) sum += (x[j] - mean) * (x[j] - mean);
  sum = warp_sum(sum);
  if (lane == 0) squares[warp] = sum;
  __syncthreads();
  float scale = rsqrtf(warp_sum(lane < WARPS ? squares[lane] : 0.0f) / N + 1e-5f);

  for (int j = t; j < N; j += THREADS) y[j] = (x[j] - mean) * scale * gamma[j] + beta[j];
}
)";

// The sum and the sum of the squares in one pass, with one exchange. The result is exact for values
// around zero, and not for values around a thousand.
constexpr const char* online = R"(
extern "C" __global__ void __launch_bounds__(THREADS)
layernorm_online(const float* __restrict__ X, const float* __restrict__ gamma,
                 const float* __restrict__ beta, float* __restrict__ Y, int N) {
  constexpr int WARPS = THREADS / 32;
  __shared__ float sums[WARPS], squares[WARPS];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const float* x = &X[blockIdx.x * N];
  float* y = &Y[blockIdx.x * N];

  float sum = 0.0f, square = 0.0f;
  for (int j = t; j < N; j += THREADS) {
    sum += x[j];
    square += x[j] * x[j];
  }
  sum = warp_sum(sum);
  square = warp_sum(square);
  if (lane == 0) {
    sums[warp] = sum;
    squares[warp] = square;
  }
  __syncthreads();
  float mean = warp_sum(lane < WARPS ? sums[lane] : 0.0f) / N;
  float mean_square = warp_sum(lane < WARPS ? squares[lane] : 0.0f) / N;
  float scale = rsqrtf(mean_square - mean * mean + 1e-5f);

  for (int j = t; j < N; j += THREADS) y[j] = (x[j] - mean) * scale * gamma[j] + beta[j];
}
)";

HandwrittenKernel by_three_passes(const Sizes& sizes) {
  return {"three-pass",
          three_pass,
          {thread_per_row("layernorm_mean", {"X", "mean"}, sizes),
           thread_per_row("layernorm_variance", {"X", "mean", "variance"}, sizes),
           thread_per_row("layernorm_normalize", {"X", "gamma", "beta", "mean", "variance", "Y"},
                          sizes)},
          {{"mean", sizes.at("M")}, {"variance", sizes.at("M")}}};
}

}  // namespace

std::vector<HandwrittenKernel> layernorm_by_passes(const Sizes& sizes) {
  const auto with_block = [&](const char* rung, const char* entry, const char* source) {
    return row_kernel(rung, entry, std::string(shuffles) + source, {"X", "gamma", "beta", "Y"},
                      sizes, {256});
  };
  return {
      by_three_passes(sizes),
      with_block("block-reduce", "layernorm_block_reduce", block_reduce),
      with_block("shuffle", "layernorm_shuffle", shuffle),
      with_block("online", "layernorm_online", online),
  };
}

}  // namespace hone
