// C(i, j) = bf16(sum(k, f32(A(i, k)) * f32(B(k, j))))
// s.assume(M % 32 == 0);
// s.assume(N % 32 == 0);
// s.assume(K % 32 == 0);
// auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {32, 32});
// s.bind(i_0, block.y);
// s.bind(j_0, block.x);
// s.bind(i_1, thread.y);
// s.bind(j_1, thread.x);
// auto [k_0, k_1] = s.split(k, 32);
// s.cache_registers(C.acc, j_1);
// auto A_shared = s.cache_shared(A, k_0);
// auto B_shared = s.cache_shared(B, k_0);
//
// launch: grid (N / 32, M / 32, 1), block (32, 32, 1), 4096 bytes of shared memory

#include <cuda_bf16.h>

extern "C" __global__ void
hgemm(const __nv_bfloat16* __restrict__ A, const __nv_bfloat16* __restrict__ B, __nv_bfloat16* __restrict__ C, int M, int N, int K) {
  __shared__ __nv_bfloat16 A_shared[32][32];
  __shared__ __nv_bfloat16 B_shared[32][32];
  const int i_0 = blockIdx.y;
  const int j_0 = blockIdx.x;
  const int i_1 = threadIdx.y;
  const int j_1 = threadIdx.x;
  float C_reg = 0.0f;
  for (int k_0 = 0; k_0 < K; k_0 += 32) {
    A_shared[i_1][j_1] = A[(i_0 * 32 + i_1) * K + k_0 + j_1];
    B_shared[i_1][j_1] = B[(k_0 + i_1) * N + j_0 * 32 + j_1];
    __syncthreads();
    for (int k_1 = 0; k_1 < 32; ++k_1) {
      C_reg += __bfloat162float(A_shared[i_1][k_1]) * __bfloat162float(B_shared[k_1][j_1]);
    }
    __syncthreads();
  }
  C[(i_0 * 32 + i_1) * N + j_0 * 32 + j_1] = __float2bfloat16(C_reg);
}
