// S(j) = sum(k, X(k, j))
// s.assume(N % 128 == 0);
// auto [k_0, k_1] = s.split(k, 64);
// auto [k_1_0, k_1_1] = s.split(k_1, 8);
// auto [S_rf, k_0_2, k_0_S] = s.rfactor(S, k_0);
// auto [S_rf_rf, k_1_1_2, k_1_1_S_rf] = s.rfactor(S_rf, k_1_1);
// auto [j_0, j_1] = s.split(j, 128);
// s.reorder({k_0_S, j_0, j_1});
// auto [j_1_0, j_1_1] = s.split(j_1, 32);
// s.bind(k_0_S, block.y, Combine::atomic);
// s.bind(j_0, block.x);
// s.bind(j_1_0, thread.y);
// s.bind(j_1_1, thread.x);
// s.compute_at(S_rf, j_1_1);
// s.compute_at(S_rf_rf, j_0, {.scope = Scope::shared});
// s.unroll(k_1_1_S_rf);
// auto [j_rf_rf_0, j_rf_rf_1] = s.split(s.axis("j.rf.rf"), 4);
// s.bind(k_1_1_2, thread.y);
// s.bind(j_rf_rf_0, thread.x);
// s.reorder({k_1_0, j_rf_rf_1});
// s.cache_registers(S_rf_rf, j_rf_rf_0, {.vectorize = 4});
// s.cache_registers(X, k_1_0, {.vectorize = 4});
// s.unroll(k_1_0);
// s.bind(s.axis("j.0.init"), block.x);
// s.bind(s.axis("j.1.init"), thread.x);
//
// launch: grid (N / 128, 1, 1), block (128, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
colsum_0(float* __restrict__ S, int N) {
  const int j_0_init = blockIdx.x;
  const int j_1_init = threadIdx.x;
  S[j_0_init * 128 + j_1_init] = 0.0f;
}
// S(j) = sum(k, X(k, j))
// s.assume(N % 128 == 0);
// auto [k_0, k_1] = s.split(k, 64);
// auto [k_1_0, k_1_1] = s.split(k_1, 8);
// auto [S_rf, k_0_2, k_0_S] = s.rfactor(S, k_0);
// auto [S_rf_rf, k_1_1_2, k_1_1_S_rf] = s.rfactor(S_rf, k_1_1);
// auto [j_0, j_1] = s.split(j, 128);
// s.reorder({k_0_S, j_0, j_1});
// auto [j_1_0, j_1_1] = s.split(j_1, 32);
// s.bind(k_0_S, block.y, Combine::atomic);
// s.bind(j_0, block.x);
// s.bind(j_1_0, thread.y);
// s.bind(j_1_1, thread.x);
// s.compute_at(S_rf, j_1_1);
// s.compute_at(S_rf_rf, j_0, {.scope = Scope::shared});
// s.unroll(k_1_1_S_rf);
// auto [j_rf_rf_0, j_rf_rf_1] = s.split(s.axis("j.rf.rf"), 4);
// s.bind(k_1_1_2, thread.y);
// s.bind(j_rf_rf_0, thread.x);
// s.reorder({k_1_0, j_rf_rf_1});
// s.cache_registers(S_rf_rf, j_rf_rf_0, {.vectorize = 4});
// s.cache_registers(X, k_1_0, {.vectorize = 4});
// s.unroll(k_1_0);
// s.bind(s.axis("j.0.init"), block.x);
// s.bind(s.axis("j.1.init"), thread.x);
//
// launch: grid (N / 128, (M + 63) / 64, 1), block (32, 8, 1), 4096 bytes of shared memory

extern "C" __global__ void __launch_bounds__(256)
colsum_1(const float* __restrict__ X, float* __restrict__ S, int N, int M) {
  __shared__ __align__(16) float S_rf_rf[8][128];
  const int k_0_S = blockIdx.y;
  const int j_0 = blockIdx.x;
  const int k_1_1 = threadIdx.y;
  const int j_rf_rf_0 = threadIdx.x;
  __align__(16) float S_reg[4] = {};
  const int k_base = k_0_S * 64 + k_1_1;
  #pragma unroll
  for (int k_1_0 = 0; k_1_0 < 64; k_1_0 += 8) {
    float X_reg[4];
    __align__(16) float X_vec[4];
    *reinterpret_cast<float4*>(X_vec) =
        (k_base + k_1_0 < M) ? *reinterpret_cast<const float4*>(&X[(k_base + k_1_0) * N + j_0 * 128 + j_rf_rf_0 * 4]) : float4{};
    #pragma unroll
    for (int X_reg_v = 0; X_reg_v < 4; ++X_reg_v) {
      X_reg[X_reg_v] = X_vec[X_reg_v];
    }
    #pragma unroll
    for (int j_rf_rf_1 = 0; j_rf_rf_1 < 4; ++j_rf_rf_1) {
      S_reg[j_rf_rf_1] += X_reg[j_rf_rf_1];
    }
  }
  *reinterpret_cast<float4*>(&S_rf_rf[k_1_1][j_rf_rf_0 * 4]) =
      *reinterpret_cast<const float4*>(S_reg);
  __syncthreads();
  const int j_1_0 = threadIdx.y;
  if (j_1_0 < 4) {
    const int j_1_1 = threadIdx.x;
    float S_rf = 0.0f;
    #pragma unroll
    for (int k_1_1_S_rf = 0; k_1_1_S_rf < 8; ++k_1_1_S_rf) {
      S_rf += S_rf_rf[k_1_1_S_rf][j_1_0 * 32 + j_1_1];
    }
    atomicAdd(&S[j_0 * 128 + j_1_0 * 32 + j_1_1], S_rf);
  }
}
