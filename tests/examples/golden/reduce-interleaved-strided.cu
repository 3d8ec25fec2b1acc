// S() = sum(k, A(k))
// auto [chunk, element] = s.split(k, 256, {.names = {"chunk", "element"}});
// auto [S_rf, chunk_2, chunk_S] = s.rfactor(S, chunk);
// s.bind(chunk_2, block.x);
// s.bind(element, thread.x, Combine::interleaved_strided);
// auto [chunk_S_2, chunk_S_thread] = s.split(chunk_S, 1024, {.names = {"chunk_S", "chunk_S_thread"}});
// s.reorder({chunk_S_thread, chunk_S_2});
// s.bind(chunk_S_thread, thread.x, Combine::interleaved_strided);
//
// launch: grid ((n + 255) / 256, 1, 1), block (256, 1, 1), 1024 bytes of shared memory

extern "C" __global__ void
reduce_0(const float* __restrict__ A, float* __restrict__ S_rf, int n) {
  __shared__ float S_rf_tree[256];
  const int chunk = blockIdx.x;
  const int element = threadIdx.x;
  float S_rf_part = 0.0f;
  const int k = chunk * 256 + element;
  if (k < n) {
    S_rf_part += A[k];
  }
  S_rf_tree[element] = S_rf_part;
  for (int stride = 1; stride < 256; stride *= 2) {
    __syncthreads();
    const int t = threadIdx.x;
    if (t * stride * 2 + stride < 256) {
      S_rf_tree[t * stride * 2] += S_rf_tree[t * stride * 2 + stride];
    }
  }
  if (threadIdx.x == 0) {
    S_rf[chunk] = S_rf_tree[0];
  }
}
// S() = sum(k, A(k))
// auto [chunk, element] = s.split(k, 256, {.names = {"chunk", "element"}});
// auto [S_rf, chunk_2, chunk_S] = s.rfactor(S, chunk);
// s.bind(chunk_2, block.x);
// s.bind(element, thread.x, Combine::interleaved_strided);
// auto [chunk_S_2, chunk_S_thread] = s.split(chunk_S, 1024, {.names = {"chunk_S", "chunk_S_thread"}});
// s.reorder({chunk_S_thread, chunk_S_2});
// s.bind(chunk_S_thread, thread.x, Combine::interleaved_strided);
//
// launch: grid (1, 1, 1), block (1024, 1, 1), 4096 bytes of shared memory

extern "C" __global__ void
reduce_1(float* __restrict__ S, const float* __restrict__ S_rf, int n) {
  __shared__ float S_tree[1024];
  const int chunk_S_thread = threadIdx.x;
  float S_part = 0.0f;
  for (int chunk_S = chunk_S_thread; chunk_S < (n + 255) / 256; chunk_S += 1024) {
    S_part += S_rf[chunk_S];
  }
  S_tree[chunk_S_thread] = S_part;
  for (int stride = 1; stride < 1024; stride *= 2) {
    __syncthreads();
    const int t = threadIdx.x;
    if (t * stride * 2 + stride < 1024) {
      S_tree[t * stride * 2] += S_tree[t * stride * 2 + stride];
    }
  }
  if (threadIdx.x == 0) {
    S[0] = S_tree[0];
  }
}
