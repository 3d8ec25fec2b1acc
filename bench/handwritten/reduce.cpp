// Sums of a block by trees in shared memory: where the active threads are, and what they do before
// the tree.

#include "bench/handwritten/reduce.h"

#include "llvm/ADT/STLExtras.h"

namespace hone {

namespace {

constexpr const char* partials_kernel = R"(
extern "C" __global__ void __launch_bounds__(1024)
reduce_partials(const float* __restrict__ partial, float* __restrict__ S, int n) {
  __shared__ float sums[1024];
  int t = threadIdx.x;

  float sum = 0.0f;
#pragma unroll 8
  for (int i = t; i < partials(n); i += 1024) sum += partial[i];
  sums[t] = sum;
  __syncthreads();
  for (int stride = 512; stride > 0; stride /= 2) {
    if (t < stride) sums[t] += sums[t + stride];
    __syncthreads();
  }
  if (t == 0) S[0] = sums[0];
}
)";

// Every second thread adds its neighbour, then every fourth the one after: a warp diverges.
constexpr const char* interleaved_modulo = R"(
extern "C" __global__ void reduce_interleaved_modulo(const float* __restrict__ A,
                                                     float* __restrict__ partial, int n) {
  __shared__ float sums[256];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;

  sums[t] = i < n ? A[i] : 0.0f;
  __syncthreads();
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    if (t % (2 * stride) == 0) sums[t] += sums[t + stride];
    __syncthreads();
  }
  if (t == 0) partial[blockIdx.x] = sums[0];
}
)";

// The same sums by the first threads, which stay together; their elements lie ever farther apart,
// in fewer banks.
constexpr const char* interleaved_strided = R"(
extern "C" __global__ void reduce_interleaved_strided(const float* __restrict__ A,
                                                      float* __restrict__ partial, int n) {
  __shared__ float sums[256];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;

  sums[t] = i < n ? A[i] : 0.0f;
  __syncthreads();
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    int first = 2 * stride * t;
    if (first < blockDim.x) sums[first] += sums[first + stride];
    __syncthreads();
  }
  if (t == 0) partial[blockIdx.x] = sums[0];
}
)";

// The second half is added to the first, then the second quarter: no divergence, no conflicts.
constexpr const char* sequential = R"(
extern "C" __global__ void reduce_sequential(const float* __restrict__ A,
                                             float* __restrict__ partial, int n) {
  __shared__ float sums[256];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;

  sums[t] = i < n ? A[i] : 0.0f;
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (t < stride) sums[t] += sums[t + stride];
    __syncthreads();
  }
  if (t == 0) partial[blockIdx.x] = sums[0];
}
)";

// A thread adds two elements while it loads them: half the blocks, none of whose threads idles at
// once.
constexpr const char* first_add = R"(
extern "C" __global__ void reduce_first_add(const float* __restrict__ A,
                                            float* __restrict__ partial, int n) {
  __shared__ float sums[256];
  int t = threadIdx.x;
  int i = blockIdx.x * (2 * blockDim.x) + t;

  float sum = i < n ? A[i] : 0.0f;
  if (i + blockDim.x < n) sum += A[i + blockDim.x];
  sums[t] = sum;
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (t < stride) sums[t] += sums[t + stride];
    __syncthreads();
  }
  if (t == 0) partial[blockIdx.x] = sums[0];
}
)";

// The last 32 sums stay in the registers of one warp, which needs no barrier.
constexpr const char* last_warp = R"(
extern "C" __global__ void reduce_last_warp(const float* __restrict__ A,
                                            float* __restrict__ partial, int n) {
  __shared__ float sums[256];
  int t = threadIdx.x;
  int i = blockIdx.x * (2 * blockDim.x) + t;

  float sum = i < n ? A[i] : 0.0f;
  if (i + blockDim.x < n) sum += A[i + blockDim.x];
  sums[t] = sum;
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 16; stride /= 2) {
    if (t < stride) sums[t] += sums[t + stride];
    __syncthreads();
  }
  if (t < 32) {
    sum = sums[t];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
    if (t == 0) partial[blockIdx.x] = sum;
  }
}
)";

// The size of the block is known: no loop is left.
constexpr const char* unrolled = R"(
extern "C" __global__ void __launch_bounds__(256)
reduce_unrolled(const float* __restrict__ A, float* __restrict__ partial, int n) {
  __shared__ float sums[256];
  int t = threadIdx.x;
  int i = blockIdx.x * 512 + t;

  float sum = i < n ? A[i] : 0.0f;
  if (i + 256 < n) sum += A[i + 256];
  sums[t] = sum;
  __syncthreads();
#pragma unroll
  for (int stride = 128; stride > 16; stride /= 2) {
    if (t < stride) sums[t] += sums[t + stride];
    __syncthreads();
  }
  if (t < 32) {
    sum = sums[t];
#pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
    if (t == 0) partial[blockIdx.x] = sum;
  }
}
)";

/// Blocks of 256 threads, each with a tile of so many elements, and a second kernel for their sums.
HandwrittenKernel tree(const char* rung, const char* entry, const char* source, const Sizes& sizes,
                       int64_t tile) {
  const int64_t blocks = tiles(sizes.at("n"), tile);
  return {
      rung,
      reduce_partials(fmt::format("(n + {}) / {}", tile - 1, tile)) + source,
      {{entry, {"A", "partial"}, {"n"}, {{blocks, 1, 1}, {256, 1, 1}}}, reduce_partials_launch()},
      {{"partial", blocks}}};
}

}  // namespace

std::string reduce_partials(const std::string& count) {
  return fmt::format("__device__ int partials(int n) {{ return {}; }}\n{}", count, partials_kernel);
}

HandwrittenLaunch reduce_partials_launch() {
  return {"reduce_partials", {"partial", "S"}, {"n"}, {{1, 1, 1}, {1024, 1, 1}}};
}

std::string resident_partials() { return fmt::format("min((n + 255) / 256, {})", resident_blocks); }

std::vector<HandwrittenKernel> reduce_by_trees(const Sizes& sizes) {
  return {
      tree("interleaved-modulo", "reduce_interleaved_modulo", interleaved_modulo, sizes, 256),
      tree("interleaved-strided", "reduce_interleaved_strided", interleaved_strided, sizes, 256),
      tree("sequential", "reduce_sequential", sequential, sizes, 256),
      tree("first-add", "reduce_first_add", first_add, sizes, 512),
      tree("last-warp", "reduce_last_warp", last_warp, sizes, 512),
      tree("unrolled", "reduce_unrolled", unrolled, sizes, 512),
  };
}

std::vector<HandwrittenKernel> handwritten_reduce(const Sizes& sizes) {
  std::vector<HandwrittenKernel> kernels = reduce_by_trees(sizes);
  llvm::append_range(kernels, reduce_by_streams(sizes));
  return kernels;
}

}  // namespace hone
