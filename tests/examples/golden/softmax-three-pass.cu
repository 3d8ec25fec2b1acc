// largest(i) = max(k, X(i, k))
// scale(i) = 1.0 / sum(k, exp(X(i, k) - largest(i)))
// Y(i, j) = exp(X(i, j) - largest(i)) * scale(i)
// auto [largest_chunk, largest_row] = s.split(i, 128, {.names = {"largest_chunk", "largest_row"}});
// s.bind(largest_chunk, block.x);
// s.bind(largest_row, thread.x);
// s.cache_registers(largest, largest_row);
// auto [scale_chunk, scale_row] = s.split(s.axis("i.scale"), 128, {.names = {"scale_chunk", "scale_row"}});
// s.bind(scale_chunk, block.x);
// s.bind(scale_row, thread.x);
// s.cache_registers(scale, scale_row);
// auto [Y_chunk, Y_row] = s.split(s.axis("i.Y"), 128, {.names = {"Y_chunk", "Y_row"}});
// s.bind(Y_chunk, block.x);
// s.bind(Y_row, thread.x);
//
// launch: grid ((M + 127) / 128, 1, 1), block (128, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
softmax_0(const float* __restrict__ X, float* __restrict__ largest, int M, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M) {
    float largest_reg = -__int_as_float(0x7f800000);
    for (int k = 0; k < N; ++k) {
      largest_reg = fmaxf(largest_reg, X[i * N + k]);
    }
    largest[i] = largest_reg;
  }
}
// largest(i) = max(k, X(i, k))
// scale(i) = 1.0 / sum(k, exp(X(i, k) - largest(i)))
// Y(i, j) = exp(X(i, j) - largest(i)) * scale(i)
// auto [largest_chunk, largest_row] = s.split(i, 128, {.names = {"largest_chunk", "largest_row"}});
// s.bind(largest_chunk, block.x);
// s.bind(largest_row, thread.x);
// s.cache_registers(largest, largest_row);
// auto [scale_chunk, scale_row] = s.split(s.axis("i.scale"), 128, {.names = {"scale_chunk", "scale_row"}});
// s.bind(scale_chunk, block.x);
// s.bind(scale_row, thread.x);
// s.cache_registers(scale, scale_row);
// auto [Y_chunk, Y_row] = s.split(s.axis("i.Y"), 128, {.names = {"Y_chunk", "Y_row"}});
// s.bind(Y_chunk, block.x);
// s.bind(Y_row, thread.x);
//
// launch: grid ((M + 127) / 128, 1, 1), block (128, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
softmax_1(const float* __restrict__ X, const float* __restrict__ largest, float* __restrict__ scale, int M, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M) {
    float scale_reg = 0.0f;
    for (int k_scale = 0; k_scale < N; ++k_scale) {
      scale_reg += expf(X[i * N + k_scale] - largest[i]);
    }
    scale_reg = 1.0f / scale_reg;
    scale[i] = scale_reg;
  }
}
// largest(i) = max(k, X(i, k))
// scale(i) = 1.0 / sum(k, exp(X(i, k) - largest(i)))
// Y(i, j) = exp(X(i, j) - largest(i)) * scale(i)
// auto [largest_chunk, largest_row] = s.split(i, 128, {.names = {"largest_chunk", "largest_row"}});
// s.bind(largest_chunk, block.x);
// s.bind(largest_row, thread.x);
// s.cache_registers(largest, largest_row);
// auto [scale_chunk, scale_row] = s.split(s.axis("i.scale"), 128, {.names = {"scale_chunk", "scale_row"}});
// s.bind(scale_chunk, block.x);
// s.bind(scale_row, thread.x);
// s.cache_registers(scale, scale_row);
// auto [Y_chunk, Y_row] = s.split(s.axis("i.Y"), 128, {.names = {"Y_chunk", "Y_row"}});
// s.bind(Y_chunk, block.x);
// s.bind(Y_row, thread.x);
//
// launch: grid ((M + 127) / 128, 1, 1), block (128, 1, 1), 0 bytes of shared memory

extern "C" __global__ void
softmax_2(const float* __restrict__ X, float* __restrict__ Y, const float* __restrict__ largest, const float* __restrict__ scale, int M, int N) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < M) {
    for (int j = 0; j < N; ++j) {
      Y[i * N + j] = expf(X[i * N + j] - largest[i]) * scale[i];
    }
  }
}
