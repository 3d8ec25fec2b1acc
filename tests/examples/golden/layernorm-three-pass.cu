// mean(i) = sum(k, X(i, k)) / f32(N)
// variance(i) = sum(k, (X(i, k) - mean(i)) * (X(i, k) - mean(i))) / f32(N)
// Y(i, j) = (X(i, j) - mean(i)) * rsqrt(variance(i) + 1e-05) * gamma(j) + beta(j)
// auto [i_0, i_1] = s.split(i, 128);
// s.bind(i_0, block.x);
// s.bind(i_1, thread.x);
// s.cache_registers(mean, i_1);
// auto [i_variance_0, i_variance_1] = s.split(s.axis("i.variance"), 128);
// s.bind(i_variance_0, block.x);
// s.bind(i_variance_1, thread.x);
// s.cache_registers(variance, i_variance_1);
// auto [i_Y_0, i_Y_1] = s.split(s.axis("i.Y"), 128);
// s.bind(i_Y_0, block.x);
// s.bind(i_Y_1, thread.x);
//
// launch: grid ((M + 127) / 128, 1, 1), block (128, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
layernorm_0(const float* __restrict__ X, float* __restrict__ mean, int M, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M) {
    float mean_reg = 0.0f;
    for (int k = 0; k < N; ++k) {
      mean_reg += X[i * N + k];
    }
    mean_reg = mean_reg / (float)(N);
    mean[i] = mean_reg;
  }
}
// mean(i) = sum(k, X(i, k)) / f32(N)
// variance(i) = sum(k, (X(i, k) - mean(i)) * (X(i, k) - mean(i))) / f32(N)
// Y(i, j) = (X(i, j) - mean(i)) * rsqrt(variance(i) + 1e-05) * gamma(j) + beta(j)
// auto [i_0, i_1] = s.split(i, 128);
// s.bind(i_0, block.x);
// s.bind(i_1, thread.x);
// s.cache_registers(mean, i_1);
// auto [i_variance_0, i_variance_1] = s.split(s.axis("i.variance"), 128);
// s.bind(i_variance_0, block.x);
// s.bind(i_variance_1, thread.x);
// s.cache_registers(variance, i_variance_1);
// auto [i_Y_0, i_Y_1] = s.split(s.axis("i.Y"), 128);
// s.bind(i_Y_0, block.x);
// s.bind(i_Y_1, thread.x);
//
// launch: grid ((M + 127) / 128, 1, 1), block (128, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
layernorm_1(const float* __restrict__ X, const float* __restrict__ mean, float* __restrict__ variance, int M, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M) {
    float variance_reg = 0.0f;
    for (int k_variance = 0; k_variance < N; ++k_variance) {
      variance_reg += (X[i * N + k_variance] - mean[i]) * (X[i * N + k_variance] - mean[i]);
    }
    variance_reg = variance_reg / (float)(N);
    variance[i] = variance_reg;
  }
}
// mean(i) = sum(k, X(i, k)) / f32(N)
// variance(i) = sum(k, (X(i, k) - mean(i)) * (X(i, k) - mean(i))) / f32(N)
// Y(i, j) = (X(i, j) - mean(i)) * rsqrt(variance(i) + 1e-05) * gamma(j) + beta(j)
// auto [i_0, i_1] = s.split(i, 128);
// s.bind(i_0, block.x);
// s.bind(i_1, thread.x);
// s.cache_registers(mean, i_1);
// auto [i_variance_0, i_variance_1] = s.split(s.axis("i.variance"), 128);
// s.bind(i_variance_0, block.x);
// s.bind(i_variance_1, thread.x);
// s.cache_registers(variance, i_variance_1);
// auto [i_Y_0, i_Y_1] = s.split(s.axis("i.Y"), 128);
// s.bind(i_Y_0, block.x);
// s.bind(i_Y_1, thread.x);
//
// launch: grid ((M + 127) / 128, 1, 1), block (128, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
layernorm_2(const float* __restrict__ X, const float* __restrict__ gamma_, const float* __restrict__ beta, float* __restrict__ Y, const float* __restrict__ mean, const float* __restrict__ variance, int M, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M) {
    for (int j = 0; j < N; ++j) {
      Y[i * N + j] = (X[i * N + j] - mean[i]) * rsqrtf(variance[i] + 1e-05f) * gamma_[j] + beta[j];
    }
  }
}
