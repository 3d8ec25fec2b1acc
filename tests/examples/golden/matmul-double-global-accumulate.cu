// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.may_alias();
// auto [block_row, block_column, row, column] = s.tile({i, j}, {32, 32}, {.names = {"block_row", "block_column", "row", "column"}});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(row, thread.y);
// s.bind(column, thread.x);
//
// launch: grid ((N + 31) / 32, (M + 31) / 32, 1), block (32, 32, 1), 0 bytes of shared memory

extern "C" __global__ void
matmul_double(const double* A, const double* B, double* C, int M, int N, int K) {
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M && j < N) {
    C[i * N + j] = 0.0;
    for (int k = 0; k < K; ++k) {
      C[i * N + j] += A[i * K + k] * B[k * N + j];
    }
  }
}
