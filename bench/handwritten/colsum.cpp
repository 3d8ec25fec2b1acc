// Sums along the columns of a matrix: neighbouring threads have neighbouring columns.

#include "bench/handwritten/handwritten.h"
#include "bench/handwritten/shuffles.h"

namespace hone {
namespace {

// A thread walks down its column: there are as many threads as columns, which are few.
constexpr const char* per_thread = R"(
extern "C" __global__ void colsum_per_thread(const float* __restrict__ X, float* __restrict__ S,
                                             int M, int N) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= N) return;
  float sum = 0.0f;
  for (int i = 0; i < M; i++) sum += X[i * N + column];
  S[column] = sum;
}
)";

// A block has 32 columns and all rows, of which each of its warps takes every eighth.
constexpr const char* block_reduce = R"(
extern "C" __global__ void __launch_bounds__(256)
colsum_block_reduce(const float* __restrict__ X, float* __restrict__ S, int M, int N) {
  __shared__ float sums[8][32];
  int tx = threadIdx.x, ty = threadIdx.y;
  int column = blockIdx.x * 32 + tx;

  float sum = 0.0f;
  if (column < N)
    for (int i = ty; i < M; i += 8) sum += X[i * N + column];
  sums[ty][tx] = sum;
  __syncthreads();
#pragma unroll
  for (int stride = 4; stride > 0; stride /= 2) {
    if (ty < stride) sums[ty][tx] += sums[ty + stride][tx];
    __syncthreads();
  }
  if (ty == 0 && column < N) S[column] = sums[0][tx];
}
)";

// A block has 64 rows of 128 columns, in vectors; the sums of the blocks are added up in memory.
constexpr const char* vectorized = R"(
extern "C" __global__ void colsum_zero(float* __restrict__ S, int N) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column < N) S[column] = 0.0f;
}

extern "C" __global__ void __launch_bounds__(256)
colsum_vectorized(const float* __restrict__ X, float* __restrict__ S, int M, int N) {
  __shared__ float4 sums[8][32];
  int tx = threadIdx.x, ty = threadIdx.y;
  int column = (blockIdx.x * 32 + tx) * 4, row = blockIdx.y * 64 + ty;

  float4 values[8];
#pragma unroll
  for (int u = 0; u < 8; u++) {
    int i = row + u * 8;
    values[u] = column < N && i < M ? load4(&X[i * N + column])
                                    : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  }
  float4 sum = values[0];
#pragma unroll
  for (int u = 1; u < 8; u++) {
    float4 v = values[u];
    sum = make_float4(sum.x + v.x, sum.y + v.y, sum.z + v.z, sum.w + v.w);
  }
  sums[ty][tx] = sum;
  __syncthreads();

  // A thread of the first four warps adds up one column.
  int t = ty * 32 + tx;
  if (t >= 128 || blockIdx.x * 128 + t >= N) return;
  float total = 0.0f;
#pragma unroll
  for (int y = 0; y < 8; y++) total += reinterpret_cast<const float*>(sums[y])[t];
  atomicAdd(&S[blockIdx.x * 128 + t], total);
}
)";

}  // namespace

std::vector<HandwrittenKernel> handwritten_colsum(const Sizes& sizes) {
  const int64_t M = sizes.at("M"), N = sizes.at("N");
  const std::vector<std::string> tensors = {"X", "S"}, params = {"M", "N"};
  return {
      {"per-thread",
       "colsum_per_thread",
       per_thread,
       tensors,
       params,
       {{tiles(N, 128), 1, 1}, {128, 1, 1}}},
      {"block-reduce",
       "colsum_block_reduce",
       block_reduce,
       tensors,
       params,
       {{tiles(N, 32), 1, 1}, {32, 8, 1}}},
      {"vectorized",
       std::string(shuffles) + vectorized,
       {{"colsum_zero", {"S"}, {"N"}, {{tiles(N, 128), 1, 1}, {128, 1, 1}}},
        {"colsum_vectorized", tensors, params, {{tiles(N, 128), tiles(M, 64), 1}, {32, 8, 1}}}},
       {},
       {"N"}},
  };
}

}  // namespace hone
