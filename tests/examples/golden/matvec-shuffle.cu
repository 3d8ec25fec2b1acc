// y(i) = sum(k, A(i, k) * x(k))
// s.bind(i, block.x);
// auto [k_2, k_thread] = s.split(k, 256, {.names = {"k", "k_thread"}});
// s.reorder({k_thread, k_2});
// s.bind(k_thread, thread.x, Combine::two_level);
//
// launch: grid (M, 1, 1), block (256, 1, 1), 32 bytes of shared memory

extern "C" __global__ void
matvec(const float* __restrict__ A, const float* __restrict__ x, float* __restrict__ y, int M, int N) {
  __shared__ float y_warps[8];
  const int i = blockIdx.x;
  const int k_thread = threadIdx.x;
  float y_part = 0.0f;
  for (int k = k_thread; k < N; k += 256) {
    y_part += A[i * N + k] * x[k];
  }
  #pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    y_part += __shfl_down_sync(0xffffffff, y_part, offset);
  }
  if (k_thread % 32 == 0) {
    y_warps[k_thread / 32] = y_part;
  }
  __syncthreads();
  const int t = threadIdx.x;
  if (t < 8) {
    float y_last = y_warps[t];
    #pragma unroll
    for (int offset_2 = 4; offset_2 > 0; offset_2 /= 2) {
      y_last += __shfl_down_sync(0xff, y_last, offset_2);
    }
    if (t == 0) {
      y[i] = y_last;
    }
  }
}
