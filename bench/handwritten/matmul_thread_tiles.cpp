#include "bench/handwritten/matmul.h"
#include "fmt/format.h"

namespace hone {
namespace {

// Tiles of TS x TS for TS x TS/8 threads: each computes eight elements of a column of C, TS/8 rows
// apart, and uses an element of B eight times.
constexpr const char* thread_1d = R"(
extern "C" __global__ void matmul_thread_1d(const float* __restrict__ A,
                                            const float* __restrict__ B, float* __restrict__ C,
                                            int M, int N, int K) {
  constexpr int step = TS / 8;
  __shared__ float As[TS][TS];
  __shared__ float Bs[TS][TS];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int column = blockIdx.x * TS + tx;
  int row = blockIdx.y * TS + ty;

  float sums[8] = {};
  for (int k0 = 0; k0 < K; k0 += TS) {
    for (int i = 0; i < TS; i += step) {
      As[ty + i][tx] = whole || (row + i < M && k0 + tx < K) ? A[(row + i) * K + k0 + tx] : 0.0f;
      Bs[ty + i][tx] = whole || (k0 + ty + i < K && column < N) ? B[(k0 + ty + i) * N + column] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TS; k++) {
      float b = Bs[k][tx];
      for (int w = 0; w < 8; w++)
        sums[w] += As[ty + w * step][k] * b;
    }
    __syncthreads();
  }
  for (int w = 0; w < 8; w++)
    if (whole || (row + w * step < M && column < N)) C[(row + w * step) * N + column] = sums[w];
}
)";

// A tile of 64 x 64 for 512 threads, eight products deep: each thread copies an element of A and
// one of B, and computes eight rows that follow each other.
constexpr const char* thread_1d_block = R"(
extern "C" __global__ void __launch_bounds__(512)
matmul_thread_1d_block(const float* __restrict__ A, const float* __restrict__ B,
                       float* __restrict__ C, int M, int N, int K) {
  __shared__ float As[64][8];
  __shared__ float Bs[8][64];
  int a_row = blockIdx.y * 64 + threadIdx.x / 8, a_k = threadIdx.x % 8;
  int b_k = threadIdx.x / 64, b_column = blockIdx.x * 64 + threadIdx.x % 64;
  int ty = threadIdx.x / 64 * 8;
  int tx = threadIdx.x % 64;

  float sums[8] = {};
  for (int k0 = 0; k0 < K; k0 += 8) {
    As[threadIdx.x / 8][a_k] = a_row < M && k0 + a_k < K ? A[a_row * K + k0 + a_k] : 0.0f;
    Bs[b_k][tx] = k0 + b_k < K && b_column < N ? B[(k0 + b_k) * N + b_column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 8; k++) {
      float b = Bs[k][tx];
      for (int i = 0; i < 8; i++)
        sums[i] += As[ty + i][k] * b;
    }
    __syncthreads();
  }
  int row = blockIdx.y * 64 + ty;
  int column = blockIdx.x * 64 + tx;
  for (int i = 0; i < 8; i++)
    if (row + i < M && column < N) C[(row + i) * N + column] = sums[i];
}
)";

