// Matrix products of column-major and of pitched matrices.

#include "bench/handwritten/handwritten.h"

namespace hone {
namespace {

// Columns of column-major matrices follow each other, or lie as far apart as they were allocated.
constexpr const char* dense_columns = R"(
#define PITCHES
#define LDA M
#define LDB K
#define LDC M
)";
constexpr const char* pitched_columns = R"(
#define PITCHES , int lda, int ldb, int ldc
#define LDA lda
#define LDB ldb
#define LDC ldc
)";

// Neighbouring elements of a column-major matrix lie in a column: neighbouring threads take
// neighbouring rows.
constexpr const char* column_major_global = R"(
extern "C" __global__ void matmul_column_major_global(const float* __restrict__ A,
                                                      const float* __restrict__ B,
                                                      float* __restrict__ C, int M, int N, int K PITCHES) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || column >= N) return;

  float sum = 0.0f;
  for (int k = 0; k < K; k++)
    sum += A[row + LDA * k] * B[k + LDB * column];
  C[row + LDC * column] = sum;
}
)";

constexpr const char* column_major_shared = R"(
extern "C" __global__ void matmul_column_major_shared(const float* __restrict__ A,
                                                      const float* __restrict__ B,
                                                      float* __restrict__ C, int M, int N, int K PITCHES) {
  __shared__ float As[32][32];  // [k][i]
  __shared__ float Bs[32][32];  // [j][k]
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row = blockIdx.x * 32 + tx;
  int column = blockIdx.y * 32 + ty;

  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += 32) {
    As[ty][tx] = row < M && k0 + ty < K ? A[row + LDA * (k0 + ty)] : 0.0f;
    Bs[ty][tx] = k0 + tx < K && column < N ? B[k0 + tx + LDB * column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 32; k++)
      sum += As[k][tx] * Bs[ty][k];
    __syncthreads();
  }
  if (row < M && column < N) C[row + LDC * column] = sum;
}
)";

// The row-major kernel with the parts of A and B exchanged.
constexpr const char* column_major_thread_2d = R"(
extern "C" __global__ void __launch_bounds__(256)
matmul_column_major_thread_2d(const float* __restrict__ A, const float* __restrict__ B,
                              float* __restrict__ C, int M, int N, int K PITCHES) {
  __shared__ float As[8][128];  // [k][i]
  __shared__ float Bs[128][8];  // [j][k]
  int row0 = blockIdx.x * 128;
  int column0 = blockIdx.y * 128;
  int a_k = threadIdx.x / 128, a_i = threadIdx.x % 128;
  int b_j = threadIdx.x / 8, b_k = threadIdx.x % 8;
  int tx = threadIdx.x % 16 * 8;
  int ty = threadIdx.x / 16 * 8;

  float sums[8][8] = {};  // [j][i]
  for (int k0 = 0; k0 < K; k0 += 8) {
    for (int s = 0; s < 8; s += 2) {
      int row = row0 + a_i, k = k0 + a_k + s;
      As[a_k + s][a_i] = row < M && k < K ? A[row + LDA * k] : 0.0f;
    }
    for (int s = 0; s < 128; s += 32) {
      int k = k0 + b_k, column = column0 + b_j + s;
      Bs[b_j + s][b_k] = k < K && column < N ? B[k + LDB * column] : 0.0f;
    }
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < 8; k++) {
      float a[8], b[8];
      for (int i = 0; i < 8; i++) a[i] = As[k][tx + i];
      for (int j = 0; j < 8; j++) b[j] = Bs[ty + j][k];
      for (int j = 0; j < 8; j++)
        for (int i = 0; i < 8; i++)
          sums[j][i] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int j = 0; j < 8; j++)
    for (int i = 0; i < 8; i++) {
      int row = row0 + tx + i, column = column0 + ty + j;
      if (row < M && column < N) C[row + LDC * column] = sums[j][i];
    }
}
)";

