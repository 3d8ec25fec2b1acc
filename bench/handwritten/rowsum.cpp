// Sums along the rows of a matrix, of its elements and of their products with a vector's.

#include "bench/handwritten/rows.h"
#include "bench/handwritten/shuffles.h"

namespace hone {
namespace {

// The sum of a block's threads, in all of its first warp.
constexpr const char* block_sum = R"(
constexpr int WARPS = THREADS / 32;
__device__ float block_sum(float sum) {
  __shared__ float sums[WARPS];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  sum = warp_sum(sum);
  if (WARPS == 1) return sum;
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  return warp == 0 ? warp_sum(lane < WARPS ? sums[lane] : 0.0f) : 0.0f;
}
)";

// A thread walks along its row: neighbouring threads read elements that lie a row apart.
constexpr const char* rowsum_per_thread = R"(
extern "C" __global__ void rowsum_per_thread(const float* __restrict__ X, float* __restrict__ S,
                                             int M, int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M) return;
  float sum = 0.0f;
  for (int j = 0; j < N; j++) sum += X[row * N + j];
  S[row] = sum;
}
)";

// A warp has a row, and a block eight of them.
constexpr const char* rowsum_warp_per_row = R"(
extern "C" __global__ void __launch_bounds__(256)
rowsum_warp_per_row(const float* __restrict__ X, float* __restrict__ S, int M, int N) {
  int lane = threadIdx.x, row = blockIdx.x * 8 + threadIdx.y;
  if (row >= M) return;
  float sum = 0.0f;
  for (int j = lane; j < N; j += 32) sum += X[row * N + j];
  sum = warp_sum(sum);
  if (lane == 0) S[row] = sum;
}
)";

// A block has a row.
constexpr const char* rowsum_shuffle = R"(
extern "C" __global__ void __launch_bounds__(THREADS)
rowsum_shuffle(const float* __restrict__ X, float* __restrict__ S, int N) {
  const float* x = &X[blockIdx.x * N];
  float sum = 0.0f;
  for (int j = threadIdx.x; j < N; j += THREADS) sum += x[j];
  sum = block_sum(sum);
  if (threadIdx.x == 0) S[blockIdx.x] = sum;
}
)";

// The same in vectors, all of which are on their way before the first is used.
constexpr const char* rowsum_vectorized = R"(
extern "C" __global__ void __launch_bounds__(THREADS)
rowsum_vectorized(const float* __restrict__ X, float* __restrict__ S, int N) {
  const float* x = &X[blockIdx.x * N];
  float4 values[ITEMS];
#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    int j = (u * THREADS + threadIdx.x) * 4;
    values[u] = j < N ? load4(&x[j]) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  }
  float sum = 0.0f;
#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    float4 v = values[u];
    sum += v.x + v.y + (v.z + v.w);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) S[blockIdx.x] = sum;
}
)";

constexpr const char* matvec_per_thread = R"(
extern "C" __global__ void matvec_per_thread(const float* __restrict__ A,
                                             const float* __restrict__ x, float* __restrict__ y,
                                             int M, int N) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= M) return;
  float sum = 0.0f;
  for (int j = 0; j < N; j++) sum += A[row * N + j] * x[j];
  y[row] = sum;
}
)";

constexpr const char* matvec_warp_per_row = R"(
extern "C" __global__ void __launch_bounds__(256)
matvec_warp_per_row(const float* __restrict__ A, const float* __restrict__ x,
                    float* __restrict__ y, int M, int N) {
  int lane = threadIdx.x, row = blockIdx.x * 8 + threadIdx.y;
  if (row >= M) return;
  float sum = 0.0f;
  for (int j = lane; j < N; j += 32) sum += A[row * N + j] * x[j];
  sum = warp_sum(sum);
  if (lane == 0) y[row] = sum;
}
)";

constexpr const char* matvec_shuffle = R"(
extern "C" __global__ void __launch_bounds__(THREADS)
matvec_shuffle(const float* __restrict__ A, const float* __restrict__ x, float* __restrict__ y,
               int N) {
  const float* a = &A[blockIdx.x * N];
  float sum = 0.0f;
  for (int j = threadIdx.x; j < N; j += THREADS) sum += a[j] * x[j];
  sum = block_sum(sum);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
)";

constexpr const char* matvec_vectorized = R"(
extern "C" __global__ void __launch_bounds__(THREADS, LEAST_BLOCKS)
matvec_vectorized(const float* __restrict__ A, const float* __restrict__ x, float* __restrict__ y,
                  int N) {
  const float* a = &A[blockIdx.x * N];
  float4 values[ITEMS];
#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    int j = (u * THREADS + threadIdx.x) * 4;
    values[u] = j < N ? load4(&a[j]) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  }
  float sum = 0.0f;
#pragma unroll
  for (int u = 0; u < ITEMS; u++) {
    int j = (u * THREADS + threadIdx.x) * 4;
    if (j >= N) break;
    float4 v = values[u], w = load4(&x[j]);
    sum += v.x * w.x + v.y * w.y + (v.z * w.z + v.w * w.w);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
)";

/// The rungs of a ladder whose kernels are named after it.
std::vector<HandwrittenKernel> row_sums(const std::string& ladder, const char* per_thread,
                                        const char* warp_per_row, const char* shuffle,
                                        const char* vectorized,
                                        const std::vector<std::string>& tensors,
                                        const Sizes& sizes) {
  const int64_t N = sizes.at("N");
  // Of a row, eight vectors a thread.
  const int64_t threads = N <= 1024 ? 32 : N <= 8192 ? 256 : 1024;
  const std::string text = std::string(shuffles) + block_sum;
  const std::string entry = ladder + "_per_thread";
  std::vector<HandwrittenKernel> kernels = {
      {"per-thread", per_thread, {thread_per_row(entry.c_str(), tensors, sizes)}, {}},
      {"warp-per-row",
       ladder + "_warp_per_row",
       shuffles + std::string(warp_per_row),
       tensors,
       {"M", "N"},
       {{tiles(sizes.at("M"), 8), 1, 1}, {32, 8, 1}}},
      row_kernel("shuffle", (ladder + "_shuffle").c_str(), text + shuffle, tensors, sizes, {256}),
      row_kernel("vectorized", (ladder + "_vectorized").c_str(), text + vectorized, tensors, sizes,
                 {threads, tiles(N, 4 * threads), 1024 / threads}),
  };
  kernels.back().multiples_of_4 = {"N"};
  return kernels;
}

}  // namespace

std::vector<HandwrittenKernel> handwritten_rowsum(const Sizes& sizes) {
  return row_sums("rowsum", rowsum_per_thread, rowsum_warp_per_row, rowsum_shuffle,
                  rowsum_vectorized, {"X", "S"}, sizes);
}

std::vector<HandwrittenKernel> handwritten_matvec(const Sizes& sizes) {
  return row_sums("matvec", matvec_per_thread, matvec_warp_per_row, matvec_shuffle,
                  matvec_vectorized, {"A", "x", "y"}, sizes);
}

}  // namespace hone
