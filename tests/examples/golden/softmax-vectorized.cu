// largest(i) = max(k, X(i, k))
// scale(i) = 1.0 / sum(k, exp(X(i, k) - largest(i)))
// Y(i, j) = exp(X(i, j) - largest(i)) * scale(i)
// s.compute_at(scale, s.axis("i.Y"));
// s.compute_at(largest, s.axis("i.Y"));
// s.bind(s.axis("i.Y"), block.x);
// auto [k_2, k_1] = s.split(k, 4096, {.names = {"k", nullptr}});
// auto [k_thread, k_element] = s.split(k_1, 4, {.names = {"k_thread", "k_element"}});
// s.reorder({k_thread, k_2, k_element});
// s.bind(k_thread, thread.x, Combine::two_level);
// auto [k_scale, k_scale_1] = s.split(s.axis("k.scale"), 4096, {.names = {"k_scale", nullptr}});
// auto [k_scale_thread, k_scale_element] = s.split(k_scale_1, 4, {.names = {"k_scale_thread", "k_scale_element"}});
// s.reorder({k_scale_thread, k_scale, k_scale_element});
// s.bind(k_scale_thread, thread.x, Combine::two_level);
// auto [j_2, j_1] = s.split(j, 4096, {.names = {"j", nullptr}});
// auto [j_thread, j_element] = s.split(j_1, 4, {.names = {"j_thread", "j_element"}});
// s.reorder({j_thread, j_2, j_element});
// s.bind(j_thread, thread.x);
// s.vectorize(j_element);
// s.cache_registers(X, s.axis("i.Y"), {.vectorize = 4});
//
// launch: grid (M, 1, 1), block (1024, 1, 1), 256 bytes of shared memory

extern "C" __global__ void __launch_bounds__(1024)
softmax(const float* __restrict__ X, float* __restrict__ Y, int M) {
  __shared__ float largest_warps[32];
  __shared__ float scale_warps[32];
  const int i_Y = blockIdx.x;
  __align__(16) float X_reg[8];
  #pragma unroll
  for (int X_reg_o = 0; X_reg_o < 8; X_reg_o += 4) {
    const int X_reg_t = threadIdx.x;
    *reinterpret_cast<float4*>(&X_reg[X_reg_o]) =
        *reinterpret_cast<const float4*>(&X[i_Y * 8192 + X_reg_o * 1024 + X_reg_t * 4]);
  }
  float largest;
  const int k_thread = threadIdx.x;
  float largest_part = -__int_as_float(0x7f800000);
  #pragma unroll
  for (int k = 0; k < 8; k += 4) {
    #pragma unroll
    for (int k_element = 0; k_element < 4; ++k_element) {
      largest_part = fmaxf(largest_part, X_reg[k + k_element]);
    }
  }
  #pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    largest_part = fmaxf(largest_part, __shfl_down_sync(0xffffffff, largest_part, offset));
  }
  if (k_thread % 32 == 0) {
    largest_warps[k_thread / 32] = largest_part;
  }
  __syncthreads();
  const int t = threadIdx.x;
  float largest_last = largest_warps[t % 32];
  #pragma unroll
  for (int offset_2 = 16; offset_2 > 0; offset_2 /= 2) {
    largest_last = fmaxf(largest_last, __shfl_xor_sync(0xffffffff, largest_last, offset_2));
  }
  largest = largest_last;
  float scale;
  const int k_scale_thread = threadIdx.x;
  float scale_part = 0.0f;
  #pragma unroll
  for (int k_scale = 0; k_scale < 8; k_scale += 4) {
    #pragma unroll
    for (int k_scale_element = 0; k_scale_element < 4; ++k_scale_element) {
      scale_part += expf(X_reg[k_scale + k_scale_element] - largest);
    }
  }
  #pragma unroll
  for (int offset_3 = 16; offset_3 > 0; offset_3 /= 2) {
    scale_part += __shfl_down_sync(0xffffffff, scale_part, offset_3);
  }
  if (k_scale_thread % 32 == 0) {
    scale_warps[k_scale_thread / 32] = scale_part;
  }
  __syncthreads();
  const int t_2 = threadIdx.x;
  float scale_last = scale_warps[t_2 % 32];
  #pragma unroll
  for (int offset_4 = 16; offset_4 > 0; offset_4 /= 2) {
    scale_last += __shfl_xor_sync(0xffffffff, scale_last, offset_4);
  }
  scale = scale_last;
  scale = 1.0f / scale;
  const int j_thread = threadIdx.x;
  #pragma unroll
  for (int j = 0; j < 8; j += 4) {
    __align__(16) float Y_vec[4];
    #pragma unroll
    for (int j_element = 0; j_element < 4; ++j_element) {
      Y_vec[j_element] = expf(X_reg[j + j_element] - largest) * scale;
    }
    *reinterpret_cast<float4*>(&Y[i_Y * 8192 + j * 1024 + j_thread * 4]) =
        *reinterpret_cast<const float4*>(Y_vec);
  }
}
