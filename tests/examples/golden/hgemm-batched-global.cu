// C(b, i, j) = bf16(sum(k, f32(A(b, i, k)) * f32(B(b, k, j))))
// s.bind(b, block.z);
// auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {32, 32});
// s.bind(i_0, block.y);
// s.bind(j_0, block.x);
// s.bind(i_1, thread.y);
// s.bind(j_1, thread.x);
// s.cache_registers(C.acc, j_1);
//
// launch: grid ((N + 31) / 32, (M + 31) / 32, batch), block (32, 32, 1), 0 bytes of shared memory

#include <cuda_bf16.h>

extern "C" __global__ void
hgemm_batched(const __nv_bfloat16* __restrict__ A, const __nv_bfloat16* __restrict__ B, __nv_bfloat16* __restrict__ C, int batch, int M, int N, int K) {
  const int b = blockIdx.z;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M && j < N) {
    float C_reg = 0.0f;
    for (int k = 0; k < K; ++k) {
      C_reg += __bfloat162float(A[(b * M + i) * K + k]) * __bfloat162float(B[(b * K + k) * N + j]);
    }
    C[(b * M + i) * N + j] = __float2bfloat16(C_reg);
  }
}
