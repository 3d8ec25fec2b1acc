// B(j, i) = A(i, j)
// auto [block_row, block_column, row, column] = s.tile({i, j}, {32, 32}, {.names = {"block_row", "block_column", "row", "column"}});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(row, thread.y);
// s.bind(column, thread.x);
//
// launch: grid ((N + 31) / 32, (M + 31) / 32, 1), block (32, 32, 1), 0 bytes of shared memory

extern "C" __global__ void
transpose(const float* __restrict__ A, float* __restrict__ B, int N, int M) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (j < N && i < M) {
    B[j * M + i] = A[i * N + j];
  }
}
