// largest(i) = max(k, X(i, k))
// scale(i) = 1.0 / sum(k, exp(X(i, k) - largest(i)))
// Y(i, j) = exp(X(i, j) - largest(i)) * scale(i)
// s.compute_at(scale, s.axis("i.Y"));
// s.compute_at(largest, s.axis("i.Y"));
// s.bind(s.axis("i.Y"), block.x);
// auto [k_2, k_thread] = s.split(k, 256, {.names = {"k", "k_thread"}});
// s.reorder({k_thread, k_2});
// s.bind(k_thread, thread.x, Combine::sequential);
// auto [k_scale, k_scale_thread] = s.split(s.axis("k.scale"), 256, {.names = {"k_scale", "k_scale_thread"}});
// s.reorder({k_scale_thread, k_scale});
// s.bind(k_scale_thread, thread.x, Combine::sequential);
// auto [j_2, j_thread] = s.split(j, 256, {.names = {"j", "j_thread"}});
// s.reorder({j_thread, j_2});
// s.bind(j_thread, thread.x);
//
// launch: grid (M, 1, 1), block (256, 1, 1), 1024 bytes of shared memory

extern "C" __global__ void
softmax(const float* __restrict__ X, float* __restrict__ Y, int M, int N) {
  __shared__ __align__(16) unsigned char shared[1024];
  float (&largest_tree)[256] = *reinterpret_cast<float (*)[256]>(shared + 0);
  float (&scale_tree)[256] = *reinterpret_cast<float (*)[256]>(shared + 0);
  const int i_Y = blockIdx.x;
  float largest;
  const int k_thread = threadIdx.x;
  float largest_part = -__int_as_float(0x7f800000);
  for (int k = k_thread; k < N; k += 256) {
    largest_part = fmaxf(largest_part, X[i_Y * N + k]);
  }
  largest_tree[k_thread] = largest_part;
  __syncthreads();
  for (int stride = 128; stride > 0; stride /= 2) {
    const int t = threadIdx.x;
    if (t < stride) {
      largest_tree[t] = fmaxf(largest_tree[t], largest_tree[t + stride]);
    }
    __syncthreads();
  }
  largest = largest_tree[0];
  __syncthreads();
  float scale;
  const int k_scale_thread = threadIdx.x;
  float scale_part = 0.0f;
  for (int k_scale = k_scale_thread; k_scale < N; k_scale += 256) {
    scale_part += expf(X[i_Y * N + k_scale] - largest);
  }
  scale_tree[k_scale_thread] = scale_part;
  __syncthreads();
  for (int stride_2 = 128; stride_2 > 0; stride_2 /= 2) {
    const int t_2 = threadIdx.x;
    if (t_2 < stride_2) {
      scale_tree[t_2] += scale_tree[t_2 + stride_2];
    }
    __syncthreads();
  }
  scale = scale_tree[0];
  scale = 1.0f / scale;
  const int j_thread = threadIdx.x;
  for (int j = j_thread; j < N; j += 256) {
    Y[i_Y * N + j] = expf(X[i_Y * N + j] - largest) * scale;
  }
}