// Rows are as far apart as they were allocated.
constexpr const char* pitched_global = R"(
extern "C" __global__ void matmul_pitched_global(const float* __restrict__ A,
                                                 const float* __restrict__ B,
                                                 float* __restrict__ C, int M, int N, int K,
                                                 int lda, int ldb, int ldc) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || column >= N) return;

  float sum = 0.0f;
  for (int k = 0; k < K; k++)
    sum += A[row * lda + k] * B[k * ldb + column];
  C[row * ldc + column] = sum;
}
)";

constexpr const char* pitched_shared = R"(
extern "C" __global__ void matmul_pitched_shared(const float* __restrict__ A,
                                                 const float* __restrict__ B,
                                                 float* __restrict__ C, int M, int N, int K,
                                                 int lda, int ldb, int ldc) {
  __shared__ float As[32][32];
  __shared__ float Bs[32][32];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int column = blockIdx.x * 32 + tx;
  int row = blockIdx.y * 32 + ty;

  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += 32) {
    As[ty][tx] = row < M && k0 + tx < K ? A[row * lda + k0 + tx] : 0.0f;
    Bs[ty][tx] = k0 + ty < K && column < N ? B[(k0 + ty) * ldb + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 32; k++)
      sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row < M && column < N) C[row * ldc + column] = sum;
}
)";

constexpr const char* pitched_thread_2d = R"(
extern "C" __global__ void __launch_bounds__(256)
matmul_pitched_thread_2d(const float* __restrict__ A, const float* __restrict__ B,
                         float* __restrict__ C, int M, int N, int K, int lda, int ldb, int ldc) {
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
      As[a_i + s][a_k] = row < M && k < K ? A[row * lda + k] : 0.0f;
    }
    for (int s = 0; s < 8; s += 2) {
      int k = k0 + b_k + s, column = column0 + b_j;
      Bs[b_k + s][b_j] = k < K && column < N ? B[k * ldb + column] : 0.0f;
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
      if (row < M && column < N) C[row * ldc + column] = sums[i][j];
    }
}
)";

const std::vector<std::string> matrices = {"A", "B", "C"};

std::vector<HandwrittenKernel> of_columns(const Sizes& sizes, const std::string& columns,
                                          const std::vector<std::string>& params) {
  const int64_t M = sizes.at("M"), N = sizes.at("N");
  const LaunchDims small = {{tiles(M, 32), tiles(N, 32), 1}, {32, 32, 1}};
  const LaunchDims large = {{tiles(M, 128), tiles(N, 128), 1}, {256, 1, 1}};
  const auto kernel = [&](const char* rung, const char* entry, const char* source,
                          const LaunchDims& dims) -> HandwrittenKernel {
    return {rung, entry, columns + source, matrices, params, dims};
  };
  return {
      kernel("global", "matmul_column_major_global", column_major_global, small),
      kernel("shared-32", "matmul_column_major_shared", column_major_shared, small),
      kernel("thread-2d", "matmul_column_major_thread_2d", column_major_thread_2d, large),
  };
}

}  // namespace

std::vector<HandwrittenKernel> handwritten_matmul_column_major(const Sizes& sizes) {
  return of_columns(sizes, dense_columns, {"M", "N", "K"});
}

std::vector<HandwrittenKernel> handwritten_matmul_pitched_columns(const Sizes& sizes) {
  return of_columns(sizes, pitched_columns, {"M", "N", "K", "lda", "ldb", "ldc"});
}

std::vector<HandwrittenKernel> handwritten_matmul_pitched(const Sizes& sizes) {
  const int64_t M = sizes.at("M"), N = sizes.at("N");
  const LaunchDims small = {{tiles(N, 32), tiles(M, 32), 1}, {32, 32, 1}};
  const LaunchDims large = {{tiles(N, 128), tiles(M, 128), 1}, {256, 1, 1}};
  const std::vector<std::string> params = {"M", "N", "K", "lda", "ldb", "ldc"};
  return {
      {"global", "matmul_pitched_global", pitched_global, matrices, params, small},
      {"shared-32", "matmul_pitched_shared", pitched_shared, matrices, params, small},
      {"thread-2d", "matmul_pitched_thread_2d", pitched_thread_2d, matrices, params, large},
  };
}

}  // namespace hone
