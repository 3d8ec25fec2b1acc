// B(j, i) = A(i, j)
// s.assume_aligned(A, 16);
// s.assume_aligned(B, 16);
// auto [block_column, block_row, j_1, i_1] = s.tile({j, i}, {32, 32}, {.names = {"block_column", "block_row", nullptr, nullptr}});
// s.bind(block_column, block.x);
// s.bind(block_row, block.y);
// auto A_shared = s.cache_shared(A, block_row, {.layout = Layout::order({1, 0}).swizzle({.chunk = 4, .period = 8, .rows = 4})});
// auto [A_shared_0, A_shared_1] = s.copy_loops(A_shared);
// auto [load_tile_row, load_tile_column, load_row, load_column] = s.tile({A_shared_0, A_shared_1}, {4, 4}, {.names = {"load_tile_row", "load_tile_column", "load_row", "load_column"}});
// Axis load_tile_row_load_tile_column = s.fuse(load_tile_row, load_tile_column);
// s.bind(load_tile_row_load_tile_column, thread.x);
// s.reorder({load_column, load_row});
// s.cache_registers(A, load_tile_row_load_tile_column, {.vectorize = 4});
// s.vectorize(load_row);
// auto [tile_column, tile_row, column, row] = s.tile({j_1, i_1}, {4, 4}, {.names = {"tile_column", "tile_row", "column", "row"}});
// Axis tile_column_tile_row = s.fuse(tile_column, tile_row);
// s.bind(tile_column_tile_row, thread.x);
// s.unroll(column);
// s.vectorize(row);
//
// launch: grid ((N + 31) / 32, (M + 31) / 32, 1), block (64, 1, 1), 4096 bytes of shared memory

extern "C" __global__ void __launch_bounds__(64)
transpose(const float* __restrict__ A, float* __restrict__ B, int N, int M) {
  __shared__ __align__(16) float A_shared[32][32];
  const int block_column = blockIdx.x;
  const int block_row = blockIdx.y;
  const int load_tile_row = threadIdx.x / 8;
  const int load_tile_column = threadIdx.x % 8;
  float A_reg[4][4];
  #pragma unroll
  for (int A_reg_at = 0; A_reg_at < 4; ++A_reg_at) {
    __align__(16) float A_vec[4];
    *reinterpret_cast<float4*>(A_vec) =
        (block_row * 32 + load_tile_row * 4 + A_reg_at < M && block_column * 32 + load_tile_column * 4 < N) ? *reinterpret_cast<const float4*>(&A[(block_row * 32 + load_tile_row * 4 + A_reg_at) * N + block_column * 32 + load_tile_column * 4]) : float4{};
    #pragma unroll
    for (int A_reg_v = 0; A_reg_v < 4; ++A_reg_v) {
      A_reg[A_reg_at][A_reg_v] = A_vec[A_reg_v];
    }
  }
  #pragma unroll
  for (int load_column = 0; load_column < 4; ++load_column) {
    __align__(16) float A_shared_vec[4];
    #pragma unroll
    for (int load_row = 0; load_row < 4; ++load_row) {
      A_shared_vec[load_row] = A_reg[load_row][load_column];
    }
    *reinterpret_cast<float4*>(&A_shared[load_tile_column * 4 + load_column][load_tile_row * 4 ^ load_tile_column * 4]) =
        *reinterpret_cast<const float4*>(A_shared_vec);
  }
  __syncthreads();
  const int tile_column = threadIdx.x / 8;
  const int tile_row = threadIdx.x % 8;
  const int j = block_column * 32 + tile_column * 4;
  const int i = block_row * 32 + tile_row * 4;
  if (j < N && i < M) {
    #pragma unroll
    for (int column = 0; column < 4; ++column) {
      *reinterpret_cast<float4*>(&B[(j + column) * M + i]) =
          *reinterpret_cast<const float4*>(&A_shared[tile_column * 4 + column][tile_row * 4 ^ tile_column * 4]);
    }
  }
}
