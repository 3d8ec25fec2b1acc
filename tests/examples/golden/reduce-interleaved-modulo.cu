// S() = sum(k, A(k))
// auto [k_0, k_1] = s.split(k, 256);
// auto [S_rf, k_0_2, k_0_S] = s.rfactor(S, k_0);
// s.bind(k_0_2, block.x);
// s.bind(k_1, thread.x, Combine::interleaved_modulo);
// auto [k_0_S_0, k_0_S_1] = s.split(k_0_S, 1024);
// s.reorder({k_0_S_1, k_0_S_0});
// s.bind(k_0_S_1, thread.x, Combine::interleaved_modulo);
//
// launch: grid ((n + 255) / 256, 1, 1), block (256, 1, 1), 1024 bytes of shared memory

extern "C" __global__ void
reduce_0(const float* __restrict__ A, float* __restrict__ S_rf, int n) {
  __shared__ float S_rf_tree[256];
  const int k_0 = blockIdx.x;
  const int k_1 = threadIdx.x;
  float S_rf_part = 0.0f;
  const int k = k_0 * 256 + k_1;
  if (k < n) {
    S_rf_part += A[k];
  }
  S_rf_tree[k_1] = S_rf_part;
  for (int stride = 1; stride < 256; stride *= 2) {
    __syncthreads();
    const int t = threadIdx.x;
    if (t % (stride * 2) == 0) {
      S_rf_tree[t] += S_rf_tree[t + stride];
    }
  }
  if (threadIdx.x == 0) {
    S_rf[k_0] = S_rf_tree[0];
  }
}
// S() = sum(k, A(k))
// auto [k_0, k_1] = s.split(k, 256);
// auto [S_rf, k_0_2, k_0_S] = s.rfactor(S, k_0);
// s.bind(k_0_2, block.x);
// s.bind(k_1, thread.x, Combine::interleaved_modulo);
// auto [k_0_S_0, k_0_S_1] = s.split(k_0_S, 1024);
// s.reorder({k_0_S_1, k_0_S_0});
// s.bind(k_0_S_1, thread.x, Combine::interleaved_modulo);
//
// launch: grid (1, 1, 1), block (1024, 1, 1), 4096 bytes of shared memory

extern "C" __global__ void
reduce_1(float* __restrict__ S, const float* __restrict__ S_rf, int n) {
  __shared__ float S_tree[1024];
  const int k_0_S_1 = threadIdx.x;
  float S_part = 0.0f;
  for (int k_0_S_0 = k_0_S_1; k_0_S_0 < (n + 255) / 256; k_0_S_0 += 1024) {
    S_part += S_rf[k_0_S_0];
  }
  S_tree[k_0_S_1] = S_part;
  for (int stride = 1; stride < 1024; stride *= 2) {
    __syncthreads();
    const int t = threadIdx.x;
    if (t % (stride * 2) == 0) {
      S_tree[t] += S_tree[t + stride];
    }
  }
  if (threadIdx.x == 0) {
    S[0] = S_tree[0];
  }
}
