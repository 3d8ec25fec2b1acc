#include "bench/handwritten/transpose.h"

#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

// A warp reads a piece of a row, and writes its elements a row apart.
constexpr const char* naive = R"(
extern "C" __global__ void transpose_naive(const float* __restrict__ A, float* __restrict__ B,
                                           int M, int N) {
  int column = blockIdx.x * 32 + threadIdx.x;
  int row = blockIdx.y * 32 + threadIdx.y;
  if (row < M && column < N) B[column * M + row] = A[row * N + column];
}
)";

// A tile goes through shared memory, so that both sides move pieces of rows. A warp reads a column
// of the tile, all of it in one bank.
constexpr const char* tiled = R"(
extern "C" __global__ void transpose_tiled(const float* __restrict__ A, float* __restrict__ B,
                                           int M, int N) {
  __shared__ float tile[32][32];
  int column0 = blockIdx.x * 32;
  int row0 = blockIdx.y * 32;
  int tx = threadIdx.x;
  int ty = threadIdx.y;

  for (int i = 0; i < 32; i += 8)
    if (row0 + ty + i < M && column0 + tx < N)
      tile[ty + i][tx] = A[(row0 + ty + i) * N + column0 + tx];
  __syncthreads();
  for (int i = 0; i < 32; i += 8)
    if (column0 + ty + i < N && row0 + tx < M)
      B[(column0 + ty + i) * M + row0 + tx] = tile[tx][ty + i];
}
)";

// Rows of 33 elements: those of a column lie in different banks.
constexpr const char* padded = R"(
extern "C" __global__ void transpose_padded(const float* __restrict__ A, float* __restrict__ B,
                                            int M, int N) {
  __shared__ float tile[32][32 + 1];
  int column0 = blockIdx.x * 32;
  int row0 = blockIdx.y * 32;
  int tx = threadIdx.x;
  int ty = threadIdx.y;

  for (int i = 0; i < 32; i += 8)
    if (row0 + ty + i < M && column0 + tx < N)
      tile[ty + i][tx] = A[(row0 + ty + i) * N + column0 + tx];
  __syncthreads();
  for (int i = 0; i < 32; i += 8)
    if (column0 + ty + i < N && row0 + tx < M)
      B[(column0 + ty + i) * M + row0 + tx] = tile[tx][ty + i];
}
)";

// The elements of row r change places, c with c ^ r: the same without the memory.
constexpr const char* swizzled = R"(
extern "C" __global__ void transpose_swizzled(const float* __restrict__ A, float* __restrict__ B,
                                              int M, int N) {
  __shared__ float tile[32][32];
  int column0 = blockIdx.x * 32;
  int row0 = blockIdx.y * 32;
  int tx = threadIdx.x;
  int ty = threadIdx.y;

  for (int i = 0; i < 32; i += 8)
    if (row0 + ty + i < M && column0 + tx < N)
      tile[ty + i][tx ^ (ty + i)] = A[(row0 + ty + i) * N + column0 + tx];
  __syncthreads();
  for (int i = 0; i < 32; i += 8)
    if (column0 + ty + i < N && row0 + tx < M)
      B[(column0 + ty + i) * M + row0 + tx] = tile[tx][(ty + i) ^ tx];
}
)";

}  // namespace

std::vector<HandwrittenKernel> transpose_by_elements(const Sizes& sizes) {
  const std::array<int64_t, 3> grid = {tiles(sizes.at("N"), 32), tiles(sizes.at("M"), 32), 1};
  const LaunchDims squares = {grid, {32, 32, 1}}, strips = {grid, {32, 8, 1}};
  const std::vector<std::string> tensors = {"A", "B"}, params = {"M", "N"};
  return {
      {"naive", "transpose_naive", naive, tensors, params, squares},
      {"tiled", "transpose_tiled", tiled, tensors, params, strips},
      {"padded", "transpose_padded", padded, tensors, params, strips},
      {"swizzled", "transpose_swizzled", swizzled, tensors, params, strips},
  };
}

std::vector<HandwrittenKernel> handwritten_transpose(const Sizes& sizes) {
  std::vector<HandwrittenKernel> kernels = transpose_by_elements(sizes);
  llvm::append_range(kernels, transpose_by_vectors(sizes));
  return kernels;
}

}  // namespace hone
