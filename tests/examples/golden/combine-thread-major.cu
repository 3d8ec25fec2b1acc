// D(i) = C(i) / (A(i) * A(i) + B(i) * B(i) + 1.0)
// auto [piece, element] = s.split_into(i, 256, {.names = {"piece", "element"}});
// s.reorder({element, piece});
// s.bind(element, block.x);
// s.bind(piece, thread.x);
//
// launch: grid ((n + 255) / 256, 1, 1), block (256, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
combine(const float* __restrict__ C, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ D, int n) {
  const int i = threadIdx.x * ((n + 255) / 256) + blockIdx.x;
  if (i < n) {
    D[i] = C[i] / (A[i] * A[i] + B[i] * B[i] + 1.0f);
  }
}
