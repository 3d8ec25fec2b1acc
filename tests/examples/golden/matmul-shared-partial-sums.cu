// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.assume(M % 32 == 0);
// s.assume(N % 32 == 0);
// s.assume(K % 32 == 0);
// auto [part, k_2] = s.split(k, 32, {.names = {"part", "k"}});
// auto [C_rf, part_2, step] = s.rfactor(C, part, {.names = {nullptr, "step"}});
// auto [block_row, block_column, row, column] = s.tile({i, j}, {32, 32}, {.names = {"block_row", "block_column", "row", "column"}});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(row, thread.y);
// s.bind(column, thread.x);
// s.cache_registers(C, column);
// s.compute_at(C_rf, step);
// auto A_shared = s.cache_shared(A, step);
// auto B_shared = s.cache_shared(B, step);
//
// launch: grid (N / 32, M / 32, 1), block (32, 32, 1), 8192 bytes of shared memory

extern "C" __global__ void
matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ float A_shared[32][32];
  __shared__ float B_shared[32][32];
  const int block_row = blockIdx.y;
  const int block_column = blockIdx.x;
  const int row = threadIdx.y;
  const int column = threadIdx.x;
  float C_reg = 0.0f;
  for (int step = 0; step < K; step += 32) {
    A_shared[row][column] = A[(block_row * 32 + row) * K + step + column];
    B_shared[row][column] = B[(step + row) * N + block_column * 32 + column];
    float C_rf = 0.0f;
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
      C_rf += A_shared[row][k] * B_shared[k][column];
    }
    C_reg += C_rf;
    __syncthreads();
  }
  C[(block_row * 32 + row) * N + block_column * 32 + column] = C_reg;
}
