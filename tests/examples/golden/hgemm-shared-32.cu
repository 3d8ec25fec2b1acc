// C(i, j) = bf16(sum(k, f32(A(i, k)) * f32(B(k, j))))
// s.assume(M % 32 == 0);
// s.assume(N % 32 == 0);
// s.assume(K % 32 == 0);
// auto [block_row, block_column, row, column] = s.tile({i, j}, {32, 32}, {.names = {"block_row", "block_column", "row", "column"}});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(row, thread.y);
// s.bind(column, thread.x);
// auto [step, k_2] = s.split(k, 32, {.names = {"step", "k"}});
// s.cache_registers(C.acc, column);
// auto A_shared = s.cache_shared(A, step);
// auto B_shared = s.cache_shared(B, step);
//
// launch: grid (N / 32, M / 32, 1), block (32, 32, 1), 4096 bytes of shared memory

#include <cuda_bf16.h>

extern "C" __global__ void
hgemm(const __nv_bfloat16* __restrict__ A, const __nv_bfloat16* __restrict__ B, __nv_bfloat16* __restrict__ C, int M, int N, int K) {
  __shared__ __nv_bfloat16 A_shared[32][32];
  __shared__ __nv_bfloat16 B_shared[32][32];
  const int block_row = blockIdx.y;
  const int block_column = blockIdx.x;
  const int row = threadIdx.y;
  const int column = threadIdx.x;
  float C_reg = 0.0f;
  for (int step = 0; step < K; step += 32) {
    A_shared[row][column] = A[(block_row * 32 + row) * K + step + column];
    B_shared[row][column] = B[(step + row) * N + block_column * 32 + column];
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
      C_reg += __bfloat162float(A_shared[row][k]) * __bfloat162float(B_shared[k][column]);
    }
    __syncthreads();
  }
  C[(block_row * 32 + row) * N + block_column * 32 + column] = __float2bfloat16(C_reg);
}
