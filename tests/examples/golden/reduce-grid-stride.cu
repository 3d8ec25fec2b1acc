// S() = sum(k, A(k))
// auto [k_0, k_1] = s.split(k, 270336);
// auto [k_1_0, k_1_1] = s.split(k_1, 256);
// s.reorder({k_1_0, k_1_1, k_0});
// auto [S_rf, k_1_0_2, k_1_0_S] = s.rfactor(S, k_1_0);
// s.bind(k_1_0_2, block.x);
// s.bind(k_1_1, thread.x, {.method = Combine::sequential, .unrolled = true, .last_warp = true});
// auto [k_1_0_S_0, k_1_0_S_1] = s.split(k_1_0_S, 1024);
// s.reorder({k_1_0_S_1, k_1_0_S_0});
// s.bind(k_1_0_S_1, thread.x, {.method = Combine::sequential, .unrolled = true, .last_warp = true});
//
// launch: grid (1056, 1, 1), block (256, 1, 1), 1024 bytes of shared memory

extern "C" __global__ void
reduce_0(const float* __restrict__ A, float* __restrict__ S_rf, int n) {
  __shared__ float S_rf_tree[256];
  const int k_1_0 = blockIdx.x;
  const int k_1_1 = threadIdx.x;
  float S_rf_part = 0.0f;
  const int k_base = k_1_0 * 256 + k_1_1;
  for (int k_0 = k_base; k_0 < n; k_0 += 270336) {
    S_rf_part += A[k_0];
  }
  S_rf_tree[k_1_1] = S_rf_part;
  __syncthreads();
  const int t = threadIdx.x;
  if (t < 128) {
    S_rf_tree[t] += S_rf_tree[t + 128];
  }
  __syncthreads();
  const int t_2 = threadIdx.x;
  if (t_2 < 64) {
    S_rf_tree[t_2] += S_rf_tree[t_2 + 64];
  }
  __syncthreads();
  const int t_3 = threadIdx.x;
  if (t_3 < 32) {
    float S_rf_last = S_rf_tree[t_3];
    S_rf_last += S_rf_tree[t_3 + 32];
    #pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
      S_rf_last += __shfl_down_sync(0xffffffff, S_rf_last, offset);
    }
    if (t_3 == 0) {
      S_rf[k_1_0] = S_rf_last;
    }
  }
}
// S() = sum(k, A(k))
// auto [k_0, k_1] = s.split(k, 270336);
// auto [k_1_0, k_1_1] = s.split(k_1, 256);
// s.reorder({k_1_0, k_1_1, k_0});
// auto [S_rf, k_1_0_2, k_1_0_S] = s.rfactor(S, k_1_0);
// s.bind(k_1_0_2, block.x);
// s.bind(k_1_1, thread.x, {.method = Combine::sequential, .unrolled = true, .last_warp = true});
// auto [k_1_0_S_0, k_1_0_S_1] = s.split(k_1_0_S, 1024);
// s.reorder({k_1_0_S_1, k_1_0_S_0});
// s.bind(k_1_0_S_1, thread.x, {.method = Combine::sequential, .unrolled = true, .last_warp = true});
//
// launch: grid (1, 1, 1), block (1024, 1, 1), 4096 bytes of shared memory

extern "C" __global__ void
reduce_1(float* __restrict__ S, const float* __restrict__ S_rf) {
  __shared__ float S_tree[1024];
  const int k_1_0_S_1 = threadIdx.x;
  float S_part = 0.0f;
  for (int k_1_0_S_0 = 0; k_1_0_S_0 < 2048; k_1_0_S_0 += 1024) {
    if (k_1_0_S_0 + k_1_0_S_1 < 1056) {
      S_part += S_rf[k_1_0_S_0 + k_1_0_S_1];
    }
  }
  S_tree[k_1_0_S_1] = S_part;
  __syncthreads();
  const int t = threadIdx.x;
  if (t < 512) {
    S_tree[t] += S_tree[t + 512];
  }
  __syncthreads();
  const int t_2 = threadIdx.x;
  if (t_2 < 256) {
    S_tree[t_2] += S_tree[t_2 + 256];
  }
  __syncthreads();
  const int t_3 = threadIdx.x;
  if (t_3 < 128) {
    S_tree[t_3] += S_tree[t_3 + 128];
  }
  __syncthreads();
  const int t_4 = threadIdx.x;
  if (t_4 < 64) {
    S_tree[t_4] += S_tree[t_4 + 64];
  }
  __syncthreads();
  const int t_5 = threadIdx.x;
  if (t_5 < 32) {
    float S_last = S_tree[t_5];
    S_last += S_tree[t_5 + 32];
    #pragma unroll
    for (int offset = 16; offset > 0; offset /= 2) {
      S_last += __shfl_down_sync(0xffffffff, S_last, offset);
    }
    if (t_5 == 0) {
      S[0] = S_last;
    }
  }
}
