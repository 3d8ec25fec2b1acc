// mean(i) = sum(k, X(i, k)) / 8192.0
// variance(i) = sum(k, (X(i, k) - mean(i)) * (X(i, k) - mean(i))) / 8192.0
// Y(i, j) = (X(i, j) - mean(i)) * rsqrt(variance(i) + 1e-05) * gamma(j) + beta(j)
// s.compute_at(variance, s.axis("i.Y"));
// s.compute_at(mean, s.axis("i.Y"));
// s.bind(s.axis("i.Y"), block.x);
// auto [k_2, k_1] = s.split(k, 2048, {.names = {"k", nullptr}});
// auto [k_thread, k_element] = s.split(k_1, 4, {.names = {"k_thread", "k_element"}});
// s.reorder({k_thread, k_2, k_element});
// s.bind(k_thread, thread.x, Combine::two_level);
// auto [k_variance, k_variance_1] = s.split(s.axis("k.variance"), 2048, {.names = {"k_variance", nullptr}});
// auto [k_variance_thread, k_variance_element] = s.split(k_variance_1, 4, {.names = {"k_variance_thread", "k_variance_element"}});
// s.reorder({k_variance_thread, k_variance, k_variance_element});
// s.bind(k_variance_thread, thread.x, Combine::two_level);
// auto [j_2, j_1] = s.split(j, 2048, {.names = {"j", nullptr}});
// auto [j_thread, j_element] = s.split(j_1, 4, {.names = {"j_thread", "j_element"}});
// s.reorder({j_thread, j_2, j_element});
// s.bind(j_thread, thread.x);
// s.vectorize(j_element);
// s.cache_registers(X, s.axis("i.Y"), {.vectorize = 4});
// s.launch_bounds(s.axis("i.Y"), 2);
//
// launch: grid (M, 1, 1), block (512, 1, 1), 128 bytes of shared memory

extern "C" __global__ void __launch_bounds__(512, 2)
layernorm(const float* __restrict__ X, const float* __restrict__ gamma_, const float* __restrict__ beta, float* __restrict__ Y, int M) {
  __shared__ float mean_warps[16];
  __shared__ float variance_warps[16];
  const int i_Y = blockIdx.x;
  __align__(16) float X_reg[16];
  #pragma unroll
  for (int X_reg_o = 0; X_reg_o < 16; X_reg_o += 4) {
    const int X_reg_t = threadIdx.x;
    *reinterpret_cast<float4*>(&X_reg[X_reg_o]) =
        *reinterpret_cast<const float4*>(&X[i_Y * 8192 + X_reg_o * 512 + X_reg_t * 4]);
  }
  float mean;
  const int k_thread = threadIdx.x;
  float mean_part = 0.0f;
  #pragma unroll
  for (int k = 0; k < 16; k += 4) {
    #pragma unroll
    for (int k_element = 0; k_element < 4; ++k_element) {
      mean_part += X_reg[k + k_element];
    }
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
  float mean_last = mean_warps[t % 16];
  #pragma unroll
  for (int offset_2 = 8; offset_2 > 0; offset_2 /= 2) {
    mean_last += __shfl_xor_sync(0xffffffff, mean_last, offset_2);
  }
  mean = mean_last;
  mean = mean / 8192.0f;
  float variance;
  const int k_variance_thread = threadIdx.x;
  float variance_part = 0.0f;
  #pragma unroll
  for (int k_variance = 0; k_variance < 16; k_variance += 4) {
    #pragma unroll
    for (int k_variance_element = 0; k_variance_element < 4; ++k_variance_element) {
      variance_part += (X_reg[k_variance + k_variance_element] - mean) * (X_reg[k_variance + k_variance_element] - mean);
    }
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
  float variance_last = variance_warps[t_2 % 16];
  #pragma unroll
  for (int offset_4 = 8; offset_4 > 0; offset_4 /= 2) {
    variance_last += __shfl_xor_sync(0xffffffff, variance_last, offset_4);
  }
  variance = variance_last;
  variance = variance / 8192.0f;
  const int j_thread = threadIdx.x;
  #pragma unroll
  for (int j = 0; j < 16; j += 4) {
    __align__(16) float gamma_vec[4];
    *reinterpret_cast<float4*>(gamma_vec) =
        *reinterpret_cast<const float4*>(&gamma_[j * 512 + j_thread * 4]);
    __align__(16) float beta_vec[4];
    *reinterpret_cast<float4*>(beta_vec) =
        *reinterpret_cast<const float4*>(&beta[j * 512 + j_thread * 4]);
    __align__(16) float Y_vec[4];
    #pragma unroll
    for (int j_element = 0; j_element < 4; ++j_element) {
      Y_vec[j_element] = (X_reg[j + j_element] - mean) * rsqrtf(variance + 1e-05f) * gamma_vec[j_element] + beta_vec[j_element];
    }
    *reinterpret_cast<float4*>(&Y[i_Y * 8192 + j * 512 + j_thread * 4]) =
        *reinterpret_cast<const float4*>(Y_vec);
  }
}
