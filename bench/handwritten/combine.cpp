#include "bench/handwritten/handwritten.h"

namespace hone {
namespace {

// Neighbouring threads touch neighbouring elements.
constexpr const char* block_major = R"(
extern "C" __global__ void combine_block_major(const float* __restrict__ A,
                                               const float* __restrict__ B,
                                               const float* __restrict__ C,
                                               float* __restrict__ D, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  D[i] = C[i] / (A[i] * A[i] + B[i] * B[i] + 1.0f);
}
)";

// Neighbouring threads touch elements that lie a grid apart.
constexpr const char* thread_major = R"(
extern "C" __global__ void combine_thread_major(const float* __restrict__ A,
                                                const float* __restrict__ B,
                                                const float* __restrict__ C,
                                                float* __restrict__ D, int n) {
  int i = threadIdx.x * gridDim.x + blockIdx.x;
  if (i >= n) return;
  D[i] = C[i] / (A[i] * A[i] + B[i] * B[i] + 1.0f);
}
)";

// The array as an image; its last row may be cut short.
constexpr const char* image_2d = R"(
extern "C" __global__ void combine_image_2d(const float* __restrict__ A,
                                            const float* __restrict__ B,
                                            const float* __restrict__ C,
                                            float* __restrict__ D, int n, int image_width) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int i = row * image_width + column;
  if (column >= image_width || i >= n) return;
  D[i] = C[i] / (A[i] * A[i] + B[i] * B[i] + 1.0f);
}
)";

// Four neighbouring elements a thread, in one access.
constexpr const char* vectorized = R"(
extern "C" __global__ void combine_vectorized(const float* __restrict__ A,
                                              const float* __restrict__ B,
                                              const float* __restrict__ C,
                                              float* __restrict__ D, int n) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i >= n) return;
  float4 a = *reinterpret_cast<const float4*>(&A[i]);
  float4 b = *reinterpret_cast<const float4*>(&B[i]);
  float4 c = *reinterpret_cast<const float4*>(&C[i]);
  float4 d;
  d.x = c.x / (a.x * a.x + b.x * b.x + 1.0f);
  d.y = c.y / (a.y * a.y + b.y * b.y + 1.0f);
  d.z = c.z / (a.z * a.z + b.z * b.z + 1.0f);
  d.w = c.w / (a.w * a.w + b.w * b.w + 1.0f);
  *reinterpret_cast<float4*>(&D[i]) = d;
}
)";

}  // namespace

std::vector<HandwrittenKernel> handwritten_combine(const Sizes& sizes) {
  const int64_t n = sizes.at("n"), width = sizes.at("W");
  const LaunchDims line = {{tiles(n, 256), 1, 1}, {256, 1, 1}};
  const LaunchDims quarter = {{tiles(n, 1024), 1, 1}, {256, 1, 1}};
  const LaunchDims image = {{tiles(width, 128), tiles(tiles(n, width), 2), 1}, {128, 2, 1}};
  const std::vector<std::string> tensors = {"A", "B", "C", "D"};
  return {
      {"block-major", "combine_block_major", block_major, tensors, {"n"}, line},
      {"thread-major", "combine_thread_major", thread_major, tensors, {"n"}, line},
      {"image-2d", "combine_image_2d", image_2d, tensors, {"n", "W"}, image},
      {"vectorized", "combine_vectorized", vectorized, tensors, {"n"}, quarter, {"n"}},
  };
}

}  // namespace hone
