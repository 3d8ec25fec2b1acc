// Matrix products with scale factors, and of transposed matrices.

#include "bench/handwritten/matmul.h"

namespace hone {
namespace {

constexpr const char* gemm_global = R"(
extern "C" __global__ void gemm_global(const float* __restrict__ alpha,
                                       const float* __restrict__ beta,
                                       const float* __restrict__ A, const float* __restrict__ B,
                                       const float* __restrict__ C, float* __restrict__ D, int M,
                                       int N, int K) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || column >= N) return;

  float sum = 0.0f;
  for (int k = 0; k < K; k++)
    sum += A[row * K + k] * B[k * N + column];
  D[row * N + column] = alpha[0] * sum + beta[0] * C[row * N + column];
}
)";

constexpr const char* gemm_shared = R"(
extern "C" __global__ void gemm_shared(const float* __restrict__ alpha,
                                       const float* __restrict__ beta,
                                       const float* __restrict__ A, const float* __restrict__ B,
                                       const float* __restrict__ C, float* __restrict__ D, int M,
                                       int N, int K) {
  __shared__ float As[32][32];
  __shared__ float Bs[32][32];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int column = blockIdx.x * 32 + tx;
  int row = blockIdx.y * 32 + ty;

  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += 32) {
    As[ty][tx] = row < M && k0 + tx < K ? A[row * K + k0 + tx] : 0.0f;
    Bs[ty][tx] = k0 + ty < K && column < N ? B[(k0 + ty) * N + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 32; k++)
      sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (row < M && column < N)
    D[row * N + column] = alpha[0] * sum + beta[0] * C[row * N + column];
}
)";

constexpr const char* gemm_thread_2d = R"(
extern "C" __global__ void __launch_bounds__(256)
gemm_thread_2d(const float* __restrict__ alpha, const float* __restrict__ beta,
               const float* __restrict__ A, const float* __restrict__ B,
               const float* __restrict__ C, float* __restrict__ D, int M, int N, int K) {
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
  float scale = alpha[0], share = beta[0];
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) {
      int row = row0 + ty + i, column = column0 + tx + j;
      if (row < M && column < N)
        D[row * N + column] = scale * sums[i][j] + share * C[row * N + column];
    }
}
)";

// A warp reads an element from each of 32 rows of B.
constexpr const char* transposed_global = R"(
extern "C" __global__ void matmul_transposed_global(const float* __restrict__ A,
                                                    const float* __restrict__ B,
                                                    float* __restrict__ C, int M, int N, int K) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || column >= N) return;

  float sum = 0.0f;
  for (int k = 0; k < K; k++)
    sum += A[k * M + row] * B[column * K + k];
  C[row * N + column] = sum;
}
)";

// Both tiles are copied as they lie. The products walk down the columns of B's, whose rows are one
// element longer than the banks of shared memory.
constexpr const char* transposed_shared = R"(
extern "C" __global__ void matmul_transposed_shared(const float* __restrict__ A,
                                                    const float* __restrict__ B,
                                                    float* __restrict__ C, int M, int N, int K) {
  __shared__ float As[32][32];      // [k][i]
  __shared__ float Bs[32][32 + 1];  // [j][k]
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int column0 = blockIdx.x * 32;
  int row0 = blockIdx.y * 32;

  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += 32) {
    As[ty][tx] = k0 + ty < K && row0 + tx < M ? A[(k0 + ty) * M + row0 + tx] : 0.0f;
    Bs[ty][tx] = column0 + ty < N && k0 + tx < K ? B[(column0 + ty) * K + k0 + tx] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 32; k++)
      sum += As[k][ty] * Bs[tx][k];
    __syncthreads();
  }
  if (row0 + ty < M && column0 + tx < N) C[(row0 + ty) * N + column0 + tx] = sum;
}
)";

// B's tile is transposed on the way to shared memory. Rows that are four elements longer than the
// banks keep the eight k and four j that a warp stores apart.
constexpr const char* transposed_thread_2d = R"(
extern "C" __global__ void __launch_bounds__(256)
matmul_transposed_thread_2d(const float* __restrict__ A, const float* __restrict__ B,
                            float* __restrict__ C, int M, int N, int K) {
  __shared__ float As[8][128];      // [k][i]
  __shared__ float Bs[8][128 + 4];  // [k][j]
  int row0 = blockIdx.y * 128;
  int column0 = blockIdx.x * 128;
  int a_k = threadIdx.x / 128, a_i = threadIdx.x % 128;
  int b_j = threadIdx.x / 8, b_k = threadIdx.x % 8;
  int ty = threadIdx.x / 16 * 8;
  int tx = threadIdx.x % 16 * 8;

  float sums[8][8] = {};
  for (int k0 = 0; k0 < K; k0 += 8) {
    for (int s = 0; s < 8; s += 2) {
      int k = k0 + a_k + s, row = row0 + a_i;
      As[a_k + s][a_i] = k < K && row < M ? A[k * M + row] : 0.0f;
    }
    for (int s = 0; s < 128; s += 32) {
      int column = column0 + b_j + s, k = k0 + b_k;
      Bs[b_k][b_j + s] = column < N && k < K ? B[column * K + k] : 0.0f;
    }
    __syncthreads();
    for (int k = 0; k < 8; k++) {
      float a[8], b[8];
      for (int i = 0; i < 8; i++) a[i] = As[k][ty + i];
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

}  // namespace

std::vector<HandwrittenKernel> handwritten_gemm(const Sizes& sizes) {
  const std::vector<std::string> tensors = {"alpha", "beta", "A", "B", "C", "D"};
  const std::vector<std::string> params = {"M", "N", "K"};
  const LaunchDims squares = matmul_dims(sizes, 32, {32, 32, 1});
  return {
      {"global", "gemm_global", gemm_global, tensors, params, squares},
      {"shared-32", "gemm_shared", gemm_shared, tensors, params, squares},
      {"thread-2d", "gemm_thread_2d", gemm_thread_2d, tensors, params,
       matmul_dims(sizes, 128, {256, 1, 1})},
  };
}

std::vector<HandwrittenKernel> handwritten_matmul_transposed(const Sizes& sizes) {
  const LaunchDims squares = matmul_dims(sizes, 32, {32, 32, 1});
  return {
      matmul_kernel("global", "matmul_transposed_global", transposed_global, squares),
      matmul_kernel("shared-32", "matmul_transposed_shared", transposed_shared, squares),
      matmul_kernel("thread-2d", "matmul_transposed_thread_2d", transposed_thread_2d,
                    matmul_dims(sizes, 128, {256, 1, 1})),
  };
}

}  // namespace hone
