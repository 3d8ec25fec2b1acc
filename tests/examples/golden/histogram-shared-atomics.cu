// H(index(data(k))) = sum(k, 1)
// auto [chunk, k_1] = s.split(k, 4096, {.names = {"chunk", nullptr}});
// auto [item, element] = s.split(k_1, 256, {.names = {"item", "element"}});
// s.reorder({chunk, element, item});
// s.bind(chunk, block.x, Combine::atomic);
// s.bind(element, thread.x, Combine::atomic);
// auto H_shared = s.cache_shared(H, chunk);
// s.bind(s.axis("H.shared.init"), thread.x);
// s.bind(s.axis("H.shared.add"), thread.x);
// Axis bin = s.rename(s.axis("H.0.init"), "bin");
// s.bind(bin, thread.x);
//
// launch: grid (1, 1, 1), block (256, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
histogram_0(int* __restrict__ H) {
  const int bin = threadIdx.x;
  H[bin] = 0;
}
// H(index(data(k))) = sum(k, 1)
// auto [chunk, k_1] = s.split(k, 4096, {.names = {"chunk", nullptr}});
// auto [item, element] = s.split(k_1, 256, {.names = {"item", "element"}});
// s.reorder({chunk, element, item});
// s.bind(chunk, block.x, Combine::atomic);
// s.bind(element, thread.x, Combine::atomic);
// auto H_shared = s.cache_shared(H, chunk);
// s.bind(s.axis("H.shared.init"), thread.x);
// s.bind(s.axis("H.shared.add"), thread.x);
// Axis bin = s.rename(s.axis("H.0.init"), "bin");
// s.bind(bin, thread.x);
//
// launch: grid ((n + 4095) / 4096, 1, 1), block (256, 1, 1), 1024 bytes of shared memory

extern "C" __global__ void
histogram_1(const unsigned char* __restrict__ data, int* __restrict__ H, int n) {
  __shared__ int H_shared[256];
  const int chunk = blockIdx.x;
  const int H_shared_init = threadIdx.x;
  H_shared[H_shared_init] = 0;
  __syncthreads();
  const int k_base = chunk * 4096 + threadIdx.x;
  for (int item = 0; item < 4096; item += 256) {
    if (k_base + item < n) {
      atomicAdd(&H_shared[(int)(data[k_base + item])], 1);
    }
  }
  __syncthreads();
  const int H_shared_add = threadIdx.x;
  atomicAdd(&H[H_shared_add], H_shared[H_shared_add]);
}
