// largest(i) = max(k, X(i, k))
// total(i) = sum(k, exp(X(i, k) - largest(i)))
// Y(i, j) = exp(X(i, j) - largest(i)) / total(i)
// auto [i_0, i_1] = s.split(i, 128);
// s.bind(i_0, block.x);
// s.bind(i_1, thread.x);
// s.cache_registers(largest, i_1);
// auto [i_total_0, i_total_1] = s.split(s.axis("i.total"), 128);
// s.bind(i_total_0, block.x);
// s.bind(i_total_1, thread.x);
// s.cache_registers(total, i_total_1);
// auto [i_Y_0, i_Y_1] = s.split(s.axis("i.Y"), 128);
// s.bind(i_Y_0, block.x);
// s.bind(i_Y_1, thread.x);
//
// launch: grid ((M + 127) / 128, 1, 1), block (128, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
softmax_0(const float* __restrict__ X, float* __restrict__ largest, int M) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M) {
    float largest_reg = -__int_as_float(0x7f800000);
    for (int k = 0; k < 8192; ++k) {
      largest_reg = fmaxf(largest_reg, X[i * 8192 + k]);
    }
    largest[i] = largest_reg;
  }
}
// largest(i) = max(k, X(i, k))
// total(i) = sum(k, exp(X(i, k) - largest(i)))
// Y(i, j) = exp(X(i, j) - largest(i)) / total(i)
// auto [i_0, i_1] = s.split(i, 128);
// s.bind(i_0, block.x);
// s.bind(i_1, thread.x);
// s.cache_registers(largest, i_1);
// auto [i_total_0, i_total_1] = s.split(s.axis("i.total"), 128);
// s.bind(i_total_0, block.x);
// s.bind(i_total_1, thread.x);
// s.cache_registers(total, i_total_1);
// auto [i_Y_0, i_Y_1] = s.split(s.axis("i.Y"), 128);
// s.bind(i_Y_0, block.x);
// s.bind(i_Y_1, thread.x);
//
// launch: grid ((M + 127) / 128, 1, 1), block (128, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
softmax_1(const float* __restrict__ X, const float* __restrict__ largest, float* __restrict__ total, int M) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M) {
    float total_reg = 0.0f;
    for (int k_total = 0; k_total < 8192; ++k_total) {
      total_reg += expf(X[i * 8192 + k_total] - largest[i]);
    }
    total[i] = total_reg;
  }
}
// largest(i) = max(k, X(i, k))
// total(i) = sum(k, exp(X(i, k) - largest(i)))
// Y(i, j) = exp(X(i, j) - largest(i)) / total(i)
// auto [i_0, i_1] = s.split(i, 128);
// s.bind(i_0, block.x);
// s.bind(i_1, thread.x);
// s.cache_registers(largest, i_1);
// auto [i_total_0, i_total_1] = s.split(s.axis("i.total"), 128);
// s.bind(i_total_0, block.x);
// s.bind(i_total_1, thread.x);
// s.cache_registers(total, i_total_1);
// auto [i_Y_0, i_Y_1] = s.split(s.axis("i.Y"), 128);
// s.bind(i_Y_0, block.x);
// s.bind(i_Y_1, thread.x);
//
// launch: grid ((M + 127) / 128, 1, 1), block (128, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
softmax_2(const float* __restrict__ X, float* __restrict__ Y, const float* __restrict__ largest, const float* __restrict__ total, int M) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M) {
    for (int j = 0; j < 8192; ++j) {
      Y[i * 8192 + j] = expf(X[i * 8192 + j] - largest[i]) / total[i];
    }
  }
}
