// Weighted sums of a pixel's neighbours.

#include "bench/handwritten/handwritten.h"

namespace hone {
namespace {

constexpr const char* stencil_global = R"(
extern "C" __global__ void stencil_global(const float* __restrict__ in,
                                          const float* __restrict__ w, float* __restrict__ out,
                                          int H, int W) {
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 8 + threadIdx.y;
  if (x >= W || y >= H) return;

  float sum = 0.0f;
  for (int dy = 0; dy < 3; dy++)
    for (int dx = 0; dx < 3; dx++)
      sum += w[dy * 3 + dx] * in[(y + dy) * (W + 2) + x + dx];
  out[y * W + x] = sum;
}
)";

// The block's pixels and their neighbours are read once, by all threads together.
constexpr const char* stencil_shared = R"(
extern "C" __global__ void stencil_shared(const float* __restrict__ in,
                                          const float* __restrict__ w, float* __restrict__ out,
                                          int H, int W) {
  __shared__ float tile[8 + 2][32 + 2];
  int x0 = blockIdx.x * 32;
  int y0 = blockIdx.y * 8;
  int tx = threadIdx.x;
  int ty = threadIdx.y;

  for (int s = 0; s < 10 * 34; s += 256) {
    int i = (s + ty * 32 + tx) / 34, j = (s + ty * 32 + tx) % 34;
    int y = y0 + i, x = x0 + j;
    if (i < 10) tile[i][j] = y < H + 2 && x < W + 2 ? in[y * (W + 2) + x] : 0.0f;
  }
  __syncthreads();

  float sum = 0.0f;
  for (int dy = 0; dy < 3; dy++)
    for (int dx = 0; dx < 3; dx++)
      sum += w[dy * 3 + dx] * tile[ty + dy][tx + dx];
  if (y0 + ty < H && x0 + tx < W) out[(y0 + ty) * W + x0 + tx] = sum;
}
)";

}  // namespace

std::vector<HandwrittenKernel> handwritten_stencil(const Sizes& sizes) {
  const LaunchDims dims = {{tiles(sizes.at("W"), 32), tiles(sizes.at("H"), 8), 1}, {32, 8, 1}};
  const std::vector<std::string> tensors = {"in", "w", "out"}, params = {"H", "W"};
  return {
      {"global", "stencil_global", stencil_global, tensors, params, dims},
      {"shared", "stencil_shared", stencil_shared, tensors, params, dims},
  };
}

}  // namespace hone
