#include "bench/handwritten/transpose.h"

namespace hone {
namespace {

// Code that the kernels below share. A thread takes 4 x 4 elements: four vectors of four rows come
// in, and go into shared memory as four vectors of four columns. There the tile lies transposed, a
// column of A a row, in chunks of four elements; chunk c of row j stands at c ^ (j / 4 & 7), so
// that the eight lanes that are served at once hit all banks, storing and loading.
constexpr const char* vectors = R"(
__device__ float4 load4(const float* from) { return *reinterpret_cast<const float4*>(from); }
__device__ void store4(float* to, float4 value) { *reinterpret_cast<float4*>(to) = value; }

template <int TILE>
struct Tile {
  float4 chunks[TILE][TILE / 4];
  // The elements i .. i + 3 of column j of A's tile.
  __device__ float4& at(int i, int j) { return chunks[j][i / 4 ^ (j / 4 & 7)]; }
};

// Takes 4 x 4 elements of A to the tile: those at (i, j) of it, which lie at `from`.
template <int TILE>
__device__ void load_micro_tile(Tile<TILE>& tile, int i, int j, const float* from, int N) {
  float4 a = load4(from), b = load4(from + N), c = load4(from + 2 * N), d = load4(from + 3 * N);
  tile.at(i, j + 0) = make_float4(a.x, b.x, c.x, d.x);
  tile.at(i, j + 1) = make_float4(a.y, b.y, c.y, d.y);
  tile.at(i, j + 2) = make_float4(a.z, b.z, c.z, d.z);
  tile.at(i, j + 3) = make_float4(a.w, b.w, c.w, d.w);
}

// Takes them from the tile to B, whose rows are columns of A.
template <int TILE>
__device__ void store_micro_tile(float* to, int M, Tile<TILE>& tile, int i, int j) {
  for (int s = 0; s < 4; s++) store4(to + s * M, tile.at(i, j + s));
}
)";

// A tile of 32 x 32 for 64 threads, eight along a row.
constexpr const char* vectorized = R"(
extern "C" __global__ void __launch_bounds__(64)
transpose_vectorized(const float* __restrict__ A, float* __restrict__ B, int M, int N) {
  __shared__ Tile<32> tile;
  int column0 = blockIdx.x * 32;
  int row0 = blockIdx.y * 32;
  int along = threadIdx.x % 8 * 4;
  int across = threadIdx.x / 8 * 4;

  if (row0 + across < M && column0 + along < N)
    load_micro_tile(tile, across, along, &A[(row0 + across) * N + column0 + along], N);
  __syncthreads();
  if (column0 + across < N && row0 + along < M)
    store_micro_tile(&B[(column0 + across) * M + row0 + along], M, tile, along, across);
}
)";

// A tile of 64 x 64 for 256 threads. A warp is 8 x 4 micro tiles, and two warps lie along a row.
constexpr const char* tile_64 = R"(
extern "C" __global__ void __launch_bounds__(256)
transpose_tile_64(const float* __restrict__ A, float* __restrict__ B, int M, int N) {
  __shared__ Tile<64> tile;
  int column0 = blockIdx.x * 64;
  int row0 = blockIdx.y * 64;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int along = (warp % 2 * 8 + lane % 8) * 4;
  int across = (warp / 2 * 4 + lane / 8) * 4;

  if (row0 + across < M && column0 + along < N)
    load_micro_tile(tile, across, along, &A[(row0 + across) * N + column0 + along], N);
  __syncthreads();
  if (column0 + across < N && row0 + along < M)
    store_micro_tile(&B[(column0 + across) * M + row0 + along], M, tile, along, across);
}
)";

// Blocks that follow each other walk down the rows of A: they write B in order.
constexpr const char* raster = R"(
extern "C" __global__ void __launch_bounds__(256)
transpose_raster(const float* __restrict__ A, float* __restrict__ B, int M, int N) {
  __shared__ Tile<64> tile;
  int column0 = blockIdx.y * 64;
  int row0 = blockIdx.x * 64;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int along = (warp % 2 * 8 + lane % 8) * 4;
  int across = (warp / 2 * 4 + lane / 8) * 4;

  if (row0 + across < M && column0 + along < N)
    load_micro_tile(tile, across, along, &A[(row0 + across) * N + column0 + along], N);
  __syncthreads();
  if (column0 + across < N && row0 + along < M)
    store_micro_tile(&B[(column0 + across) * M + row0 + along], M, tile, along, across);
}
)";

// A warp is 16 x 2 micro tiles: it moves 256 bytes of a row at once, on both sides.
constexpr const char* lanes_16x2 = R"(
extern "C" __global__ void __launch_bounds__(256)
transpose_lanes_16x2(const float* __restrict__ A, float* __restrict__ B, int M, int N) {
  __shared__ Tile<64> tile;
  int column0 = blockIdx.y * 64;
  int row0 = blockIdx.x * 64;
  int along = threadIdx.x % 16 * 4;
  int across = threadIdx.x / 16 * 4;

  if (row0 + across < M && column0 + along < N)
    load_micro_tile(tile, across, along, &A[(row0 + across) * N + column0 + along], N);
  __syncthreads();
  if (column0 + across < N && row0 + along < M)
    store_micro_tile(&B[(column0 + across) * M + row0 + along], M, tile, along, across);
}
)";

HandwrittenKernel kernel(const char* rung, const char* entry, const char* source,
                         const LaunchDims& dims) {
  return {rung, entry, std::string(vectors) + source, {"A", "B"}, {"M", "N"}, dims, {"M", "N"}};
}

}  // namespace

std::vector<HandwrittenKernel> transpose_by_vectors(const Sizes& sizes) {
  const int64_t M = sizes.at("M"), N = sizes.at("N");
  const LaunchDims small = {{tiles(N, 32), tiles(M, 32), 1}, {64, 1, 1}};
  const LaunchDims by_rows = {{tiles(N, 64), tiles(M, 64), 1}, {256, 1, 1}};
  const LaunchDims by_columns = {{tiles(M, 64), tiles(N, 64), 1}, {256, 1, 1}};
  return {
      kernel("vectorized", "transpose_vectorized", vectorized, small),
      kernel("tile-64", "transpose_tile_64", tile_64, by_rows),
      kernel("raster", "transpose_raster", raster, by_columns),
      kernel("lanes-16x2", "transpose_lanes_16x2", lanes_16x2, by_columns),
  };
}

}  // namespace hone
