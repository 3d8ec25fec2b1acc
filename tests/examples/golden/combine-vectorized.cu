// D(i) = C(i) / (A(i) * A(i) + B(i) * B(i) + 1.0)
// s.assume(n % 4 == 0);
// auto [i_0, i_1] = s.split(i, 4);
// auto [i_0_0, i_0_1] = s.split(i_0, 256);
// s.bind(i_0_0, block.x);
// s.bind(i_0_1, thread.x);
// s.vectorize(i_1);
//
// launch: grid ((n / 4 + 255) / 256, 1, 1), block (256, 1, 1), 0 bytes of shared memory

extern "C" __global__ void __launch_bounds__(256)
combine(const float* __restrict__ C, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ D, int n) {
  const int i_0_0 = blockIdx.x;
  const int i_0_1 = threadIdx.x;
  const int i_base = i_0_0 * 1024 + i_0_1 * 4;
  if (i_0_0 * 256 + i_0_1 < n / 4) {
    __align__(16) float C_vec[4];
    *reinterpret_cast<float4*>(C_vec) = *reinterpret_cast<const float4*>(&C[i_base]);
    __align__(16) float A_vec[4];
    *reinterpret_cast<float4*>(A_vec) = *reinterpret_cast<const float4*>(&A[i_base]);
    __align__(16) float B_vec[4];
    *reinterpret_cast<float4*>(B_vec) = *reinterpret_cast<const float4*>(&B[i_base]);
    __align__(16) float D_vec[4];
    #pragma unroll
    for (int i_1 = 0; i_1 < 4; ++i_1) {
      D_vec[i_1] = C_vec[i_1] / (A_vec[i_1] * A_vec[i_1] + B_vec[i_1] * B_vec[i_1] + 1.0f);
    }
    *reinterpret_cast<float4*>(&D[i_base]) = *reinterpret_cast<const float4*>(D_vec);
  }
}
