// S(i, j) = sum(k, f32(A(i, k)) * f32(B(j, k)))
// C(y, x) = bf16(S(y, x))
// auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {32, 32});
// s.bind(i_0, block.y);
// s.bind(j_0, block.x);
// s.bind(i_1, thread.y);
// s.bind(j_1, thread.x);
// s.cache_registers(S, j_1);
// auto [y_0, x_0, y_1, x_1] = s.tile({y, x}, {32, 32});
// s.bind(y_0, block.y);
// s.bind(x_0, block.x);
// s.bind(y_1, thread.y);
// s.bind(x_1, thread.x);
//
// launch: grid ((N + 31) / 32, (M + 31) / 32, 1), block (32, 32, 1), 0 bytes of shared memory

#include <cuda_bf16.h>

extern "C" __global__ void
hgemm_nt_0(const __nv_bfloat16* __restrict__ A, const __nv_bfloat16* __restrict__ B, float* __restrict__ S, int M, int N, int K) {
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M && j < N) {
    float S_reg = 0.0f;
    for (int k = 0; k < K; ++k) {
      S_reg += __bfloat162float(A[i * K + k]) * __bfloat162float(B[j * K + k]);
    }
    S[i * N + j] = S_reg;
  }
}
// S(i, j) = sum(k, f32(A(i, k)) * f32(B(j, k)))
// C(y, x) = bf16(S(y, x))
// auto [i_0, j_0, i_1, j_1] = s.tile({i, j}, {32, 32});
// s.bind(i_0, block.y);
// s.bind(j_0, block.x);
// s.bind(i_1, thread.y);
// s.bind(j_1, thread.x);
// s.cache_registers(S, j_1);
// auto [y_0, x_0, y_1, x_1] = s.tile({y, x}, {32, 32});
// s.bind(y_0, block.y);
// s.bind(x_0, block.x);
// s.bind(y_1, thread.y);
// s.bind(x_1, thread.x);
//
// launch: grid ((N + 31) / 32, (M + 31) / 32, 1), block (32, 32, 1), 0 bytes of shared memory

#include <cuda_bf16.h>

extern "C" __global__ void
hgemm_nt_1(__nv_bfloat16* __restrict__ C, const float* __restrict__ S, int M, int N) {
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < M && x < N) {
    C[y * N + x] = __float2bfloat16(S[y * N + x]);
  }
}
