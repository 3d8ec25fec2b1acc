// largest(i) = max(k, X(i, k))
// scale(i) = 1.0 / sum(k, exp(X(i, k) - largest(i)))
// Y(i, j) = exp(X(i, j) - largest(i)) * scale(i)
// s.compute_at(scale, s.axis("i.Y"));
// s.compute_at(largest, s.axis("i.Y"));
// s.bind(s.axis("i.Y"), block.x);
// auto [k_2, k_thread] = s.split(k, 256, {.names = {"k", "k_thread"}});
// s.reorder({k_thread, k_2});
// s.bind(k_thread, thread.x, Combine::two_level);
// auto [k_scale, k_scale_thread] = s.split(s.axis("k.scale"), 256, {.names = {"k_scale", "k_scale_thread"}});
// s.reorder({k_scale_thread, k_scale});
// s.bind(k_scale_thread, thread.x, Combine::two_level);
// auto [j_2, j_thread] = s.split(j, 256, {.names = {"j", "j_thread"}});
// s.reorder({j_thread, j_2});
// s.bind(j_thread, thread.x);
//
// launch: grid (M, 1, 1), block (256, 1, 1), 64 bytes of shared memory

extern "C" __global__ void
softmax(const float* __restrict__ X, float* __restrict__ Y, int M, int N) {
  __shared__ float largest_warps[8];
  __shared__ float scale_warps[8];
  const int i_Y = blockIdx.x;
  float largest;
  const int k_thread = threadIdx.x;
  float largest_part = -__int_as_float(0x7f800000);
  for (int k = k_thread; k < N; k += 256) {
    largest_part = fmaxf(largest_part, X[i_Y * N + k]);
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
  float largest_last = largest_warps[t % 8];
  #pragma unroll
  for (int offset_2 = 4; offset_2 > 0; offset_2 /= 2) {
    largest_last = fmaxf(largest_last, __shfl_xor_sync(0xffffffff, largest_last, offset_2));
  }
  largest = largest_last;
  float scale;
  const int k_scale_thread = threadIdx.x;
  float scale_part = 0.0f;
  for (int k_scale = k_scale_thread; k_scale < N; k_scale += 256) {
    scale_part += expf(X[i_Y * N + k_scale] - largest);
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
  float scale_last = scale_warps[t_2 % 8];
  #pragma unroll
  for (int offset_4 = 4; offset_4 > 0; offset_4 /= 2) {
    scale_last += __shfl_xor_sync(0xffffffff, scale_last, offset_4);
  }
  scale = scale_last;
  scale = 1.0f / scale;
  const int j_thread = threadIdx.x;
  for (int j = j_thread; j < N; j += 256) {
    Y[i_Y * N + j] = expf(X[i_Y * N + j] - largest) * scale;
  }
}
