// C(i, j) = bf16(sum(k, A_scale(i, k / 128) * B_scale(j / 128, k / 128) * (f32(A(i, k)) * f32(B(j, k)))))
// auto [block_row, block_column, row, column] = s.tile({i, j}, {32, 32}, {.names = {"block_row", "block_column", "row", "column"}});
// s.bind(block_row, block.y);
// s.bind(block_column, block.x);
// s.bind(row, thread.y);
// s.bind(column, thread.x);
// s.cache_registers(C.acc, column);
//
// launch: grid ((N + 31) / 32, (M + 31) / 32, 1), block (32, 32, 1), 0 bytes of shared memory

#include <cuda_bf16.h>

namespace hone::gemm_fp8_blocks {

static __device__ float f8e4m3_to_float(unsigned char x) {
  const unsigned size = x & 0x7f;
  const float value = size < 8      ? size * (1.0f / 512)
                      : size <= 0x7e ? __uint_as_float((size << 20) + 0x3c000000)
                                      : __uint_as_float(0x7fc00000);
  return x < 0x80 ? value : -value;
}

extern "C" __global__ void
gemm_fp8_blocks(const float* __restrict__ A_scale, const float* __restrict__ B_scale, const unsigned char* __restrict__ A, const unsigned char* __restrict__ B, __nv_bfloat16* __restrict__ C, int M, int N, int K) {
  const int block_column = blockIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  const int j = block_column * 32 + threadIdx.x;
  if (i < M && j < N) {
    float C_reg = 0.0f;
    for (int k = 0; k < K; ++k) {
      C_reg += A_scale[i * ((K + 127) / 128) + k / 128] * B_scale[block_column / 4 * ((K + 127) / 128) + k / 128] * (f8e4m3_to_float(A[i * K + k]) * f8e4m3_to_float(B[j * K + k]));
    }
    C[i * N + j] = __float2bfloat16(C_reg);
  }
}

}  // namespace hone::gemm_fp8_blocks
