// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.assume(M % 8 == 0);
// s.assume(N % 8 == 0);
// s.assume(K % 8 == 0);
// auto [block_row, block_column, row, column] = s.tile({i, j}, {8, 8}, {.names = {"block_row", "block_column", "row", "column"}});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(row, thread.y);
// s.bind(column, thread.x);
// auto [step, k_2] = s.split(k, 8, {.names = {"step", "k"}});
// s.cache_registers(C, column);
// auto A_shared = s.cache_shared(A, step);
// auto B_shared = s.cache_shared(B, step);
// s.unroll(step, 3);
// s.unroll(k_2);
//
// launch: grid (N / 8, M / 8, 1), block (8, 8, 1), 512 bytes of shared memory

extern "C" __global__ void
matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ float A_shared[8][8];
  __shared__ float B_shared[8][8];
  const int block_row = blockIdx.y;
  const int block_column = blockIdx.x;
  const int row = threadIdx.y;
  const int column = threadIdx.x;
  float C_reg = 0.0f;
  #pragma unroll 3
  for (int step = 0; step < K; step += 8) {
    A_shared[row][column] = A[(block_row * 8 + row) * K + step + column];
    B_shared[row][column] = B[(step + row) * N + block_column * 8 + column];
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < 8; ++k) {
      C_reg += A_shared[row][k] * B_shared[k][column];
    }
    __syncthreads();
  }
  C[(block_row * 8 + row) * N + block_column * 8 + column] = C_reg;
}
