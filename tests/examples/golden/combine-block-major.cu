// D(i) = C(i) / (A(i) * A(i) + B(i) * B(i) + 1.0)
// auto [chunk, element] = s.split(i, 256, {.names = {"chunk", "element"}});
// s.bind(chunk, block.x);
// s.bind(element, thread.x);
//
// launch: grid ((n + 255) / 256, 1, 1), block (256, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
combine(const float* __restrict__ C, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ D, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    D[i] = C[i] / (A[i] * A[i] + B[i] * B[i] + 1.0f);
  }
}
