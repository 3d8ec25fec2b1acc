// y(i) = sum(k, A(i, k) * x(k))
// auto [i_0, i_1] = s.split(i, 8);
// s.bind(i_0, block.x);
// s.bind(i_1, thread.y);
// auto [k_0, k_1] = s.split(k, 32);
// s.reorder({k_1, k_0});
// s.bind(k_1, thread.x, Combine::shuffle);
// s.cache_registers(y, i_1);
//
// launch: grid ((M + 7) / 8, 1, 1), block (32, 8, 1), 0 bytes of shared memory

extern "C" __global__ void
matvec(const float* __restrict__ A, const float* __restrict__ x, float* __restrict__ y, int M, int N) {
  const int i_0 = blockIdx.x;
  const int i_1 = threadIdx.y;
  float y_reg;
  const int i = i_0 * 8 + i_1;
  if (i < M) {
    y_reg = 0.0f;
  }
  const int k_1 = threadIdx.x;
  float y_reg_part = 0.0f;
  if (i < M) {
    for (int k_0 = k_1; k_0 < N; k_0 += 32) {
      y_reg_part += A[i * N + k_0] * x[k_0];
    }
  }
  #pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    y_reg_part += __shfl_xor_sync(0xffffffff, y_reg_part, offset);
  }
  if (i < M) {
    y_reg += y_reg_part;
  }
  if (threadIdx.x == 0 && i < M) {
    y[i] = y_reg;
  }
}
