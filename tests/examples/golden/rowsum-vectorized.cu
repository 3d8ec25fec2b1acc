// S(i) = sum(k, X(i, k))
// s.assume(N % 4 == 0);
// auto [step, k_1] = s.split(k, 8192, {.names = {"step", nullptr}});
// auto [item, k_1_1] = s.split(k_1, 1024, {.names = {"item", nullptr}});
// auto [vector, element] = s.split(k_1_1, 4, {.names = {"vector", "element"}});
// s.reorder({vector, step, item, element});
// s.bind(i, block.x);
// s.bind(vector, thread.x, Combine::two_level);
// s.cache_registers(X, item, {.vectorize = 4});
// s.unroll(item);
//
// launch: grid (M, 1, 1), block (256, 1, 1), 32 bytes of shared memory

extern "C" __global__ void __launch_bounds__(256)
rowsum(const float* __restrict__ X, float* __restrict__ S, int M, int N) {
  __shared__ float S_warps[8];
  const int i = blockIdx.x;
  const int vector = threadIdx.x;
  float S_part = 0.0f;
  for (int step = 0; step < N; step += 8192) {
    #pragma unroll
    for (int item = 0; item < 8192; item += 1024) {
      float X_reg[4];
      __align__(16) float X_vec[4];
      *reinterpret_cast<float4*>(X_vec) =
          (step + item + vector * 4 < N) ? *reinterpret_cast<const float4*>(&X[i * N + step + item + vector * 4]) : float4{};
      #pragma unroll
      for (int X_reg_v = 0; X_reg_v < 4; ++X_reg_v) {
        X_reg[X_reg_v] = X_vec[X_reg_v];
      }
      #pragma unroll
      for (int element = 0; element < 4; ++element) {
        S_part += X_reg[element];
      }
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
  if (t < 8) {
    float S_last = S_warps[t];
    #pragma unroll
    for (int offset_2 = 4; offset_2 > 0; offset_2 /= 2) {
      S_last += __shfl_down_sync(0xff, S_last, offset_2);
    }
    if (t == 0) {
      S[i] = S_last;
    }
  }
}
