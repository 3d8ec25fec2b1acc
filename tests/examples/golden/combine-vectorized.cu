// D(i) = C(i) / (A(i) * A(i) + B(i) * B(i) + 1.0)
// s.assume(n % 4 == 0);
// auto [vector, element] = s.split(i, 4, {.names = {"vector", "element"}});
// auto [chunk, vector_2] = s.split(vector, 256, {.names = {"chunk", "vector"}});
// s.bind(chunk, block.x);
// s.bind(vector_2, thread.x);
// s.vectorize(element);
//
// launch: grid ((n / 4 + 255) / 256, 1, 1), block (256, 1, 1), 0 bytes of shared memory

extern "C" __global__ void __launch_bounds__(256)
combine(const float* __restrict__ C, const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ D, int n) {
  const int chunk = blockIdx.x;
  const int vector = threadIdx.x;
  const int i_base = chunk * 1024 + vector * 4;
  if (chunk * 256 + vector < n / 4) {
    __align__(16) float C_vec[4];
    *reinterpret_cast<float4*>(C_vec) = *reinterpret_cast<const float4*>(&C[i_base]);
    __align__(16) float A_vec[4];
    *reinterpret_cast<float4*>(A_vec) = *reinterpret_cast<const float4*>(&A[i_base]);
    __align__(16) float B_vec[4];
    *reinterpret_cast<float4*>(B_vec) = *reinterpret_cast<const float4*>(&B[i_base]);
    __align__(16) float D_vec[4];
    #pragma unroll
    for (int element = 0; element < 4; ++element) {
      D_vec[element] = C_vec[element] / (A_vec[element] * A_vec[element] + B_vec[element] * B_vec[element] + 1.0f);
    }
    *reinterpret_cast<float4*>(&D[i_base]) = *reinterpret_cast<const float4*>(D_vec);
  }
}
