// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.assume(M % 32 == 0);
// s.assume(N % 32 == 0);
// s.assume(K % 32 == 0);
// auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {32, 32});
// s.bind(i_0, block.y);
// s.bind(j_0, block.x);
// s.bind(i_1, thread.y);
// s.bind(j_1, thread.x);
// auto [k_0, k_1] = s.split(k, 32);
// s.cache_registers(C, j_1);
// auto A_shared = s.cache_shared(A, k_0);
// auto B_shared = s.cache_shared(B, k_0);
// s.write_out(k_1);
//
// launch: grid (N / 32, M / 32, 1), block (32, 32, 1), 8192 bytes of shared memory

extern "C" __global__ void
matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  __shared__ float A_shared[32][32];
  __shared__ float B_shared[32][32];
  const int i_0 = blockIdx.y;
  const int j_0 = blockIdx.x;
  const int i_1 = threadIdx.y;
  const int j_1 = threadIdx.x;
  float C_reg = 0.0f;
  for (int k_0 = 0; k_0 < K; k_0 += 32) {
    A_shared[i_1][j_1] = A[(i_0 * 32 + i_1) * K + k_0 + j_1];
    B_shared[i_1][j_1] = B[(k_0 + i_1) * N + j_0 * 32 + j_1];
    __syncthreads();
    C_reg += A_shared[i_1][0] * B_shared[0][j_1];
    C_reg += A_shared[i_1][1] * B_shared[1][j_1];
    C_reg += A_shared[i_1][2] * B_shared[2][j_1];
    C_reg += A_shared[i_1][3] * B_shared[3][j_1];
    C_reg += A_shared[i_1][4] * B_shared[4][j_1];
    C_reg += A_shared[i_1][5] * B_shared[5][j_1];
    C_reg += A_shared[i_1][6] * B_shared[6][j_1];
    C_reg += A_shared[i_1][7] * B_shared[7][j_1];
    C_reg += A_shared[i_1][8] * B_shared[8][j_1];
    C_reg += A_shared[i_1][9] * B_shared[9][j_1];
    C_reg += A_shared[i_1][10] * B_shared[10][j_1];
    C_reg += A_shared[i_1][11] * B_shared[11][j_1];
    C_reg += A_shared[i_1][12] * B_shared[12][j_1];
    C_reg += A_shared[i_1][13] * B_shared[13][j_1];
    C_reg += A_shared[i_1][14] * B_shared[14][j_1];
    C_reg += A_shared[i_1][15] * B_shared[15][j_1];
    C_reg += A_shared[i_1][16] * B_shared[16][j_1];
    C_reg += A_shared[i_1][17] * B_shared[17][j_1];
    C_reg += A_shared[i_1][18] * B_shared[18][j_1];
    C_reg += A_shared[i_1][19] * B_shared[19][j_1];
    C_reg += A_shared[i_1][20] * B_shared[20][j_1];
    C_reg += A_shared[i_1][21] * B_shared[21][j_1];
    C_reg += A_shared[i_1][22] * B_shared[22][j_1];
    C_reg += A_shared[i_1][23] * B_shared[23][j_1];
    C_reg += A_shared[i_1][24] * B_shared[24][j_1];
    C_reg += A_shared[i_1][25] * B_shared[25][j_1];
    C_reg += A_shared[i_1][26] * B_shared[26][j_1];
    C_reg += A_shared[i_1][27] * B_shared[27][j_1];
    C_reg += A_shared[i_1][28] * B_shared[28][j_1];
    C_reg += A_shared[i_1][29] * B_shared[29][j_1];
    C_reg += A_shared[i_1][30] * B_shared[30][j_1];
    C_reg += A_shared[i_1][31] * B_shared[31][j_1];
    __syncthreads();
  }
  C[(i_0 * 32 + i_1) * N + j_0 * 32 + j_1] = C_reg;
}
