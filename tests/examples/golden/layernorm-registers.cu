// mean(i) = sum(k, X(i, k)) / 8192.0
// variance(i) = sum(k, (X(i, k) - mean(i)) * (X(i, k) - mean(i))) / 8192.0
// Y(i, j) = (X(i, j) - mean(i)) * rsqrt(variance(i) + 1e-05) * gamma(j) + beta(j)
// s.compute_at(variance, s.axis("i.Y"));
// s.compute_at(mean, s.axis("i.Y"));
// s.bind(s.axis("i.Y"), block.x);
// auto [k_0, k_1] = s.split(k, 1024);
// s.reorder({k_1, k_0});
// s.bind(k_1, thread.x, Combine::two_level);
// auto [k_variance_0, k_variance_1] = s.split(s.axis("k.variance"), 1024);
// s.reorder({k_variance_1, k_variance_0});
// s.bind(k_variance_1, thread.x, Combine::two_level);
// auto [j_0, j_1] = s.split(j, 1024);
// s.reorder({j_1, j_0});
// s.bind(j_1, thread.x);
// s.cache_registers(X, s.axis("i.Y"));
//
// launch: grid (M, 1, 1), block (1024, 1, 1), 256 bytes of shared memory

extern "C" __global__ void __launch_bounds__(1024)
layernorm(const float* __restrict__ X, const float* __restrict__ gamma_, const float* __restrict__ beta, float* __restrict__ Y, int M) {
  __shared__ float mean_warps[32];
  __shared__ float variance_warps[32];
  const int i_Y = blockIdx.x;
  float X_reg[8];
  #pragma unroll
  for (int X_reg_o = 0; X_reg_o < 8; ++X_reg_o) {
    const int X_reg_t = threadIdx.x;
    X_reg[X_reg_o] = X[i_Y * 8192 + X_reg_o * 1024 + X_reg_t];
  }
  float mean;
  const int k_1 = threadIdx.x;
  float mean_part = 0.0f;
  #pragma unroll
  for (int k_0 = 0; k_0 < 8; ++k_0) {
    mean_part += X_reg[k_0];
  }
  #pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    mean_part += __shfl_down_sync(0xffffffff, mean_part, offset);
  }
  if (k_1 % 32 == 0) {
    mean_warps[k_1 / 32] = mean_part;
  }
  __syncthreads();
  const int t = threadIdx.x;
  float mean_last = mean_warps[t % 32];
  #pragma unroll
  for (int offset_2 = 16; offset_2 > 0; offset_2 /= 2) {
    mean_last += __shfl_xor_sync(0xffffffff, mean_last, offset_2);
  }
  mean = mean_last;
  mean = mean / 8192.0f;
  float variance;
  const int k_variance_1 = threadIdx.x;
  float variance_part = 0.0f;
  #pragma unroll
  for (int k_variance_0 = 0; k_variance_0 < 8; ++k_variance_0) {
    variance_part += (X_reg[k_variance_0] - mean) * (X_reg[k_variance_0] - mean);
  }
  #pragma unroll
  for (int offset_3 = 16; offset_3 > 0; offset_3 /= 2) {
    variance_part += __shfl_down_sync(0xffffffff, variance_part, offset_3);
  }
  if (k_variance_1 % 32 == 0) {
    variance_warps[k_variance_1 / 32] = variance_part;
  }
  __syncthreads();
  const int t_2 = threadIdx.x;
  float variance_last = variance_warps[t_2 % 32];
  #pragma unroll
  for (int offset_4 = 16; offset_4 > 0; offset_4 /= 2) {
    variance_last += __shfl_xor_sync(0xffffffff, variance_last, offset_4);
  }
  variance = variance_last;
  variance = variance / 8192.0f;
  const int j_1 = threadIdx.x;
  #pragma unroll
  for (int j_0 = 0; j_0 < 8; ++j_0) {
    Y[i_Y * 8192 + j_0 * 1024 + j_1] = (X_reg[j_0] - mean) * rsqrtf(variance + 1e-05f) * gamma_[j_0 * 1024 + j_1] + beta[j_0 * 1024 + j_1];
  }
}
