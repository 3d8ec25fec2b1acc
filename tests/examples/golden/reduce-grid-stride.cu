// S() = sum(k, A(k))
// auto [k_2, k_1] = s.split(k, 270336, {.names = {"k", nullptr}});
// auto [chunk, element] = s.split(k_1, 256, {.names = {"chunk", "element"}});
// s.reorder({chunk, element, k_2});
// auto [S_rf, chunk_2, chunk_S] = s.rfactor(S, chunk);
// s.bind(chunk_2, block.x);
// s.bind(element, thread.x, {.method = Combine::sequential, .unrolled = true, .last_warp = true});
// auto [chunk_S_2, chunk_S_thread] = s.split(chunk_S, 1024, {.names = {"chunk_S", "chunk_S_thread"}});
// s.reorder({chunk_S_thread, chunk_S_2});
// s.bind(chunk_S_thread, thread.x, {.method = Combine::sequential, .unrolled = true, .last_warp = true});
//
// launch: grid (1056, 1, 1), block (256, 1, 1), 1024 bytes of shared memory

extern "C" __global__ void
reduce_0(const float* __restrict__ A, float* __restrict__ S_rf, int n) {
  __shared__ float S_rf_tree[256];
  const int chunk = blockIdx.x;
  const int element = threadIdx.x;
  float S_rf_part = 0.0f;
  const int k_base = chunk * 256 + element;
  for (int k = k_base; k < n; k += 270336) {
    S_rf_part += A[k];
  }
  S_rf_tree[element] = S_rf_part;
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
      S_rf[chunk] = S_rf_last;
    }
  }
}
// S() = sum(k, A(k))
// auto [k_2, k_1] = s.split(k, 270336, {.names = {"k", nullptr}});
// auto [chunk, element] = s.split(k_1, 256, {.names = {"chunk", "element"}});
// s.reorder({chunk, element, k_2});
// auto [S_rf, chunk_2, chunk_S] = s.rfactor(S, chunk);
// s.bind(chunk_2, block.x);
// s.bind(element, thread.x, {.method = Combine::sequential, .unrolled = true, .last_warp = true});
// auto [chunk_S_2, chunk_S_thread] = s.split(chunk_S, 1024, {.names = {"chunk_S", "chunk_S_thread"}});
// s.reorder({chunk_S_thread, chunk_S_2});
// s.bind(chunk_S_thread, thread.x, {.method = Combine::sequential, .unrolled = true, .last_warp = true});
//
// launch: grid (1, 1, 1), block (1024, 1, 1), 4096 bytes of shared memory

extern "C" __global__ void
reduce_1(float* __restrict__ S, const float* __restrict__ S_rf) {
  __shared__ float S_tree[1024];
  const int chunk_S_thread = threadIdx.x;
  float S_part = 0.0f;
  for (int chunk_S = 0; chunk_S < 2048; chunk_S += 1024) {
    if (chunk_S + chunk_S_thread < 1056) {
      S_part += S_rf[chunk_S + chunk_S_thread];
    }
  }
  S_tree[chunk_S_thread] = S_part;
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
