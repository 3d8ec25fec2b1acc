#include "bench/handwritten/matmul.h"

#include "fmt/format.h"
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

// The same for rows that have more columns than a block can have threads: the pieces of a row
// follow each other.
constexpr const char* wide_rows_to_blocks = R"(
extern "C" __global__ void matmul_bind(const float* __restrict__ A, const float* __restrict__ B,
                                       float* __restrict__ C, int M, int N, int K) {
  int row = blockIdx.y;
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column >= N) return;
  C[row * N + column] = 0.0f;
  for (int k = 0; k < K; k++)
    C[row * N + column] += A[row * K + k] * B[k * N + column];
}
)";

// One element of C per thread. If the pointers may overlap, each step of k loads and stores C.
constexpr const char* global_accumulate = R"(
extern "C" __global__ void matmul_global_accumulate(const real* POINTER A, const real* POINTER B,
                                                    real* POINTER C, int M, int N, int K) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || column >= N) return;

  C[row * N + column] = 0;
  for (int k = 0; k < K; k++)
    C[row * N + column] += A[row * K + k] * B[k * N + column];
}
)";

// The sum in a local variable, and one store.
constexpr const char* register_accumulate = R"(
extern "C" __global__ void matmul_register_accumulate(const real* POINTER A, const real* POINTER B,
                                                      real* POINTER C, int M, int N, int K) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || column >= N) return;

  real sum = 0;
  for (int k = 0; k < K; k++)
    sum += A[row * K + k] * B[k * N + column];
  C[row * N + column] = sum;
}
)";

// One block, whose threads take elements 32 rows and columns apart in turns.
constexpr const char* one_block = R"(
extern "C" __global__ void matmul_one_block(const float* __restrict__ A,
                                            const float* __restrict__ B, float* __restrict__ C,
                                            int M, int N, int K) {
  for (int row = threadIdx.y; row < M; row += 32)
    for (int column = threadIdx.x; column < N; column += 32) {
      float sum = 0.0f;
      for (int k = 0; k < K; k++)
        sum += A[row * K + k] * B[k * N + column];
      C[row * N + column] = sum;
    }
}
)";

// ROWS x COLUMNS elements a thread, straight from global memory.
constexpr const char* thread_tile = R"(
extern "C" __global__ void matmul_thread_tile(const float* __restrict__ A,
                                              const float* __restrict__ B, float* __restrict__ C,
                                              int M, int N, int K) {
  int row = blockIdx.y * 32 + threadIdx.y * ROWS;
  int column = blockIdx.x * 32 + threadIdx.x * COLUMNS;
  float sums[ROWS][COLUMNS] = {};
  for (int k = 0; k < K; k++) {
    float a[ROWS], b[COLUMNS];
    for (int i = 0; i < ROWS; i++) a[i] = row + i < M ? A[(row + i) * K + k] : 0.0f;
    for (int j = 0; j < COLUMNS; j++) b[j] = column + j < N ? B[k * N + column + j] : 0.0f;
    for (int i = 0; i < ROWS; i++)
      for (int j = 0; j < COLUMNS; j++)
        sums[i][j] += a[i] * b[j];
  }
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      if (row + i < M && column + j < N) C[(row + i) * N + column + j] = sums[i][j];
}
)";

HandwrittenKernel tile_of_a_thread(const char* rung, const Sizes& sizes, int rows, int columns) {
  return matmul_kernel(
      rung, "matmul_thread_tile",
      fmt::format("constexpr int ROWS = {}, COLUMNS = {};\n", rows, columns) + thread_tile,
      matmul_dims(sizes, 32, {32 / columns, 32 / rows, 1}));
}

// Pointers that may overlap, or that promise not to.
constexpr const char* plain = "#define POINTER\n";
constexpr const char* restricted = "#define POINTER __restrict__\n";

/// One element of C per thread, in squares.
HandwrittenKernel one_element(const char* rung, const char* entry, const char* type,
                              const std::string& source, const Sizes& sizes) {
  return matmul_kernel(rung, entry, elements_of(type) + source,
                       matmul_dims(sizes, 32, {32, 32, 1}));
}

/// Of elements of that type.
HandwrittenKernel accumulating(const char* rung, const char* type, const char* pointers,
                               const Sizes& sizes) {
  return one_element(rung, "matmul_global_accumulate", type,
                     std::string(pointers) + global_accumulate, sizes);
}
HandwrittenKernel with_sum_in_register(const char* type, const char* pointers, const Sizes& sizes) {
  return one_element("register-accumulate", "matmul_register_accumulate", type,
                     std::string(pointers) + register_accumulate, sizes);
}

constexpr int64_t max_threads = 1024;

HandwrittenKernel bind(int64_t M, int64_t N) {
  if (N <= max_threads)
    return matmul_kernel("bind", "matmul_bind", rows_to_blocks, {{M, 1, 1}, {N, 1, 1}});
  return matmul_kernel("bind", "matmul_bind", wide_rows_to_blocks,
                       {{tiles(N, max_threads), M, 1}, {max_threads, 1, 1}});
}

}  // namespace

std::string whole_tiles(const Sizes& sizes, int64_t M, int64_t N, int64_t K) {
  const bool whole = sizes.at("M") % M == 0 && sizes.at("N") % N == 0 && sizes.at("K") % K == 0;
  return fmt::format("constexpr bool whole = {};\n", whole);
}

std::string elements_of(const char* type) { return fmt::format("using real = {};\n", type); }

std::vector<HandwrittenKernel> handwritten_matmul(const Sizes& sizes) {
  std::vector<HandwrittenKernel> kernels = {
      bind(sizes.at("M"), sizes.at("N")),
      accumulating("global-accumulate", "float", plain, sizes),
      with_sum_in_register("float", plain, sizes),
      accumulating("restrict", "float", restricted, sizes),
      matmul_kernel("one-block", "matmul_one_block", one_block, {{1, 1, 1}, {32, 32, 1}}),
      tile_of_a_thread("thread-4x1", sizes, 4, 1),
      tile_of_a_thread("thread-2x2", sizes, 2, 2),
  };
  llvm::append_range(kernels, matmul_in_shared_tiles(sizes));
  llvm::append_range(kernels, matmul_in_thread_tiles(sizes));
  return kernels;
}

std::vector<HandwrittenKernel> handwritten_matmul_double(const Sizes& sizes) {
  return {accumulating("global-accumulate", "double", plain, sizes),
          with_sum_in_register("double", restricted, sizes), matmul_in_double_tiles(sizes)};
}

}  // namespace hone
