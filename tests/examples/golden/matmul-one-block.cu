// C(i, j) = sum(k, A(i, k) * B(k, j))
// auto [row, column, thread_row, thread_column] = s.tile({i, j}, {32, 32}, {.names = {"row", "column", "thread_row", "thread_column"}});
// s.reorder({thread_row, thread_column, row, column});
// s.bind(thread_row, thread.y);
// s.bind(thread_column, thread.x);
// s.cache_registers(C, column);
//
// launch: grid (1, 1, 1), block (32, 32, 1), 0 bytes of shared memory

extern "C" __global__ void
matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  const int thread_row = threadIdx.y;
  const int thread_column = threadIdx.x;
  for (int row = thread_row; row < M; row += 32) {
    for (int column = thread_column; column < N; column += 32) {
      float C_reg = 0.0f;
      for (int k = 0; k < K; ++k) {
        C_reg += A[row * K + k] * B[k * N + column];
      }
      C[row * N + column] = C_reg;
    }
  }
}
