// D(i) = C(i) / (A(i) * A(i) + B(i) * B(i) + 1.0)
// auto [i_0, i_1] = s.split_into(i, 256);
// s.reorder({i_1, i_0});
// s.bind(i_1, block.x);
// s.bind(i_0, thread.x);
//
// launch: grid ((n + 255) / 256, 1, 1), block (256, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
combine(const float* __restrict__ C, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ D, int n) {
  const int i = threadIdx.x * ((n + 255) / 256) + blockIdx.x;
  if (i < n) {
    D[i] = C[i] / (A[i] * A[i] + B[i] * B[i] + 1.0f);
  }
}
