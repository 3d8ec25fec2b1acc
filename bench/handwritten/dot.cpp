// The product of two vectors: a sum with two streams of elements.

#include "bench/handwritten/reduce.h"
#include "bench/handwritten/shuffles.h"

namespace hone {
namespace {

// As many blocks as run at once walk through the vectors.
constexpr const char* grid_stride = R"(
extern "C" __global__ void __launch_bounds__(256)
dot_grid_stride(const float* __restrict__ A, const float* __restrict__ B,
                float* __restrict__ partial, int n) {
  __shared__ float sums[256];
  int t = threadIdx.x;

  float sum = 0.0f;
  for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) sum += A[i] * B[i];
  sums[t] = sum;
  __syncthreads();
#pragma unroll
  for (int stride = 128; stride > 16; stride /= 2) {
    if (t < stride) sums[t] += sums[t + stride];
    __syncthreads();
  }
  if (t < 32) {
    sum = warp_sum(sums[t]);
    if (t == 0) partial[blockIdx.x] = sum;
  }
}
)";

// A block has 16 KB of either: four vectors a thread, all on their way before the first is used.
constexpr const char* vectorized = R"(
extern "C" __global__ void dot_zero(float* __restrict__ S) { S[0] = 0.0f; }

extern "C" __global__ void __launch_bounds__(256)
dot_vectorized(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ S,
               int n) {
  const float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  __shared__ float sums[8];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int first = (blockIdx.x * 1024 + threadIdx.x) * 4;

  float4 a[4], b[4];
#pragma unroll
  for (int u = 0; u < 4; u++) {
    int i = first + u * 1024;
    a[u] = i < n ? load4(&A[i]) : zero;
    b[u] = i < n ? load4(&B[i]) : zero;
  }
  float sum = 0.0f;
#pragma unroll
  for (int u = 0; u < 4; u++)
    sum += a[u].x * b[u].x + a[u].y * b[u].y + (a[u].z * b[u].z + a[u].w * b[u].w);

  sum = warp_sum(sum);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = warp_sum(lane < 8 ? sums[lane] : 0.0f);
    if (lane == 0) atomicAdd(S, sum);
  }
}
)";

// One kernel: the block that is the last to leave its sum adds up all of them, in their order. Its
// first warp does, so that no other has to wait. Blocks take further tiles where there are many.
constexpr const char* last_block = R"(
extern "C" __global__ void __launch_bounds__(512)
dot_last_block(const float* __restrict__ A, const float* __restrict__ B, float* partial,
               unsigned* counter, float* __restrict__ S, int n) {
  const float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  __shared__ float sums[16];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  float sum = 0.0f;
  for (int tile = blockIdx.x; tile < (n + 4095) / 4096; tile += gridDim.x) {
    int first = (tile * 1024 + threadIdx.x) * 4;
    float4 a[2], b[2];
#pragma unroll
    for (int u = 0; u < 2; u++) {
      int i = first + u * 2048;
      a[u] = i < n ? load4(&A[i]) : zero;
      b[u] = i < n ? load4(&B[i]) : zero;
    }
#pragma unroll
    for (int u = 0; u < 2; u++)
      sum += a[u].x * b[u].x + a[u].y * b[u].y + (a[u].z * b[u].z + a[u].w * b[u].w);
  }

  sum = warp_sum(sum);
  if (lane == 0) sums[warp] = sum;
  __syncthreads();
  if (warp != 0) return;

  sum = warp_sum(lane < 16 ? sums[lane] : 0.0f);
  bool is_last = false;
  if (lane == 0) {
    partial[blockIdx.x] = sum;
    is_last = arrive_last(counter, gridDim.x);
  }
  if (!__shfl_sync(~0u, is_last, 0)) return;
  __syncwarp();
  sum = 0.0f;
  for (int block = lane; block < gridDim.x; block += 32) sum += partial[block];
  sum = warp_sum(sum);
  if (lane == 0) S[0] = sum;
}
)";

}  // namespace

std::vector<HandwrittenKernel> handwritten_dot(const Sizes& sizes) {
  const int64_t n = sizes.at("n"), blocks = resident_partials(n);
  const int64_t last_blocks = std::min(tiles(n, 4096), resident_blocks);
  return {
      {"grid-stride",
       reduce_partials(resident_partials()) + shuffles + grid_stride,
       {{"dot_grid_stride", {"A", "B", "partial"}, {"n"}, {{blocks, 1, 1}, {256, 1, 1}}},
        reduce_partials_launch()},
       {{"partial", blocks}}},
      {"vectorized",
       std::string(shuffles) + vectorized,
       {{"dot_zero", {"S"}, {}, {}},
        {"dot_vectorized", {"A", "B", "S"}, {"n"}, {{tiles(n, 4096), 1, 1}, {256, 1, 1}}}},
       {},
       {"n"}},
      {"last-block",
       std::string(shuffles) + arrive_last + last_block,
       {{"dot_last_block",
         {"A", "B", "partial", "counter", "S"},
         {"n"},
         {{last_blocks, 1, 1}, {512, 1, 1}}}},
       {{"partial", last_blocks}, {"counter", 1}},
       {"n"}},
  };
}

}  // namespace hone
