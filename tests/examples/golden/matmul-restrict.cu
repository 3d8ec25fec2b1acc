// C(i, j) = sum(k, A(i, k) * B(k, j))
// auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {32, 32});
// Axis block_row = s.rename(i_0, "block_row");
// Axis block_column = s.rename(j_0, "block_column");
// Axis row = s.rename(i_1, "row");
// Axis column = s.rename(j_1, "column");
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(row, thread.y);
// s.bind(column, thread.x);
//
// launch: grid ((N + 31) / 32, (M + 31) / 32, 1), block (32, 32, 1), 0 bytes of shared memory

extern "C" __global__ void
matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M && j < N) {
    C[i * N + j] = 0.0f;
    for (int k = 0; k < K; ++k) {
      C[i * N + j] += A[i * K + k] * B[k * N + j];
    }
  }
}
