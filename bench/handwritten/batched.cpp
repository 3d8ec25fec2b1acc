// Products of many small matrices: each has its blocks.

#include "bench/handwritten/matmul.h"

namespace hone {
namespace {

// A thread has an element of C.
constexpr const char* register_accumulate = R"(
extern "C" __global__ void batched_register_accumulate(const float* __restrict__ A,
                                                       const float* __restrict__ B,
                                                       float* __restrict__ C, int M, int N,
                                                       int K) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  int batch = blockIdx.z;
  if (row >= M || column >= N) return;
  float sum = 0.0f;
  for (int k = 0; k < K; k++) sum += A[(batch * M + row) * K + k] * B[(batch * K + k) * N + column];
  C[(batch * M + row) * N + column] = sum;
}
)";

// Tiles of 32 x 32 in shared memory: a thread copies an element of each, and computes one of C.
constexpr const char* shared_tiles = R"(
extern "C" __global__ void batched_shared(const float* __restrict__ A, const float* __restrict__ B,
                                          float* __restrict__ C, int M, int N, int K) {
  __shared__ float As[32][32];
  __shared__ float Bs[32][32];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int column = blockIdx.x * 32 + tx;
  int row = blockIdx.y * 32 + ty;
  int batch = blockIdx.z;

  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += 32) {
    As[ty][tx] = row < M && k0 + tx < K ? A[(batch * M + row) * K + k0 + tx] : 0.0f;
    Bs[ty][tx] = k0 + ty < K && column < N ? B[(batch * K + k0 + ty) * N + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 32; k++) sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row < M && column < N) C[(batch * M + row) * N + column] = sum;
}
)";

}  // namespace

std::vector<HandwrittenKernel> handwritten_batched(const Sizes& sizes) {
  LaunchDims dims = matmul_dims(sizes, 32, {32, 32, 1});
  dims.grid[2] = sizes.at("batch");
  return {
      matmul_kernel("register-accumulate", "batched_register_accumulate", register_accumulate,
                    dims),
      matmul_kernel("shared-32", "batched_shared", shared_tiles, dims),
  };
}

}  // namespace hone
