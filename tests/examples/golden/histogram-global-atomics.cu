// H(index(data(k))) = sum(k, 1)
// auto [chunk, element] = s.split(k, 256, {.names = {"chunk", "element"}});
// s.bind(chunk, block.x, Combine::atomic);
// s.bind(element, thread.x, Combine::atomic);
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
// auto [chunk, element] = s.split(k, 256, {.names = {"chunk", "element"}});
// s.bind(chunk, block.x, Combine::atomic);
// s.bind(element, thread.x, Combine::atomic);
// Axis bin = s.rename(s.axis("H.0.init"), "bin");
// s.bind(bin, thread.x);
//
// launch: grid ((n + 255) / 256, 1, 1), block (256, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
histogram_1(const unsigned char* __restrict__ data, int* __restrict__ H, int n) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k < n) {
    atomicAdd(&H[(int)(data[k])], 1);
  }
}
