// S() = sum(k, A(k))
// s.assume(n % 4 == 0);
// auto [batch, k_1] = s.split(k, 16384, {.names = {"batch", nullptr}});
// auto [item, k_1_1] = s.split(k_1, 2048, {.names = {"item", nullptr}});
// auto [vector, element] = s.split(k_1_1, 4, {.names = {"vector", "element"}});
// s.reorder({vector, item});
// s.bind(batch, block.x, Combine::atomic);
// s.bind(vector, thread.x, Combine::two_level);
// s.unroll(item);
// s.cache_registers(A, item, {.vectorize = 4});
//
// launch: grid (1, 1, 1), block (1, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
reduce_0(float* __restrict__ S) {
  S[0] = 0.0f;
}
// S() = sum(k, A(k))
// s.assume(n % 4 == 0);
// auto [batch, k_1] = s.split(k, 16384, {.names = {"batch", nullptr}});
// auto [item, k_1_1] = s.split(k_1, 2048, {.names = {"item", nullptr}});
// auto [vector, element] = s.split(k_1_1, 4, {.names = {"vector", "element"}});
// s.reorder({vector, item});
// s.bind(batch, block.x, Combine::atomic);
// s.bind(vector, thread.x, Combine::two_level);
// s.unroll(item);
// s.cache_registers(A, item, {.vectorize = 4});
//
// launch: grid ((n + 16383) / 16384, 1, 1), block (512, 1, 1), 64 bytes of shared memory

extern "C" __global__ void __launch_bounds__(512)
reduce_1(const float* __restrict__ A, float* __restrict__ S, int n) {
  __shared__ float S_warps[16];
  const int batch = blockIdx.x;
  const int vector = threadIdx.x;
  float S_part = 0.0f;
  const int k_base = batch * 16384 + vector * 4;
  #pragma unroll
  for (int item = 0; item < 16384; item += 2048) {
    float A_reg[4];
    __align__(16) float A_vec[4];
    *reinterpret_cast<float4*>(A_vec) =
        (k_base + item < n) ? *reinterpret_cast<const float4*>(&A[k_base + item]) : float4{};
    #pragma unroll
    for (int A_reg_v = 0; A_reg_v < 4; ++A_reg_v) {
      A_reg[A_reg_v] = A_vec[A_reg_v];
    }
    #pragma unroll
    for (int element = 0; element < 4; ++element) {
      S_part += A_reg[element];
    }
  }
  #pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    S_part += __shfl_down_sync(0xffffffff, S_part, offset);
  }
  if (vector % 32 == 0) {
    S_warps[vector / 32] = S_part;
  }
  __syncthreads();
  const int t = threadIdx.x;
  if (t < 16) {
    float S_last = S_warps[t];
    #pragma unroll
    for (int offset_2 = 8; offset_2 > 0; offset_2 /= 2) {
      S_last += __shfl_down_sync(0xffff, S_last, offset_2);
    }
    if (t == 0) {
      atomicAdd(&S[0], S_last);
    }
  }
}
