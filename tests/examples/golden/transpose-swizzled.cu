// B(j, i) = A(i, j)
// auto [block_column, block_row, j_1, row] = s.tile({j, i}, {32, 32}, {.names = {"block_column", "block_row", nullptr, "row"}});
// auto [part, column] = s.split(j_1, 8, {.names = {"part", "column"}});
// s.bind(block_column, block.x);
// s.bind(block_row, block.y);
// s.bind(column, thread.y);
// s.bind(row, thread.x);
// auto A_shared = s.cache_shared(A, block_row);
// s.layout(A_shared, Layout().swizzle({.chunk = 1, .period = 32, .rows = 1}));
//
// launch: grid ((N + 31) / 32, (M + 31) / 32, 1), block (32, 8, 1), 4096 bytes of shared memory

extern "C" __global__ void
transpose(const float* __restrict__ A, float* __restrict__ B, int N, int M) {
  __shared__ float A_shared[32][32];
  const int block_column = blockIdx.x;
  const int block_row = blockIdx.y;
  #pragma unroll
  for (int A_shared_s = 0; A_shared_s < 32; A_shared_s += 8) {
    const int A_shared_ty = threadIdx.y;
    const int A_shared_tx = threadIdx.x;
    A_shared[A_shared_s + A_shared_ty][A_shared_tx ^ A_shared_s + A_shared_ty] = (block_row * 32 + A_shared_s + A_shared_ty < M && block_column * 32 + A_shared_tx < N) ? A[(block_row * 32 + A_shared_s + A_shared_ty) * N + block_column * 32 + A_shared_tx] : 0.0f;
  }
  __syncthreads();
  for (int part = 0; part < 32; part += 8) {
    const int column = threadIdx.y;
    const int row = threadIdx.x;
    const int j_base = block_column * 32 + column;
    const int i = block_row * 32 + row;
    if (j_base + part < N && i < M) {
      B[(j_base + part) * M + i] = A_shared[row][part + column ^ row];
    }
  }
}
