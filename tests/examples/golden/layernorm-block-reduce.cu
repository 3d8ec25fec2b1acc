// mean(i) = sum(k, X(i, k)) / 8192.0
// variance(i) = sum(k, (X(i, k) - mean(i)) * (X(i, k) - mean(i))) / 8192.0
// Y(i, j) = (X(i, j) - mean(i)) * rsqrt(variance(i) + 1e-05) * gamma(j) + beta(j)
// s.compute_at(variance, s.axis("i.Y"));
// s.compute_at(mean, s.axis("i.Y"));
// s.bind(s.axis("i.Y"), block.x);
// auto [k_0, k_1] = s.split(k, 256);
// s.reorder({k_1, k_0});
// s.bind(k_1, thread.x, Combine::sequential);
// auto [k_variance_0, k_variance_1] = s.split(s.axis("k.variance"), 256);
// s.reorder({k_variance_1, k_variance_0});
// s.bind(k_variance_1, thread.x, Combine::sequential);
// auto [j_0, j_1] = s.split(j, 256);
// s.reorder({j_1, j_0});
// s.bind(j_1, thread.x);
//
// launch: grid (M, 1, 1), block (256, 1, 1), 1024 bytes of shared memory

extern "C" __global__ void
layernorm(const float* __restrict__ X, const float* __restrict__ gamma_, const float* __restrict__ beta, float* __restrict__ Y, int M) {
  __shared__ __align__(16) unsigned char shared[1024];
  float (&mean_tree)[256] = *reinterpret_cast<float (*)[256]>(shared + 0);
  float (&variance_tree)[256] = *reinterpret_cast<float (*)[256]>(shared + 0);
  const int i_Y = blockIdx.x;
  float mean;
  const int k_1 = threadIdx.x;
  float mean_part = 0.0f;
  for (int k_0 = 0; k_0 < 8192; k_0 += 256) {
    mean_part += X[i_Y * 8192 + k_0 + k_1];
  }
  mean_tree[k_1] = mean_part;
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
  const int k_variance_1 = threadIdx.x;
  float variance_part = 0.0f;
  for (int k_variance_0 = 0; k_variance_0 < 8192; k_variance_0 += 256) {
    variance_part += (X[i_Y * 8192 + k_variance_0 + k_variance_1] - mean) * (X[i_Y * 8192 + k_variance_0 + k_variance_1] - mean);
  }
  variance_tree[k_variance_1] = variance_part;
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
  const int j_1 = threadIdx.x;
  for (int j_0 = 0; j_0 < 8192; j_0 += 256) {
    Y[i_Y * 8192 + j_0 + j_1] = (X[i_Y * 8192 + j_0 + j_1] - mean) * rsqrtf(variance + 1e-05f) * gamma_[j_0 + j_1] + beta[j_0 + j_1];
  }
}
