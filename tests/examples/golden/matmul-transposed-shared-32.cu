// C(i, j) = sum(k, A(k, i) * B(j, k))
// s.assume(M % 32 == 0);
// s.assume(N % 32 == 0);
// s.assume(K % 32 == 0);
// auto [block_row, block_column, row, column] = s.tile({i, j}, {32, 32}, {.names = {"block_row", "block_column", "row", "column"}});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(row, thread.y);
// s.bind(column, thread.x);
// auto [step, k_2] = s.split(k, 32, {.names = {"step", "k"}});
// s.cache_registers(C, column);
// auto A_shared = s.cache_shared(A, step);
// auto B_shared = s.cache_shared(B, step, {.layout = Layout().pad(1)});
//
// launch: grid (N / 32, M / 32, 1), block (32, 32, 1), 8320 bytes of shared memory

extern "C" __global__ void
matmul_transposed(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ float A_shared[32][32];
  __shared__ float B_shared[32][33];
  const int block_row = blockIdx.y;
  const int block_column = blockIdx.x;
  const int row = threadIdx.y;
  const int column = threadIdx.x;
  float C_reg = 0.0f;
  for (int step = 0; step < K; step += 32) {
    A_shared[row][column] = A[(step + row) * M + block_row * 32 + column];
    B_shared[row][column] = B[(block_column * 32 + row) * K + step + column];
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
      C_reg += A_shared[k][row] * B_shared[column][k];
    }
    __syncthreads();
  }
  C[(block_row * 32 + row) * N + block_column * 32 + column] = C_reg;
}
