// C(i, j) = sum(k, A(i, k) * B(k, j))
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
// auto B_shared = s.cache_shared(B, step);
// s.write_out(k_2);
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
    C_reg += A_shared[row][0] * B_shared[0][column];
    C_reg += A_shared[row][1] * B_shared[1][column];
    C_reg += A_shared[row][2] * B_shared[2][column];
    C_reg += A_shared[row][3] * B_shared[3][column];
    C_reg += A_shared[row][4] * B_shared[4][column];
    C_reg += A_shared[row][5] * B_shared[5][column];
    C_reg += A_shared[row][6] * B_shared[6][column];
    C_reg += A_shared[row][7] * B_shared[7][column];
    C_reg += A_shared[row][8] * B_shared[8][column];
    C_reg += A_shared[row][9] * B_shared[9][column];
    C_reg += A_shared[row][10] * B_shared[10][column];
    C_reg += A_shared[row][11] * B_shared[11][column];
    C_reg += A_shared[row][12] * B_shared[12][column];
    C_reg += A_shared[row][13] * B_shared[13][column];
    C_reg += A_shared[row][14] * B_shared[14][column];
    C_reg += A_shared[row][15] * B_shared[15][column];
    C_reg += A_shared[row][16] * B_shared[16][column];
    C_reg += A_shared[row][17] * B_shared[17][column];
    C_reg += A_shared[row][18] * B_shared[18][column];
    C_reg += A_shared[row][19] * B_shared[19][column];
    C_reg += A_shared[row][20] * B_shared[20][column];
    C_reg += A_shared[row][21] * B_shared[21][column];
    C_reg += A_shared[row][22] * B_shared[22][column];
    C_reg += A_shared[row][23] * B_shared[23][column];
    C_reg += A_shared[row][24] * B_shared[24][column];
    C_reg += A_shared[row][25] * B_shared[25][column];
    C_reg += A_shared[row][26] * B_shared[26][column];
    C_reg += A_shared[row][27] * B_shared[27][column];
    C_reg += A_shared[row][28] * B_shared[28][column];
    C_reg += A_shared[row][29] * B_shared[29][column];
    C_reg += A_shared[row][30] * B_shared[30][column];
    C_reg += A_shared[row][31] * B_shared[31][column];
    __syncthreads();
  }
  C[(block_row * 32 + row) * N + block_column * 32 + column] = C_reg;
}
