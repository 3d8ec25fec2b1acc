// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.assume(M % 16 == 0);
// s.assume(N % 16 == 0);
// s.assume(K % 16 == 0);
// auto [block_row, block_column, row, column] = s.tile({i, j}, {16, 16}, {.names = {"block_row", "block_column", "row", "column"}});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(row, thread.y);
// s.bind(column, thread.x);
// auto [step, k_2] = s.split(k, 16, {.names = {"step", "k"}});
// s.cache_registers(C, column);
// auto A_shared = s.cache_shared(A, step);
// auto B_shared = s.cache_shared(B, step);
// s.unroll(step, 3);
// s.unroll(k_2);
//
// launch: grid (N / 16, M / 16, 1), block (16, 16, 1), 2048 bytes of shared memory

extern "C" __global__ void
matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ float A_shared[16][16];
  __shared__ float B_shared[16][16];
  const int block_row = blockIdx.y;
  const int block_column = blockIdx.x;
  const int row = threadIdx.y;
  const int column = threadIdx.x;
  float C_reg = 0.0f;
  #pragma unroll 3
  for (int step = 0; step < K; step += 16) {
    A_shared[row][column] = A[(block_row * 16 + row) * K + step + column];
    B_shared[row][column] = B[(step + row) * N + block_column * 16 + column];
    __syncthreads();
    #pragma unroll
    for (int k = 0; k < 16; ++k) {
      C_reg += A_shared[row][k] * B_shared[k][column];
    }
    __syncthreads();
  }
  C[(block_row * 16 + row) * N + block_column * 16 + column] = C_reg;
}
