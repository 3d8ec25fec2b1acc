// Operands from tiles in shared memory: a thread copies an element of each, and computes one of C.

#include "bench/handwritten/matmul.h"
#include "fmt/format.h"

namespace hone {
namespace {

// Tiles of TS x TS. PRODUCTS of a pair of tiles is what the kernels differ in.
constexpr const char* tiles_by_rows = R"(
extern "C" __global__ void matmul_shared(const real* __restrict__ A, const real* __restrict__ B,
                                         real* __restrict__ C, int M, int N, int K) {
  __shared__ real As[TS][TS];
  __shared__ real Bs[TS][TS];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int column = blockIdx.x * TS + tx;
  int row = blockIdx.y * TS + ty;

  real sum = 0;
UNROLL
  for (int k0 = 0; k0 < K; k0 += TS) {
    As[ty][tx] = whole || (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0;
    Bs[ty][tx] = whole || (k0 + ty < K && column < N) ? B[(k0 + ty) * N + column] : 0;
    __syncthreads();
PRODUCTS
    __syncthreads();
  }
  if (whole || (row < M && column < N)) C[row * N + column] = sum;
}
)";

constexpr const char* in_a_loop = R"(
    for (int k = 0; k < TS; k++)
      sum += As[ty][k] * Bs[k][tx];
)";

constexpr const char* unrolled = R"(
#pragma unroll
    for (int k = 0; k < TS; k++)
      sum += As[ty][k] * Bs[k][tx];
)";

// The result of unrolling by three: ten turns, and two products more.
constexpr const char* unrolled_by_3 = R"(
    int k = 0;
    for (; k + 3 <= 32; k += 3) {
      sum += As[ty][k] * Bs[k][tx];
      sum += As[ty][k + 1] * Bs[k + 1][tx];
      sum += As[ty][k + 2] * Bs[k + 2][tx];
    }
    sum += As[ty][30] * Bs[30][tx];
    sum += As[ty][31] * Bs[31][tx];
)";

// A sum of its own for each pair of tiles, added to the total.
constexpr const char* partial_sums = R"(
    real part = 0;
    for (int k = 0; k < TS; k++)
      part += As[ty][k] * Bs[k][tx];
    sum += part;
)";

std::string written_out(int tile) {
  std::string text;
  for (int k = 0; k < tile; ++k) text += fmt::format("    sum += As[ty][{0}] * Bs[{0}][tx];\n", k);
  return text;
}

// Neighbouring threads take neighbouring rows of C: each lane reads and writes a row of its own in
// global memory. AS(i, k) and BS(k, j) say how the tiles are held.
constexpr const char* tiles_by_columns = R"(
extern "C" __global__ void matmul_shared(const real* __restrict__ A, const real* __restrict__ B,
                                         real* __restrict__ C, int M, int N, int K) {
  __shared__ real As[TS][TS];
  __shared__ real Bs[TS][TS];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row = blockIdx.x * TS + tx;
  int column = blockIdx.y * TS + ty;

  real sum = 0;
  for (int k0 = 0; k0 < K; k0 += TS) {
    AS(tx, ty) = whole || (row < M && k0 + ty < K) ? A[row * K + k0 + ty] : 0;
    BS(tx, ty) = whole || (k0 + tx < K && column < N) ? B[(k0 + tx) * N + column] : 0;
    __syncthreads();
    for (int k = 0; k < TS; k++)
      sum += AS(tx, k) * BS(k, ty);
    __syncthreads();
  }
  if (whole || (row < M && column < N)) C[row * N + column] = sum;
}
)";

// As the threads stand: a warp reads a column of As, which is one bank.
constexpr const char* conflicting = R"(
#define AS(i, k) As[i][k]
#define BS(k, j) Bs[k][j]
)";

// Both tiles transposed: no bank conflicts.
constexpr const char* transposed = R"(
#define AS(i, k) As[k][i]
#define BS(k, j) Bs[j][k]
)";

std::string replaced(std::string text, std::string_view word, const std::string& by) {
  return text.replace(text.find(word), word.size(), by);
}

/// Squares of so many rows and columns, which the source calls TS.
HandwrittenKernel squares(const char* rung, const std::string& source, const Sizes& sizes, int tile,
                          const char* type = "float") {
  return matmul_kernel(rung, "matmul_shared",
                       whole_tiles(sizes, tile, tile, tile) + elements_of(type) +
                           fmt::format("constexpr int TS = {};\n", tile) + source,
                       matmul_dims(sizes, tile, {tile, tile, 1}));
}

std::string by_rows(const std::string& products, const char* unroll = "") {
  return replaced(replaced(tiles_by_rows, "UNROLL", unroll), "PRODUCTS", products);
}

/// The compiler is told to unroll: three pairs of tiles at a time, and all products of a pair.
HandwrittenKernel unrolled_squares(const char* rung, const Sizes& sizes, int tile) {
  return squares(rung, by_rows(unrolled, "#pragma unroll 3"), sizes, tile);
}

/// The rows of C lie along x.
HandwrittenKernel by_columns(const char* rung, const char* layout, const Sizes& sizes) {
  HandwrittenKernel kernel = squares(rung, std::string(layout) + tiles_by_columns, sizes, 32);
  LaunchDims& dims = kernel.launches.front().dims;
  std::swap(dims.grid[0], dims.grid[1]);
  return kernel;
}

}  // namespace

std::vector<HandwrittenKernel> matmul_in_shared_tiles(const Sizes& sizes) {
  return {
      squares("shared-8", by_rows(in_a_loop), sizes, 8),
      squares("shared-16", by_rows(in_a_loop), sizes, 16),
      squares("shared-32", by_rows(in_a_loop), sizes, 32),
      squares("shared-partial-sums", by_rows(partial_sums), sizes, 32),
      unrolled_squares("shared-unrolled-8", sizes, 8),
      unrolled_squares("shared-unrolled-16", sizes, 16),
      unrolled_squares("shared-unrolled", sizes, 32),
      squares("shared-unrolled-by-3", by_rows(unrolled_by_3), sizes, 32),
      by_columns("shared-conflicting", conflicting, sizes),
      by_columns("shared-transposed", transposed, sizes),
      squares("shared-unrolled-by-hand", by_rows(written_out(32)), sizes, 32),
  };
}

HandwrittenKernel matmul_in_double_tiles(const Sizes& sizes) {
  return squares("shared-32", by_rows(in_a_loop), sizes, 32, "double");
}

}  // namespace hone
