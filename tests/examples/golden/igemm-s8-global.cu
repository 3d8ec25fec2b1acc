// C(i, j) = sum(k, i32(A(i, k)) * i32(B(j, k)))
// auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {32, 32});
// s.bind(i_0, block.y);
// s.bind(j_0, block.x);
// s.bind(i_1, thread.y);
// s.bind(j_1, thread.x);
// s.cache_registers(C, j_1);
//
// launch: grid ((N + 31) / 32, (M + 31) / 32, 1), block (32, 32, 1), 0 bytes of shared memory

extern "C" __global__ void
igemm_s8(const signed char* __restrict__ A, const signed char* __restrict__ B, int* __restrict__ C, int M, int N, int K) {
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M && j < N) {
    int C_reg = 0;
    for (int k = 0; k < K; ++k) {
      C_reg = (int)((unsigned)C_reg + (unsigned)(int)(A[i * K + k]) * (unsigned)(int)(B[j * K + k]));
    }
    C[i * N + j] = C_reg;
  }
}
