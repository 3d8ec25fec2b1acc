// H(index(data(k))) = sum(k, 1)
// s.assume(n % 16 == 0);
// auto [chunk, k_1] = s.split(k, 16384, {.names = {"chunk", nullptr}});
// auto [item, k_1_1] = s.split(k_1, 4096, {.names = {"item", nullptr}});
// auto [vector, element] = s.split(k_1_1, 16, {.names = {"vector", "element"}});
// s.reorder({chunk, vector, item, element});
// s.unroll(item);
// s.bind(chunk, block.x, Combine::atomic);
// s.bind(vector, thread.x, Combine::atomic);
// auto H_shared = s.cache_shared(H, chunk);
// s.bind(s.axis("H.shared.init"), thread.x);
// s.bind(s.axis("H.shared.add"), thread.x);
// Axis bin = s.rename(s.axis("H.0.init"), "bin");
// s.bind(bin, thread.x);
// s.cache_registers(data, chunk, {.vectorize = 16});
//
// launch: grid (1, 1, 1), block (256, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
histogram_0(int* __restrict__ H) {
  const int bin = threadIdx.x;
  H[bin] = 0;
}
// H(index(data(k))) = sum(k, 1)
// s.assume(n % 16 == 0);
// auto [chunk, k_1] = s.split(k, 16384, {.names = {"chunk", nullptr}});
// auto [item, k_1_1] = s.split(k_1, 4096, {.names = {"item", nullptr}});
// auto [vector, element] = s.split(k_1_1, 16, {.names = {"vector", "element"}});
// s.reorder({chunk, vector, item, element});
// s.unroll(item);
// s.bind(chunk, block.x, Combine::atomic);
// s.bind(vector, thread.x, Combine::atomic);
// auto H_shared = s.cache_shared(H, chunk);
// s.bind(s.axis("H.shared.init"), thread.x);
// s.bind(s.axis("H.shared.add"), thread.x);
// Axis bin = s.rename(s.axis("H.0.init"), "bin");
// s.bind(bin, thread.x);
// s.cache_registers(data, chunk, {.vectorize = 16});
//
// launch: grid ((n + 16383) / 16384, 1, 1), block (256, 1, 1), 1024 bytes of shared memory

extern "C" __global__ void __launch_bounds__(256)
histogram_1(const unsigned char* __restrict__ data, int* __restrict__ H, int n) {
  __shared__ int H_shared[256];
  const int chunk = blockIdx.x;
  unsigned char data_reg[64];
  #pragma unroll
  for (int data_reg_o = 0; data_reg_o < 64; data_reg_o += 16) {
    const int data_reg_t = threadIdx.x;
    __align__(16) unsigned char data_vec[16];
    *reinterpret_cast<int4*>(data_vec) =
        (chunk * 16384 + data_reg_o * 256 + data_reg_t * 16 < n) ? *reinterpret_cast<const int4*>(&data[chunk * 16384 + data_reg_o * 256 + data_reg_t * 16]) : int4{};
    #pragma unroll
    for (int data_reg_v = 0; data_reg_v < 16; ++data_reg_v) {
      data_reg[data_reg_o + data_reg_v] = data_vec[data_reg_v];
    }
  }
  const int H_shared_init = threadIdx.x;
  H_shared[H_shared_init] = 0;
  __syncthreads();
  const int vector = threadIdx.x;
  #pragma unroll
  for (int item = 0; item < 64; item += 16) {
    if (chunk * 16384 + item * 256 + vector * 16 < n) {
      #pragma unroll
      for (int element = 0; element < 16; ++element) {
        atomicAdd(&H_shared[(int)(data_reg[item + element])], 1);
      }
    }
  }
  __syncthreads();
  const int H_shared_add = threadIdx.x;
  atomicAdd(&H[H_shared_add], H_shared[H_shared_add]);
}
