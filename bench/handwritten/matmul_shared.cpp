#include "bench/handwritten/matmul.h"
#include "fmt/format.h"

namespace hone {
namespace {

// Tiles of TS x TS: a thread copies an element of each, and computes one of C.
constexpr const char* shared_tiles = R"(
extern "C" __global__ void matmul_shared(const float* __restrict__ A, const float* __restrict__ B,
                                         float* __restrict__ C, int M, int N, int K) {
  __shared__ float As[TS][TS];
  __shared__ float Bs[TS][TS];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int column = blockIdx.x * TS + tx;
  int row = blockIdx.y * TS + ty;

  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += TS) {
    As[ty][tx] = whole || (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
    Bs[ty][tx] = whole || (k0 + ty < K && column < N) ? B[(k0 + ty) * N + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < TS; k++)
      sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (whole || (row < M && column < N)) C[row * N + column] = sum;
}
)";

// The compiler is told to unroll: three tiles at a time, and all products of a tile.
constexpr const char* unrolled = R"(
extern "C" __global__ void matmul_shared_unrolled(const float* __restrict__ A,
                                                  const float* __restrict__ B,
                                                  float* __restrict__ C, int M, int N, int K) {
  __shared__ float As[TS][TS];
  __shared__ float Bs[TS][TS];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int column = blockIdx.x * TS + tx;
  int row = blockIdx.y * TS + ty;

  float sum = 0.0f;
#pragma unroll 3
  for (int k0 = 0; k0 < K; k0 += TS) {
    As[ty][tx] = whole || (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
    Bs[ty][tx] = whole || (k0 + ty < K && column < N) ? B[(k0 + ty) * N + column] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TS; k++)
      sum += As[ty][k] * Bs[k][tx];
    __syncthreads();
  }
  if (whole || (row < M && column < N)) C[row * N + column] = sum;
}
)";

// The result of unrolling by three: ten turns, and two products more.
constexpr const char* unrolled_by_3 = R"(
extern "C" __global__ void matmul_shared_unrolled_by_3(const float* __restrict__ A,
                                                       const float* __restrict__ B,
                                                       float* __restrict__ C, int M, int N,
                                                       int K) {
  __shared__ float As[32][32];
  __shared__ float Bs[32][32];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int column = blockIdx.x * 32 + tx;
  int row = blockIdx.y * 32 + ty;

  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += 32) {
    As[ty][tx] = whole || (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
    Bs[ty][tx] = whole || (k0 + ty < K && column < N) ? B[(k0 + ty) * N + column] : 0.0f;
    __syncthreads();
    int k = 0;
    for (; k + 3 <= 32; k += 3) {
      sum += As[ty][k] * Bs[k][tx];
      sum += As[ty][k + 1] * Bs[k + 1][tx];
      sum += As[ty][k + 2] * Bs[k + 2][tx];
    }
    sum += As[ty][30] * Bs[30][tx];
    sum += As[ty][31] * Bs[31][tx];
    __syncthreads();
  }
  if (whole || (row < M && column < N)) C[row * N + column] = sum;
}
)";

// A sum of its own for each pair of tiles, added to the total.
constexpr const char* partial_sums = R"(
extern "C" __global__ void matmul_shared_partial_sums(const float* __restrict__ A,
                                                      const float* __restrict__ B,
                                                      float* __restrict__ C, int M, int N, int K) {
  __shared__ float As[32][32];
  __shared__ float Bs[32][32];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int column = blockIdx.x * 32 + tx;
  int row = blockIdx.y * 32 + ty;

  float total = 0.0f;
  for (int k0 = 0; k0 < K; k0 += 32) {
    As[ty][tx] = whole || (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
    Bs[ty][tx] = whole || (k0 + ty < K && column < N) ? B[(k0 + ty) * N + column] : 0.0f;
    __syncthreads();
    float sum = 0.0f;
    for (int k = 0; k < 32; k++)
      sum += As[ty][k] * Bs[k][tx];
    total += sum;
    __syncthreads();
  }
  if (whole || (row < M && column < N)) C[row * N + column] = total;
}
)";

// Neighbouring threads take neighbouring rows of C, and the tiles are held as the threads stand: a
// warp reads a column of As, which is one bank.
constexpr const char* conflicting = R"(
extern "C" __global__ void matmul_shared_conflicting(const float* __restrict__ A,
                                                     const float* __restrict__ B,
                                                     float* __restrict__ C, int M, int N, int K) {
  __shared__ float As[32][32];
  __shared__ float Bs[32][32];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row = blockIdx.x * 32 + tx;
  int column = blockIdx.y * 32 + ty;

  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += 32) {
    As[tx][ty] = whole || (row < M && k0 + ty < K) ? A[row * K + k0 + ty] : 0.0f;
    Bs[tx][ty] = whole || (k0 + tx < K && column < N) ? B[(k0 + tx) * N + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 32; k++)
      sum += As[tx][k] * Bs[k][ty];
    __syncthreads();
  }
  if (whole || (row < M && column < N)) C[row * N + column] = sum;
}
)";

