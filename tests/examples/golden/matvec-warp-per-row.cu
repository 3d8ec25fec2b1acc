// y(i) = sum(k, A(i, k) * x(k))
// auto [block_row, row] = s.split(i, 8, {.names = {"block_row", "row"}});
// s.bind(block_row, block.x);
// s.bind(row, thread.y);
// auto [k_2, k_thread] = s.split(k, 32, {.names = {"k", "k_thread"}});
// s.reorder({k_thread, k_2});
// s.bind(k_thread, thread.x, Combine::shuffle);
// s.cache_registers(y, row);
//
// launch: grid ((M + 7) / 8, 1, 1), block (32, 8, 1), 0 bytes of shared memory

extern "C" __global__ void
matvec(const float* __restrict__ A, const float* __restrict__ x, float* __restrict__ y, int M, int N) {
  const int block_row = blockIdx.x;
  const int row = threadIdx.y;
  float y_reg;
  const int i = block_row * 8 + row;
  if (i < M) {
    y_reg = 0.0f;
  }
  const int k_thread = threadIdx.x;
  float y_reg_part = 0.0f;
  if (i < M) {
    for (int k = k_thread; k < N; k += 32) {
      y_reg_part += A[i * N + k] * x[k];
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
