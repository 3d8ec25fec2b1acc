// mean(i) = sum(k, X(i, k)) / 8192.0
// variance(i) = sum(k, (X(i, k) - mean(i)) * (X(i, k) - mean(i))) / 8192.0
// Y(i, j) = (X(i, j) - mean(i)) * rsqrt(variance(i) + 1e-05) * gamma(j) + beta(j)
// s.compute_at(variance, s.axis("i.Y"));
// s.compute_at(mean, s.axis("i.Y"));
// s.bind(s.axis("i.Y"), block.x);
// auto [k_2, k_thread] = s.split(k, 1024, {.names = {"k", "k_thread"}});
// s.reorder({k_thread, k_2});
// s.bind(k_thread, thread.x, Combine::two_level);
// auto [k_variance, k_variance_thread] = s.split(s.axis("k.variance"), 1024, {.names = {"k_variance", "k_variance_thread"}});
// s.reorder({k_variance_thread, k_variance});
// s.bind(k_variance_thread, thread.x, Combine::two_level);
// auto [j_2, j_thread] = s.split(j, 1024, {.names = {"j", "j_thread"}});
// s.reorder({j_thread, j_2});
// s.bind(j_thread, thread.x);
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
  const int k_thread = threadIdx.x;
  float mean_part = 0.0f;
  #pragma unroll
  for (int k = 0; k < 8; ++k) {
    mean_part += X_reg[k];
  }
  #pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    mean_part += __shfl_down_sync(0xffffffff, mean_part, offset);
  }
  if (k_thread % 32 == 0) {
    mean_warps[k_thread / 32] = mean_part;
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
  const int k_variance_thread = threadIdx.x;
  float variance_part = 0.0f;
  #pragma unroll
  for (int k_variance = 0; k_variance < 8; ++k_variance) {
    variance_part += (X_reg[k_variance] - mean) * (X_reg[k_variance] - mean);
  }
  #pragma unroll
  for (int offset_3 = 16; offset_3 > 0; offset_3 /= 2) {
    variance_part += __shfl_down_sync(0xffffffff, variance_part, offset_3);
  }
  if (k_variance_thread % 32 == 0) {
    variance_warps[k_variance_thread / 32] = variance_part;
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
  const int j_thread = threadIdx.x;
  #pragma unroll
  for (int j = 0; j < 8; ++j) {
    Y[i_Y * 8192 + j * 1024 + j_thread] = (X_reg[j] - mean) * rsqrtf(variance + 1e-05f) * gamma_[j * 1024 + j_thread] + beta[j * 1024 + j_thread];
  }
}
