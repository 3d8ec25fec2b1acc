// S() = sum(k, A(k))
// auto [k_0, k_1] = s.split(k, 512);
// auto [S_rf, k_0_2, k_0_S] = s.rfactor(S, k_0);
// s.bind(k_0_2, block.x);
// auto [k_1_0, k_1_1] = s.split(k_1, 256);
// s.reorder({k_1_1, k_1_0});
// s.bind(k_1_1, thread.x, Combine::sequential);
// auto [k_0_S_0, k_0_S_1] = s.split(k_0_S, 1024);
// s.reorder({k_0_S_1, k_0_S_0});
// s.bind(k_0_S_1, thread.x, Combine::sequential);
//
// launch: grid ((n + 511) / 512, 1, 1), block (256, 1, 1), 1024 bytes of shared memory

extern "C" __global__ void
reduce_0(const float* __restrict__ A, float* __restrict__ S_rf, int n) {
  __shared__ float S_rf_tree[256];
  const int k_0 = blockIdx.x;
  const int k_1_1 = threadIdx.x;
  float S_rf_part = 0.0f;
  const int k_base = k_0 * 512 + k_1_1;
  for (int k_1_0 = 0; k_1_0 < 512; k_1_0 += 256) {
    if (k_base + k_1_0 < n) {
      S_rf_part += A[k_base + k_1_0];
    }
  }
  S_rf_tree[k_1_1] = S_rf_part;
  for (int stride = 128; stride > 0; stride /= 2) {
    __syncthreads();
    const int t = threadIdx.x;
    if (t < stride) {
      S_rf_tree[t] += S_rf_tree[t + stride];
    }
  }
  if (threadIdx.x == 0) {
    S_rf[k_0] = S_rf_tree[0];
  }
}
// S() = sum(k, A(k))
// auto [k_0, k_1] = s.split(k, 512);
// auto [S_rf, k_0_2, k_0_S] = s.rfactor(S, k_0);
// s.bind(k_0_2, block.x);
// auto [k_1_0, k_1_1] = s.split(k_1, 256);
// s.reorder({k_1_1, k_1_0});
// s.bind(k_1_1, thread.x, Combine::sequential);
// auto [k_0_S_0, k_0_S_1] = s.split(k_0_S, 1024);
// s.reorder({k_0_S_1, k_0_S_0});
// s.bind(k_0_S_1, thread.x, Combine::sequential);
//
// launch: grid (1, 1, 1), block (1024, 1, 1), 4096 bytes of shared memory

extern "C" __global__ void
reduce_1(float* __restrict__ S, const float* __restrict__ S_rf, int n) {
  __shared__ float S_tree[1024];
  const int k_0_S_1 = threadIdx.x;
  float S_part = 0.0f;
  for (int k_0_S_0 = k_0_S_1; k_0_S_0 < (n + 511) / 512; k_0_S_0 += 1024) {
    S_part += S_rf[k_0_S_0];
  }
  S_tree[k_0_S_1] = S_part;
  for (int stride = 512; stride > 0; stride /= 2) {
    __syncthreads();
    const int t = threadIdx.x;
    if (t < stride) {
      S_tree[t] += S_tree[t + stride];
    }
  }
  if (threadIdx.x == 0) {
    S[0] = S_tree[0];
  }
}
