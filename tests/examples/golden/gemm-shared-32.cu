// D(i, j) = alpha() * sum(k, A(i, k) * B(k, j)) + beta() * C(i, j)
// s.assume(M % 32 == 0);
// s.assume(N % 32 == 0);
// s.assume(K % 32 == 0);
// auto [block_row, block_column, row, column] = s.tile({i, j}, {32, 32}, {.names = {"block_row", "block_column", "row", "column"}});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(row, thread.y);
// s.bind(column, thread.x);
// auto [step, k_2] = s.split(k, 32, {.names = {"step", "k"}});
// s.cache_registers(D, column);
// auto A_shared = s.cache_shared(A, step);
// auto B_shared = s.cache_shared(B, step);
//
// launch: grid (N / 32, M / 32, 1), block (32, 32, 1), 8192 bytes of shared memory

extern "C" __global__ void
gemm(const float* __restrict__ alpha, const float* __restrict__ A, const float* __restrict__ B, const float* __restrict__ beta, const float* __restrict__ C, float* __restrict__ D, int M, int N, int K) {
  __shared__ float A_shared[32][32];
  __shared__ float B_shared[32][32];
  const int block_row = blockIdx.y;
  const int block_column = blockIdx.x;
  const int row = threadIdx.y;
  const int column = threadIdx.x;
  float D_reg = 0.0f;
  const int i = block_row * 32 + row;
  const int j = block_column * 32 + column;
  for (int step = 0; step < K; step += 32) {
    A_shared[row][column] = A[i * K + step + column];
    B_shared[row][column] = B[(step + row) * N + j];
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
      D_reg += A_shared[row][k] * B_shared[k][column];
    }
    __syncthreads();
  }
  D_reg = alpha[0] * D_reg + beta[0] * C[i * N + j];
  D[i * N + j] = D_reg;
}
