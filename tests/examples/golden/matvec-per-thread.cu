// y(i) = sum(k, A(i, k) * x(k))
// auto [block_row, row] = s.split(i, 128, {.names = {"block_row", "row"}});
// s.bind(block_row, block.x);
// s.bind(row, thread.x);
// s.cache_registers(y, row);
//
// launch: grid ((M + 127) / 128, 1, 1), block (128, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
matvec(const float* __restrict__ A, const float* __restrict__ x, float* __restrict__ y, int M, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M) {
    float y_reg = 0.0f;
    for (int k = 0; k < N; ++k) {
      y_reg += A[i * N + k] * x[k];
    }
    y[i] = y_reg;
  }
}