// A tile of 128 x 128 for 256 threads, eight products deep: each thread computes 8 x 8 elements,
// and each step of k is eight elements of A, eight of B, and their 64 products.
constexpr const char* thread_2d = R"(
extern "C" __global__ void __launch_bounds__(256)
matmul_thread_2d(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                 int M, int N, int K) {
  __shared__ float As[128][8];
  __shared__ float Bs[8][128];
  int row0 = blockIdx.y * 128;
  int column0 = blockIdx.x * 128;
  int a_i = threadIdx.x / 8, a_k = threadIdx.x % 8;
  int b_k = threadIdx.x / 128, b_j = threadIdx.x % 128;
  int ty = threadIdx.x / 16 * 8;
  int tx = threadIdx.x % 16 * 8;

  float sums[8][8] = {};
  for (int k0 = 0; k0 < K; k0 += 8) {
    for (int s = 0; s < 128; s += 32) {
      int row = row0 + a_i + s, k = k0 + a_k;
      As[a_i + s][a_k] = row < M && k < K ? A[row * K + k] : 0.0f;
    }
    for (int s = 0; s < 8; s += 2) {
      int k = k0 + b_k + s, column = column0 + b_j;
      Bs[b_k + s][b_j] = k < K && column < N ? B[k * N + column] : 0.0f;
    }
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < 8; k++) {
      float a[8], b[8];
      for (int i = 0; i < 8; i++) a[i] = As[ty + i][k];
      for (int j = 0; j < 8; j++) b[j] = Bs[k][tx + j];
      for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
          sums[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) {
      int row = row0 + ty + i, column = column0 + tx + j;
      if (row < M && column < N) C[row * N + column] = sums[i][j];
    }
}
)";

// The same with four floats an access. A's tile is held transposed, so that the eight elements of a
// step of k lie side by side, like B's.
constexpr const char* vectorized = R"(
__device__ float4 load4(const float* from) { return *reinterpret_cast<const float4*>(from); }
__device__ void store4(float* to, float4 value) { *reinterpret_cast<float4*>(to) = value; }

extern "C" __global__ void __launch_bounds__(256)
matmul_vectorized(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                  int M, int N, int K) {
  __shared__ __align__(16) float As[8][128];
  __shared__ __align__(16) float Bs[8][128];
  int a_i = threadIdx.x / 2, a_k = threadIdx.x % 2 * 4;
  int b_k = threadIdx.x / 32, b_j = threadIdx.x % 32 * 4;
  int a_row = blockIdx.y * 128 + a_i;
  int b_column = blockIdx.x * 128 + b_j;
  int ty = threadIdx.x / 16 * 8;
  int tx = threadIdx.x % 16 * 8;
  const float4 zero = make_float4(0.0f, 0.0f, 0.0f, 0.0f);

  float sums[8][8] = {};
  for (int k0 = 0; k0 < K; k0 += 8) {
    float4 a4 = whole || (a_row < M && k0 + a_k < K) ? load4(&A[a_row * K + k0 + a_k]) : zero;
    As[a_k + 0][a_i] = a4.x;
    As[a_k + 1][a_i] = a4.y;
    As[a_k + 2][a_i] = a4.z;
    As[a_k + 3][a_i] = a4.w;
    store4(&Bs[b_k][b_j],
           whole || (k0 + b_k < K && b_column < N) ? load4(&B[(k0 + b_k) * N + b_column]) : zero);
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
      if (whole || (row < M && column < N)) store4(&C[row * N + column], c4);
    }
}
)";

HandwrittenKernel strided_rows(const char* rung, const Sizes& sizes, int tile) {
  return matmul_kernel(rung, "matmul_thread_1d",
                       whole_tiles(sizes, tile, tile, tile) +
                           fmt::format("constexpr int TS = {};\n", tile) + thread_1d,
                       matmul_dims(sizes, tile, {tile, tile / 8, 1}));
}

}  // namespace

std::vector<HandwrittenKernel> matmul_in_thread_tiles(const Sizes& sizes) {
  const LaunchDims large = matmul_dims(sizes, 128, {256, 1, 1});
  HandwrittenKernel by_vectors = matmul_kernel("vectorized", "matmul_vectorized",
                                               whole_tiles(sizes, 128, 128, 8) + vectorized, large);
  by_vectors.multiples_of_4 = {"N", "K"};
  return {
      strided_rows("thread-1d-16", sizes, 16),
      strided_rows("thread-1d-32", sizes, 32),
      matmul_kernel("thread-1d-block", "matmul_thread_1d_block", thread_1d_block,
                    matmul_dims(sizes, 64, {512, 1, 1})),
      matmul_kernel("thread-2d", "matmul_thread_2d", thread_2d, large),
      by_vectors,
  };
}

}  // namespace hone
