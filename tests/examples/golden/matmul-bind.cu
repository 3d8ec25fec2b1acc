// C(i, j) = sum(k, A(i, k) * B(k, j))
// s.bind(i, block.x);
// s.bind(j, thread.x);
//
// launch: grid (M, 1, 1), block (N, 1, 1), 0 bytes of shared memory

extern "C" __global__ void __launch_bounds__(1024)
matmul(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C, int M, int N, int K) {
  const int i = blockIdx.x;
  const int j = threadIdx.x;
  C[i * N + j] = 0.0f;
  for (int k = 0; k < K; ++k) {
    C[i * N + j] += A[i * K + k] * B[k * N + j];
  }
}
