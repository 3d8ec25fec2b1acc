#include "bench/handwritten/matmul.h"

#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

// A row of C is a block's, a column a thread's. The pointers are restricted, so the sum that is
// written as one in memory is kept in a register.
constexpr const char* rows_to_blocks = R"(
extern "C" __global__ void matmul_bind(const float* __restrict__ A, const float* __restrict__ B,
                                       float* __restrict__ C, int M, int N, int K) {
  int row = blockIdx.x;
  int column = threadIdx.x;
  C[row * N + column] = 0.0f;
  for (int k = 0; k < K; k++)
    C[row * N + column] += A[row * K + k] * B[k * N + column];
}
)";

// The same for rows that have more columns than a block can have threads.
constexpr const char* wide_rows_to_blocks = R"(
extern "C" __global__ void matmul_bind(const float* __restrict__ A, const float* __restrict__ B,
                                       float* __restrict__ C, int M, int N, int K) {
  int row = blockIdx.x;
  int column = blockIdx.y * blockDim.x + threadIdx.x;
  if (column >= N) return;
  C[row * N + column] = 0.0f;
  for (int k = 0; k < K; k++)
    C[row * N + column] += A[row * K + k] * B[k * N + column];
}
)";

// One element of C per thread. The pointers may overlap, so each step of k loads and stores C.
constexpr const char* global_accumulate = R"(
extern "C" __global__ void matmul_global_accumulate(const float* A, const float* B, float* C,
                                                    int M, int N, int K) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || column >= N) return;

  C[row * N + column] = 0.0f;
  for (int k = 0; k < K; k++)
    C[row * N + column] += A[row * K + k] * B[k * N + column];
}
)";

// The sum in a local variable, and one store.
constexpr const char* register_accumulate = R"(
extern "C" __global__ void matmul_register_accumulate(const float* A, const float* B, float* C,
                                                      int M, int N, int K) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || column >= N) return;

  float sum = 0.0f;
  for (int k = 0; k < K; k++)
    sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = sum;
}
)";

// global_accumulate with pointers that promise not to overlap.
constexpr const char* restrict_pointers = R"(
extern "C" __global__ void matmul_restrict(const float* __restrict__ A,
                                           const float* __restrict__ B, float* __restrict__ C,
                                           int M, int N, int K) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || column >= N) return;

  C[row * N + column] = 0.0f;
  for (int k = 0; k < K; k++)
    C[row * N + column] += A[row * K + k] * B[k * N + column];
}
)";

constexpr int64_t max_threads = 1024;

HandwrittenKernel bind(int64_t M, int64_t N) {
  if (N <= max_threads)
    return matmul_kernel("bind", "matmul_bind", rows_to_blocks, {{M, 1, 1}, {N, 1, 1}});
  return matmul_kernel("bind", "matmul_bind", wide_rows_to_blocks,
                       {{M, tiles(N, max_threads), 1}, {max_threads, 1, 1}});
}

}  // namespace

std::vector<HandwrittenKernel> handwritten_matmul(const Sizes& sizes) {
  const LaunchDims squares = matmul_dims(sizes, 32, {32, 32, 1});
  std::vector<HandwrittenKernel> kernels = {
      bind(sizes.at("M"), sizes.at("N")),
      matmul_kernel("global-accumulate", "matmul_global_accumulate", global_accumulate, squares),
      matmul_kernel("register-accumulate", "matmul_register_accumulate", register_accumulate,
                    squares),
      matmul_kernel("restrict", "matmul_restrict", restrict_pointers, squares),
  };
  llvm::append_range(kernels, matmul_in_shared_tiles(sizes));
  llvm::append_range(kernels, matmul_in_thread_tiles(sizes));
  return kernels;
}

}  // namespace hone
