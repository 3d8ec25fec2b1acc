#include "bench/handwritten/handwritten.h"

namespace hone {
namespace {

// One element of the output a thread.
constexpr const char* global = R"(
extern "C" __global__ void convolution_global(const float* __restrict__ in,
                                              const float* __restrict__ w,
                                              float* __restrict__ out, int C, int O, int H,
                                              int W) {
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 8 + threadIdx.y;
  int o = blockIdx.z;
  if (x >= W || y >= H) return;

  float sum = 0.0f;
  for (int c = 0; c < C; c++)
    for (int dy = 0; dy < 3; dy++)
      for (int dx = 0; dx < 3; dx++)
        sum += w[((o * C + c) * 3 + dy) * 3 + dx] *
               in[(c * (H + 2) + y + dy) * (W + 2) + x + dx];
  out[(o * H + y) * W + x] = sum;
}
)";

// 16 x 16 pixels for as many threads, each with eight output channels. One input channel after the
// other, its pixels with their neighbours and its weights are in shared memory.
constexpr const char* shared = R"(
extern "C" __global__ void __launch_bounds__(256)
convolution_shared(const float* __restrict__ in, const float* __restrict__ w,
                   float* __restrict__ out, int C, int O, int H, int W) {
  __shared__ float tile[16 + 2][16 + 2];
  __shared__ float weights[8][9];
  int x0 = blockIdx.x * 16;
  int y0 = blockIdx.y * 16;
  int o0 = blockIdx.z * 8;
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int t = ty * 16 + tx;

  float sums[8] = {};
  for (int c = 0; c < C; c++) {
    for (int s = 0; s < 18 * 18; s += 256) {
      int i = (s + t) / 18, j = (s + t) % 18;
      int y = y0 + i, x = x0 + j;
      if (i < 18)
        tile[i][j] = y < H + 2 && x < W + 2 ? in[(c * (H + 2) + y) * (W + 2) + x] : 0.0f;
    }
    if (t < 8 * 9)
      weights[t / 9][t % 9] = o0 + t / 9 < O ? w[((o0 + t / 9) * C + c) * 9 + t % 9] : 0.0f;
    __syncthreads();
    for (int dy = 0; dy < 3; dy++)
      for (int dx = 0; dx < 3; dx++)
        for (int o = 0; o < 8; o++)
          sums[o] += weights[o][dy * 3 + dx] * tile[ty + dy][tx + dx];
    __syncthreads();
  }
  for (int o = 0; o < 8; o++)
    if (o0 + o < O && y0 + ty < H && x0 + tx < W)
      out[((o0 + o) * H + y0 + ty) * W + x0 + tx] = sums[o];
}
)";

}  // namespace

std::vector<HandwrittenKernel> handwritten_convolution(const Sizes& sizes) {
  const int64_t O = sizes.at("O"), H = sizes.at("H"), W = sizes.at("W");
  const LaunchDims single = {{tiles(W, 32), tiles(H, 8), O}, {32, 8, 1}};
  const LaunchDims blocked = {{tiles(W, 16), tiles(H, 16), tiles(O, 8)}, {16, 16, 1}};
  const std::vector<std::string> tensors = {"in", "w", "out"}, params = {"C", "O", "H", "W"};
  return {
      {"global", "convolution_global", global, tensors, params, single},
      {"shared", "convolution_shared", shared, tensors, params, blocked},
  };
}

}  // namespace hone
