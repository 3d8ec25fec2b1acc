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

// A tile of 128 x 128 for 256 threads, eight products deep: each thread computes 8 x 8 elements,
// with four floats an access. A's tile is held transposed.
constexpr const char* vectorized = R"(
__device__ float4 load4(const float* from) { return *reinterpret_cast<const float4*>(from); }
__device__ void store4(float* to, float4 value) { *reinterpret_cast<float4*>(to) = value; }

extern "C" __global__ void __launch_bounds__(256)
batched_vectorized(const float* __restrict__ A, const float* __restrict__ B,
                   float* __restrict__ C, int M, int N, int K) {
  __shared__ __align__(16) float As[8][128];
  __shared__ __align__(16) float Bs[8][128];
  int batch = blockIdx.z;
  int a_i = threadIdx.x / 2, a_k = threadIdx.x % 2 * 4;
  int b_k = threadIdx.x / 32, b_j = threadIdx.x % 32 * 4;
  int a_row = blockIdx.y * 128 + a_i;
  int b_column = blockIdx.x * 128 + b_j;
  int ty = threadIdx.x / 16 * 8;
  int tx = threadIdx.x % 16 * 8;
  const float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);

  float sums[8][8] = {};
  for (int k0 = 0; k0 < K; k0 += 8) {
    float4 a4 = a_row < M && k0 + a_k < K ? load4(&A[(batch * M + a_row) * K + k0 + a_k]) : zero;
    As[a_k + 0][a_i] = a4.x;
    As[a_k + 1][a_i] = a4.y;
    As[a_k + 2][a_i] = a4.z;
    As[a_k + 3][a_i] = a4.w;
    store4(&Bs[b_k][b_j],
           k0 + b_k < K && b_column < N ? load4(&B[(batch * K + k0 + b_k) * N + b_column]) : zero);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++) {
      __align__(16) float a[8], b[8];
      for (int i = 0; i < 8; i += 4) store4(&a[i], load4(&As[k][ty + i]));
      for (int j = 0; j < 8; j += 4) store4(&b[j], load4(&Bs[k][tx + j]));
      for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
          sums[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j += 4) {
      int row = blockIdx.y * 128 + ty + i, column = blockIdx.x * 128 + tx + j;
      float4 c4 = make_float4(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
      if (row < M && column < N) store4(&C[(batch * M + row) * N + column], c4);
    }
}
)";

}  // namespace

std::vector<HandwrittenKernel> handwritten_batched(const Sizes& sizes) {
  LaunchDims small = matmul_dims(sizes, 32, {32, 32, 1});
  LaunchDims large = matmul_dims(sizes, 128, {256, 1, 1});
  small.grid[2] = large.grid[2] = sizes.at("batch");
  HandwrittenKernel by_vectors =
      matmul_kernel("vectorized", "batched_vectorized", vectorized, large);
  by_vectors.multiples_of_4 = {"N", "K"};
  return {
      matmul_kernel("register-accumulate", "batched_register_accumulate", register_accumulate,
                    small),
      matmul_kernel("shared-32", "batched_shared", shared_tiles, small),
      by_vectors,
  };
}

}  // namespace hone