// Neighbouring threads take neighbouring rows of C, and both tiles are held transposed: shared
// memory has no bank conflicts, but each lane reads and writes a row of its own in global memory.
constexpr const char* transposed = R"(
extern "C" __global__ void matmul_shared_transposed(const float* __restrict__ A,
                                                    const float* __restrict__ B,
                                                    float* __restrict__ C, int M, int N, int K) {
  __shared__ float As[32][32];
  __shared__ float Bs[32][32];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row = blockIdx.x * 32 + tx;
  int column = blockIdx.y * 32 + ty;

  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += 32) {
    As[ty][tx] = whole || (row < M && k0 + ty < K) ? A[row * K + k0 + ty] : 0.0f;
    Bs[ty][tx] = whole || (k0 + tx < K && column < N) ? B[(k0 + tx) * N + column] : 0.0f;
    __syncthreads();
    for (int k = 0; k < 32; k++)
      sum += As[k][tx] * Bs[ty][k];
    __syncthreads();
  }
  if (whole || (row < M && column < N)) C[row * N + column] = sum;
}
)";

// The products of a tile written out.
constexpr const char* unrolled_by_hand = R"(
extern "C" __global__ void matmul_shared_unrolled_by_hand(const float* __restrict__ A,
                                                          const float* __restrict__ B,
                                                          float* __restrict__ C, int M, int N,
                                                          int K) {
  __shared__ float As[32][32];
  __shared__ float Bs[32][32];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int column = blockIdx.x * 32 + tx;
  int row = blockIdx.y * 32 + ty;

  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += 32) {
    As[ty][tx] = whole || (row < M && k0 + tx < K) ? A[row * K + k0 + tx] : 0.0f;
    Bs[ty][tx] = whole || (k0 + ty < K && column < N) ? B[(k0 + ty) * N + column] : 0.0f;
    __syncthreads();
    sum += As[ty][0] * Bs[0][tx];
    sum += As[ty][1] * Bs[1][tx];
    sum += As[ty][2] * Bs[2][tx];
    sum += As[ty][3] * Bs[3][tx];
    sum += As[ty][4] * Bs[4][tx];
    sum += As[ty][5] * Bs[5][tx];
    sum += As[ty][6] * Bs[6][tx];
    sum += As[ty][7] * Bs[7][tx];
    sum += As[ty][8] * Bs[8][tx];
    sum += As[ty][9] * Bs[9][tx];
    sum += As[ty][10] * Bs[10][tx];
    sum += As[ty][11] * Bs[11][tx];
    sum += As[ty][12] * Bs[12][tx];
    sum += As[ty][13] * Bs[13][tx];
    sum += As[ty][14] * Bs[14][tx];
    sum += As[ty][15] * Bs[15][tx];
    sum += As[ty][16] * Bs[16][tx];
    sum += As[ty][17] * Bs[17][tx];
    sum += As[ty][18] * Bs[18][tx];
    sum += As[ty][19] * Bs[19][tx];
    sum += As[ty][20] * Bs[20][tx];
    sum += As[ty][21] * Bs[21][tx];
    sum += As[ty][22] * Bs[22][tx];
    sum += As[ty][23] * Bs[23][tx];
    sum += As[ty][24] * Bs[24][tx];
    sum += As[ty][25] * Bs[25][tx];
    sum += As[ty][26] * Bs[26][tx];
    sum += As[ty][27] * Bs[27][tx];
    sum += As[ty][28] * Bs[28][tx];
    sum += As[ty][29] * Bs[29][tx];
    sum += As[ty][30] * Bs[30][tx];
    sum += As[ty][31] * Bs[31][tx];
    __syncthreads();
  }
  if (whole || (row < M && column < N)) C[row * N + column] = sum;
}
)";

/// Tiles of so many rows and columns, which the source calls TS.
HandwrittenKernel squares(const char* rung, const char* entry, const char* source,
                          const Sizes& sizes, int tile) {
  return matmul_kernel(
      rung, entry,
      whole_tiles(sizes, tile, tile, tile) + fmt::format("constexpr int TS = {};\n", tile) + source,
      matmul_dims(sizes, tile, {tile, tile, 1}));
}

HandwrittenKernel of_32(const char* rung, const char* entry, const char* source,
                        const Sizes& sizes) {
  return squares(rung, entry, source, sizes, 32);
}

/// The rows of C lie along x.
HandwrittenKernel rows_along_x(HandwrittenKernel kernel) {
  LaunchDims& dims = kernel.launches.front().dims;
  std::swap(dims.grid[0], dims.grid[1]);
  return kernel;
}

}  // namespace

std::vector<HandwrittenKernel> matmul_in_shared_tiles(const Sizes& sizes) {
  const char* unrolled_entry = "matmul_shared_unrolled";
  return {
      squares("shared-8", "matmul_shared", shared_tiles, sizes, 8),
      squares("shared-16", "matmul_shared", shared_tiles, sizes, 16),
      squares("shared-32", "matmul_shared", shared_tiles, sizes, 32),
      of_32("shared-partial-sums", "matmul_shared_partial_sums", partial_sums, sizes),
      squares("shared-unrolled-8", unrolled_entry, unrolled, sizes, 8),
      squares("shared-unrolled-16", unrolled_entry, unrolled, sizes, 16),
      squares("shared-unrolled", unrolled_entry, unrolled, sizes, 32),
      of_32("shared-unrolled-by-3", "matmul_shared_unrolled_by_3", unrolled_by_3, sizes),
      rows_along_x(of_32("shared-conflicting", "matmul_shared_conflicting", conflicting, sizes)),
      rows_along_x(of_32("shared-transposed", "matmul_shared_transposed", transposed, sizes)),
      of_32("shared-unrolled-by-hand", "matmul_shared_unrolled_by_hand", unrolled_by_hand, sizes),
  };
}

}  // namespace hone
