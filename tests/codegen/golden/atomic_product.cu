//
// launch: grid (M, 1, 1), block (128, 1, 1), 0 bytes of shared memory

namespace hone::rows {

static __device__ void atomic_mul(float* element, float value) {
  unsigned* const bits = reinterpret_cast<unsigned*>(element);
  unsigned seen = *bits, expected;
  do {
    expected = seen;
    const float before = __uint_as_float(seen);
    const unsigned changed = (unsigned)__float_as_uint(before * value);
    if (changed == expected) return;
    seen = atomicCAS(bits, expected, changed);
  } while (seen != expected);
}

extern "C" __global__ void
rows(const float* __restrict__ A, float* __restrict__ S, int M, int N) {
  const int i = blockIdx.x;
  if (threadIdx.x == 0) {
    S[i] = 0.0f;
  }
  __syncthreads();
  const int t = threadIdx.x;
  for (int k = t; k < N; k += 128) {
    atomic_mul(&S[i], A[i * N + k]);
  }
}

}  // namespace hone::rows
