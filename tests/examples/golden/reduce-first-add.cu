// S() = sum(k, A(k))
// auto [chunk, element] = s.split(k, 512, {.names = {"chunk", "element"}});
// auto [S_rf, chunk_2, chunk_S] = s.rfactor(S, chunk);
// s.bind(chunk_2, block.x);
// auto [element_2, element_thread] = s.split(element, 256, {.names = {"element", "element_thread"}});
// s.reorder({element_thread, element_2});
// s.bind(element_thread, thread.x, Combine::sequential);
// auto [chunk_S_2, chunk_S_thread] = s.split(chunk_S, 1024, {.names = {"chunk_S", "chunk_S_thread"}});
// s.reorder({chunk_S_thread, chunk_S_2});
// s.bind(chunk_S_thread, thread.x, Combine::sequential);
//
// launch: grid ((n + 511) / 512, 1, 1), block (256, 1, 1), 1024 bytes of shared memory

extern "C" __global__ void
reduce_0(const float* __restrict__ A, float* __restrict__ S_rf, int n) {
  __shared__ float S_rf_tree[256];
  const int chunk = blockIdx.x;
  const int element_thread = threadIdx.x;
  float S_rf_part = 0.0f;
  const int k_base = chunk * 512 + element_thread;
  for (int element = 0; element < 512; element += 256) {
    if (k_base + element < n) {
      S_rf_part += A[k_base + element];
    }
  }
  S_rf_tree[element_thread] = S_rf_part;
  for (int stride = 128; stride > 0; stride /= 2) {
    __syncthreads();
    const int t = threadIdx.x;
    if (t < stride) {
      S_rf_tree[t] += S_rf_tree[t + stride];
    }
  }
  if (threadIdx.x == 0) {
    S_rf[chunk] = S_rf_tree[0];
  }
}
// S() = sum(k, A(k))
// auto [chunk, element] = s.split(k, 512, {.names = {"chunk", "element"}});
// auto [S_rf, chunk_2, chunk_S] = s.rfactor(S, chunk);
// s.bind(chunk_2, block.x);
// auto [element_2, element_thread] = s.split(element, 256, {.names = {"element", "element_thread"}});
// s.reorder({element_thread, element_2});
// s.bind(element_thread, thread.x, Combine::sequential);
// auto [chunk_S_2, chunk_S_thread] = s.split(chunk_S, 1024, {.names = {"chunk_S", "chunk_S_thread"}});
// s.reorder({chunk_S_thread, chunk_S_2});
// s.bind(chunk_S_thread, thread.x, Combine::sequential);
//
// launch: grid (1, 1, 1), block (1024, 1, 1), 4096 bytes of shared memory

extern "C" __global__ void
reduce_1(float* __restrict__ S, const float* __restrict__ S_rf, int n) {
  __shared__ float S_tree[1024];
  const int chunk_S_thread = threadIdx.x;
  float S_part = 0.0f;
  for (int chunk_S = chunk_S_thread; chunk_S < (n + 511) / 512; chunk_S += 1024) {
    S_part += S_rf[chunk_S];
  }
  S_tree[chunk_S_thread] = S_part;
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
