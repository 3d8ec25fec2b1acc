// y(i) = sum(k, A(i, k) * x(k))
// s.assume(N % 4 == 0);
// auto [step, k_1] = s.split(k, 8192, {.names = {"step", nullptr}});
// auto [item, k_1_1] = s.split(k_1, 1024, {.names = {"item", nullptr}});
// auto [vector, element] = s.split(k_1_1, 4, {.names = {"vector", "element"}});
// s.reorder({vector, step, item, element});
// s.bind(i, block.x);
// s.bind(vector, thread.x, Combine::two_level);
// s.cache_registers(A, item, {.vectorize = 4});
// s.unroll(item);
//
// launch: grid (M, 1, 1), block (256, 1, 1), 32 bytes of shared memory

extern "C" __global__ void __launch_bounds__(256)
matvec(const float* __restrict__ A, const float* __restrict__ x, float* __restrict__ y, int M, int N) {
  __shared__ float y_warps[8];
  const int i = blockIdx.x;
  const int vector = threadIdx.x;
  float y_part = 0.0f;
  for (int step = 0; step < N; step += 8192) {
    #pragma unroll
    for (int item = 0; item < 8192; item += 1024) {
      float A_reg[4];
      __align__(16) float A_vec[4];
      *reinterpret_cast<float4*>(A_vec) =
          (step + item + vector * 4 < N) ? *reinterpret_cast<const float4*>(&A[i * N + step + item + vector * 4]) : float4{};
      #pragma unroll
      for (int A_reg_v = 0; A_reg_v < 4; ++A_reg_v) {
        A_reg[A_reg_v] = A_vec[A_reg_v];
      }
      if (step + item + vector * 4 < N) {
        #pragma unroll
        for (int element = 0; element < 4; ++element) {
          y_part += A_reg[element] * x[step + item + vector * 4 + element];
        }
      }
    }
  }
  #pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    y_part += __shfl_down_sync(0xffffffff, y_part, offset);
  }
  if (vector % 32 == 0) {
    y_warps[vector / 32] = y_part;
  }
  __syncthreads();
  const int t = threadIdx.x;
  if (t < 8) {
    float y_last = y_warps[t];
    #pragma unroll
    for (int offset_2 = 4; offset_2 > 0; offset_2 /= 2) {
      y_last += __shfl_down_sync(0xff, y_last, offset_2);
    }
    if (t == 0) {
      y[i] = y_last;
    }
  }
}
