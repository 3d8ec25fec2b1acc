// mean(i) = sum(k, X(i, k)) / 8192.0
// variance(i) = sum(k, (X(i, k) - mean(i)) * (X(i, k) - mean(i))) / 8192.0
// Y(i, j) = (X(i, j) - mean(i)) * rsqrt(variance(i) + 1e-05) * gamma(j) + beta(j)
// auto [mean_chunk, mean_row] = s.split(i, 128, {.names = {"mean_chunk", "mean_row"}});
// s.bind(mean_chunk, block.x);
// s.bind(mean_row, thread.x);
// s.cache_registers(mean, mean_row);
// auto [variance_chunk, variance_row] = s.split(s.axis("i.variance"), 128, {.names = {"variance_chunk", "variance_row"}});
// s.bind(variance_chunk, block.x);
// s.bind(variance_row, thread.x);
// s.cache_registers(variance, variance_row);
// auto [Y_chunk, Y_row] = s.split(s.axis("i.Y"), 128, {.names = {"Y_chunk", "Y_row"}});
// s.bind(Y_chunk, block.x);
// s.bind(Y_row, thread.x);
//
// launch: grid ((M + 127) / 128, 1, 1), block (128, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
layernorm_0(const float* __restrict__ X, float* __restrict__ mean, int M) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M) {
    float mean_reg = 0.0f;
    for (int k = 0; k < 8192; ++k) {
      mean_reg += X[i * 8192 + k];
    }
    mean_reg = mean_reg / 8192.0f;
    mean[i] = mean_reg;
  }
}
// mean(i) = sum(k, X(i, k)) / 8192.0
// variance(i) = sum(k, (X(i, k) - mean(i)) * (X(i, k) - mean(i))) / 8192.0
// Y(i, j) = (X(i, j) - mean(i)) * rsqrt(variance(i) + 1e-05) * gamma(j) + beta(j)
// auto [mean_chunk, mean_row] = s.split(i, 128, {.names = {"mean_chunk", "mean_row"}});
// s.bind(mean_chunk, block.x);
// s.bind(mean_row, thread.x);
// s.cache_registers(mean, mean_row);
// auto [variance_chunk, variance_row] = s.split(s.axis("i.variance"), 128, {.names = {"variance_chunk", "variance_row"}});
// s.bind(variance_chunk, block.x);
// s.bind(variance_row, thread.x);
// s.cache_registers(variance, variance_row);
// auto [Y_chunk, Y_row] = s.split(s.axis("i.Y"), 128, {.names = {"Y_chunk", "Y_row"}});
// s.bind(Y_chunk, block.x);
// s.bind(Y_row, thread.x);
//
// launch: grid ((M + 127) / 128, 1, 1), block (128, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
layernorm_1(const float* __restrict__ X, const float* __restrict__ mean, float* __restrict__ variance, int M) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M) {
    float variance_reg = 0.0f;
    for (int k_variance = 0; k_variance < 8192; ++k_variance) {
      variance_reg += (X[i * 8192 + k_variance] - mean[i]) * (X[i * 8192 + k_variance] - mean[i]);
    }
    variance_reg = variance_reg / 8192.0f;
    variance[i] = variance_reg;
  }
}
// mean(i) = sum(k, X(i, k)) / 8192.0
// variance(i) = sum(k, (X(i, k) - mean(i)) * (X(i, k) - mean(i))) / 8192.0
// Y(i, j) = (X(i, j) - mean(i)) * rsqrt(variance(i) + 1e-05) * gamma(j) + beta(j)
// auto [mean_chunk, mean_row] = s.split(i, 128, {.names = {"mean_chunk", "mean_row"}});
// s.bind(mean_chunk, block.x);
// s.bind(mean_row, thread.x);
// s.cache_registers(mean, mean_row);
// auto [variance_chunk, variance_row] = s.split(s.axis("i.variance"), 128, {.names = {"variance_chunk", "variance_row"}});
// s.bind(variance_chunk, block.x);
// s.bind(variance_row, thread.x);
// s.cache_registers(variance, variance_row);
// auto [Y_chunk, Y_row] = s.split(s.axis("i.Y"), 128, {.names = {"Y_chunk", "Y_row"}});
// s.bind(Y_chunk, block.x);
// s.bind(Y_row, thread.x);
//
// launch: grid ((M + 127) / 128, 1, 1), block (128, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
layernorm_2(const float* __restrict__ X, const float* __restrict__ gamma_, const float* __restrict__ beta, float* __restrict__ Y, const float* __restrict__ mean, const float* __restrict__ variance, int M) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M) {
    for (int j = 0; j < 8192; ++j) {
      Y[i * 8192 + j] = (X[i * 8192 + j] - mean[i]) * rsqrtf(variance[i] + 1e-05f) * gamma_[j] + beta[j];
    }
  }
}
