// D(i) = C(i) / (A(i) * A(i) + B(i) * B(i) + 1.0)
// auto [i_0, i_1] = s.split(i, W);
// Axis row = s.rename(i_0, "row");
// Axis column = s.rename(i_1, "column");
// auto [row_0, column_0, row_1, column_1] = s.tile({row, column}, {2, 128});
// s.bind(row_0, block.y);
// s.bind(column_0, block.x);
// s.bind(row_1, thread.y);
// s.bind(column_1, thread.x);
//
// launch: grid ((W + 127) / 128, ((n + W - 1) / W + 1) / 2, 1), block (128, 2, 1), 0 bytes of shared memory

extern "C" __global__ void
combine(const float* __restrict__ C, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ D, int n, int W) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column < W && row * W + column < n) {
    D[row * W + column] = C[row * W + column] / (A[row * W + column] * A[row * W + column] + B[row * W + column] * B[row * W + column] + 1.0f);
  }
}
