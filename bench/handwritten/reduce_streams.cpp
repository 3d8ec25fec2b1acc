// Sums with many elements a thread: how the elements come in, and how the blocks' sums become one.

#include "bench/handwritten/reduce.h"
#include "bench/handwritten/shuffles.h"

namespace hone {
namespace {

// As many blocks as run at once, each of which walks through the array.
constexpr const char* grid_stride = R"(
extern "C" __global__ void __launch_bounds__(256)
reduce_grid_stride(const float* __restrict__ A, float* __restrict__ partial, int n) {
  __shared__ float sums[256];
  int t = threadIdx.x;

  float sum = 0.0f;
  for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) sum += A[i];
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

// A block has 32 KB: eight vectors a thread, all on their way before the first is used. The sums of
// the warps are exchanged once, and those of the blocks are added up in memory.
constexpr const char* vectorized = R"(
extern "C" __global__ void reduce_zero(float* __restrict__ S) { S[0] = 0.0f; }

extern "C" __global__ void __launch_bounds__(256)
reduce_vectorized(const float* __restrict__ A, float* __restrict__ S, int n) {
  __shared__ float sums[8];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int first = (blockIdx.x * 2048 + threadIdx.x) * 4;

  float4 a[8];
#pragma unroll
  for (int u = 0; u < 8; u++) {
    int i = first + u * 1024;
    a[u] = i < n ? load4(&A[i]) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  }
  float sum = 0.0f;
#pragma unroll
  for (int u = 0; u < 8; u++) sum += a[u].x + a[u].y + (a[u].z + a[u].w);

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
reduce_last_block(const float* __restrict__ A, float* partial, unsigned* counter,
                  float* __restrict__ S, int n) {
  __shared__ float sums[16];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  float sum = 0.0f;
  for (int tile = blockIdx.x; tile < (n + 8191) / 8192; tile += gridDim.x) {
    int first = (tile * 2048 + threadIdx.x) * 4;
    float4 a[4];
#pragma unroll
    for (int u = 0; u < 4; u++) {
      int i = first + u * 2048;
      a[u] = i < n ? load4(&A[i]) : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
#pragma unroll
    for (int u = 0; u < 4; u++) sum += a[u].x + a[u].y + (a[u].z + a[u].w);
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

HandwrittenKernel by_grid_stride(int64_t n) {
  const int64_t blocks = resident_partials(n);
  return {"grid-stride",
          reduce_partials(resident_partials()) + shuffles + grid_stride,
          {{"reduce_grid_stride", {"A", "partial"}, {"n"}, {{blocks, 1, 1}, {256, 1, 1}}},
           reduce_partials_launch()},
          {{"partial", blocks}}};
}

HandwrittenKernel by_vectors(int64_t n) {
  return {"vectorized",
          std::string(shuffles) + vectorized,
          {{"reduce_zero", {"S"}, {}, {}},
           {"reduce_vectorized", {"A", "S"}, {"n"}, {{tiles(n, 8192), 1, 1}, {256, 1, 1}}}},
          {},
          {"n"}};
}

HandwrittenKernel by_last_block(int64_t n) {
  const int64_t blocks = std::min(tiles(n, 8192), resident_blocks);
  return {"last-block",
          std::string(shuffles) + arrive_last + last_block,
          {{"reduce_last_block",
            {"A", "partial", "counter", "S"},
            {"n"},
            {{blocks, 1, 1}, {512, 1, 1}}}},
          {{"partial", blocks}, {"counter", 1}},
          {"n"}};
}

}  // namespace

std::vector<HandwrittenKernel> reduce_by_streams(const Sizes& sizes) {
  const int64_t n = sizes.at("n");
  return {by_grid_stride(n), by_vectors(n), by_last_block(n)};
}

}  // namespace hone
