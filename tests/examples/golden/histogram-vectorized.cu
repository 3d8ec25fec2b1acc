// H(index(data(k))) = sum(k, 1)
// s.assume(n % 16 == 0);
// auto [k_0, k_1] = s.split(k, 16384);
// auto [k_1_0, k_1_1] = s.split(k_1, 4096);
// auto [k_1_1_0, k_1_1_1] = s.split(k_1_1, 16);
// s.reorder({k_0, k_1_1_0, k_1_0, k_1_1_1});
// s.unroll(k_1_0);
// s.bind(k_0, block.x, Combine::atomic);
// s.bind(k_1_1_0, thread.x, Combine::atomic);
// auto H_shared = s.cache_shared(H, k_0);
// s.bind(s.axis("H.shared.init"), thread.x);
// s.bind(s.axis("H.shared.add"), thread.x);
// s.bind(s.axis("H.0.init"), thread.x);
// s.cache_registers(data, k_0, {.vectorize = 16});
//
// launch: grid (1, 1, 1), block (256, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
histogram_0(int* __restrict__ H) {
  const int H_0_init = threadIdx.x;
  H[H_0_init] = 0;
}
// H(index(data(k))) = sum(k, 1)
// s.assume(n % 16 == 0);
// auto [k_0, k_1] = s.split(k, 16384);
// auto [k_1_0, k_1_1] = s.split(k_1, 4096);
// auto [k_1_1_0, k_1_1_1] = s.split(k_1_1, 16);
// s.reorder({k_0, k_1_1_0, k_1_0, k_1_1_1});
// s.unroll(k_1_0);
// s.bind(k_0, block.x, Combine::atomic);
// s.bind(k_1_1_0, thread.x, Combine::atomic);
// auto H_shared = s.cache_shared(H, k_0);
// s.bind(s.axis("H.shared.init"), thread.x);
// s.bind(s.axis("H.shared.add"), thread.x);
// s.bind(s.axis("H.0.init"), thread.x);
// s.cache_registers(data, k_0, {.vectorize = 16});
//
// launch: grid ((n + 16383) / 16384, 1, 1), block (256, 1, 1), 1024 bytes of shared memory

extern "C" __global__ void __launch_bounds__(256)
histogram_1(const unsigned char* __restrict__ data, int* __restrict__ H, int n) {
  __shared__ int H_shared[256];
  const int k_0 = blockIdx.x;
  unsigned char data_reg[64];
  #pragma unroll
  for (int data_reg_o = 0; data_reg_o < 64; data_reg_o += 16) {
    const int data_reg_t = threadIdx.x;
    __align__(16) unsigned char data_vec[16];
    *reinterpret_cast<int4*>(data_vec) =
        (k_0 * 16384 + data_reg_o * 256 + data_reg_t * 16 < n) ? *reinterpret_cast<const int4*>(&data[k_0 * 16384 + data_reg_o * 256 + data_reg_t * 16]) : int4{};
    #pragma unroll
    for (int data_reg_v = 0; data_reg_v < 16; ++data_reg_v) {
      data_reg[data_reg_o + data_reg_v] = data_vec[data_reg_v];
    }
  }
  const int H_shared_init = threadIdx.x;
  H_shared[H_shared_init] = 0;
  __syncthreads();
  const int k_1_1_0 = threadIdx.x;
  #pragma unroll
  for (int k_1_0 = 0; k_1_0 < 64; k_1_0 += 16) {
    if (k_0 * 16384 + k_1_0 * 256 + k_1_1_0 * 16 < n) {
      #pragma unroll
      for (int k_1_1_1 = 0; k_1_1_1 < 16; ++k_1_1_1) {
        atomicAdd(&H_shared[(int)(data_reg[k_1_0 + k_1_1_1])], 1);
      }
    }
  }
  __syncthreads();
  const int H_shared_add = threadIdx.x;
  atomicAdd(&H[H_shared_add], H_shared[H_shared_add]);
}
