// D(i) = C(i) / (A(i) * A(i) + B(i) * B(i) + 1.0)
// auto [row, column] = s.split(i, W, {.names = {"row", "column"}});
// auto [block_row, block_column, row_2, column_2] = s.tile({row, column}, {2, 128}, {.names = {"block_row", "block_column", "row", "column"}});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(row_2, thread.y);
// s.bind(column_2, thread.x);
//
// launch: grid ((W + 127) / 128, ((n + W - 1) / W + 1) / 2, 1), block (128, 2, 1), 0 bytes of shared memory

extern "C" __global__ void
combine(const float* __restrict__ C, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ D, int n, int W) {
  const int block_column = blockIdx.x;
  const int column = threadIdx.x;
  const int i = (blockIdx.y * blockDim.y + threadIdx.y) * W + block_column * 128 + column;
  if (block_column * 128 + column < W && i < n) {
    D[i] = C[i] / (A[i] * A[i] + B[i] * B[i] + 1.0f);
  }
}
