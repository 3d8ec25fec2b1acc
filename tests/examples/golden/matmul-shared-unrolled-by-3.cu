// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.assume(M % 32 == 0);
// s.assume(N % 32 == 0);
// s.assume(K % 32 == 0);
// auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {32, 32});
// Axis block_row = s.rename(i_0, "block_row");
// Axis block_column = s.rename(j_0, "block_column");
// Axis row = s.rename(i_1, "row");
// Axis column = s.rename(j_1, "column");
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(row, thread.y);
// s.bind(column, thread.x);
// auto [k_0, k_1] = s.split(k, 32);
// Axis step = s.rename(k_0, "step");
// Axis k_2 = s.rename(k_1, "k");
// s.cache_registers(C, column);
// auto A_shared = s.cache_shared(A, step);
// auto B_shared = s.cache_shared(B, step);
// auto [k_0_2, k_1_2] = s.split(k_2, 3, {.tail = Tail::peel});
// Axis k_3 = s.rename(k_0_2, "k");
// Axis product = s.rename(k_1_2, "product");
// s.write_out(product);
// s.write_out(s.axis("k.tail"));
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
    __syncthreads();
    for (int k = 0; k < 30; k += 3) {
      C_reg += A_shared[row][k] * B_shared[k][column];
      C_reg += A_shared[row][k + 1] * B_shared[k + 1][column];
      C_reg += A_shared[row][k + 2] * B_shared[k + 2][column];
    }
    C_reg += A_shared[row][30] * B_shared[30][column];
    C_reg += A_shared[row][31] * B_shared[31][column];
    __syncthreads();
  }
  C[(block_row * 32 + row) * N + block_column * 32 + column] = C_reg;
}
