// mean(i) = sum(k, X(i, k)) / 8192.0
// variance(i) = sum(k, (X(i, k) - mean(i)) * (X(i, k) - mean(i))) / 8192.0
// Y(i, j) = (X(i, j) - mean(i)) * rsqrt(variance(i) + 1e-05) * gamma(j) + beta(j)
// s.compute_at(variance, s.axis("i.Y"));
// s.compute_at(mean, s.axis("i.Y"));
// s.bind(s.axis("i.Y"), block.x);
// auto [k_2, k_thread] = s.split(k, 256, {.names = {"k", "k_thread"}});
// s.reorder({k_thread, k_2});
// s.bind(k_thread, thread.x, Combine::sequential);
// auto [k_variance, k_variance_thread] = s.split(s.axis("k.variance"), 256, {.names = {"k_variance", "k_variance_thread"}});
// s.reorder({k_variance_thread, k_variance});
// s.bind(k_variance_thread, thread.x, Combine::sequential);
// auto [j_2, j_thread] = s.split(j, 256, {.names = {"j", "j_thread"}});
// s.reorder({j_thread, j_2});
// s.bind(j_thread, thread.x);
//
// launch: grid (M, 1, 1), block (256, 1, 1), 1024 bytes of shared memory

extern "C" __global__ void
layernorm(const float* __restrict__ X, const float* __restrict__ gamma_, const float* __restrict__ beta, float* __restrict__ Y, int M) {
  __shared__ __align__(16) unsigned char shared[1024];
  float (&mean_tree)[256] = *reinterpret_cast<float (*)[256]>(shared + 0);
  float (&variance_tree)[256] = *reinterpret_cast<float (*)[256]>(shared + 0);
  const int i_Y = blockIdx.x;
  float mean;
  const int k_thread = threadIdx.x;
  float mean_part = 0.0f;
  for (int k = 0; k < 8192; k += 256) {
    mean_part += X[i_Y * 8192 + k + k_thread];
  }
  mean_tree[k_thread] = mean_part;
  __syncthreads();
  for (int stride = 128; stride > 0; stride /= 2) {
    const int t = threadIdx.x;
    if (t < stride) {
      mean_tree[t] += mean_tree[t + stride];
    }
    __syncthreads();
  }
  mean = mean_tree[0];
  mean = mean / 8192.0f;
  __syncthreads();
  float variance;
  const int k_variance_thread = threadIdx.x;
  float variance_part = 0.0f;
  for (int k_variance = 0; k_variance < 8192; k_variance += 256) {
    variance_part += (X[i_Y * 8192 + k_variance + k_variance_thread] - mean) * (X[i_Y * 8192 + k_variance + k_variance_thread] - mean);
  }
  variance_tree[k_variance_thread] = variance_part;
  __syncthreads();
  for (int stride_2 = 128; stride_2 > 0; stride_2 /= 2) {
    const int t_2 = threadIdx.x;
    if (t_2 < stride_2) {
      variance_tree[t_2] += variance_tree[t_2 + stride_2];
    }
    __syncthreads();
  }
  variance = variance_tree[0];
  variance = variance / 8192.0f;
  const int j_thread = threadIdx.x;
  for (int j = 0; j < 8192; j += 256) {
    Y[i_Y * 8192 + j + j_thread] = (X[i_Y * 8192 + j + j_thread] - mean) * rsqrtf(variance + 1e-05f) * gamma_[j + j_thread] + beta[j + j_thread];
  }
}
