// largest(i) = max(k, X(i, k))
// total(i) = sum(k, exp(X(i, k) - largest(i)))
// Y(i, j) = exp(X(i, j) - largest(i)) / total(i)
// s.compute_at(total, s.axis("i.Y"));
// s.compute_at(largest, s.axis("i.Y"));
// s.bind(s.axis("i.Y"), block.x);
// auto [k_0, k_1] = s.split(k, 256);
// s.reorder({k_1, k_0});
// s.bind(k_1, thread.x, Combine::sequential);
// auto [k_total_0, k_total_1] = s.split(s.axis("k.total"), 256);
// s.reorder({k_total_1, k_total_0});
// s.bind(k_total_1, thread.x, Combine::sequential);
// auto [j_0, j_1] = s.split(j, 256);
// s.bind(j_1, thread.x);
//
// launch: grid (M, 1, 1), block (256, 1, 1), 1024 bytes of shared memory

extern "C" __global__ void
softmax(const float* __restrict__ X, float* __restrict__ Y, int M) {
  __shared__ __align__(16) unsigned char shared[1024];
  float (&largest_tree)[256] = *reinterpret_cast<float (*)[256]>(shared + 0);
  float (&total_tree)[256] = *reinterpret_cast<float (*)[256]>(shared + 0);
  const int i_Y = blockIdx.x;
  float largest;
  const int k_1 = threadIdx.x;
  float largest_part = -__int_as_float(0x7f800000);
  for (int k_0 = 0; k_0 < 8192; k_0 += 256) {
    largest_part = fmaxf(largest_part, X[i_Y * 8192 + k_0 + k_1]);
  }
  largest_tree[k_1] = largest_part;
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
  float total;
  const int k_total_1 = threadIdx.x;
  float total_part = 0.0f;
  for (int k_total_0 = 0; k_total_0 < 8192; k_total_0 += 256) {
    total_part += expf(X[i_Y * 8192 + k_total_0 + k_total_1] - largest);
  }
  total_tree[k_total_1] = total_part;
  __syncthreads();
  for (int stride_2 = 128; stride_2 > 0; stride_2 /= 2) {
    const int t_2 = threadIdx.x;
    if (t_2 < stride_2) {
      total_tree[t_2] += total_tree[t_2 + stride_2];
    }
    __syncthreads();
  }
  total = total_tree[0];
  for (int j_0 = 0; j_0 < 8192; j_0 += 256) {
    const int j_1 = threadIdx.x;
    Y[i_Y * 8192 + j_0 + j_1] = expf(X[i_Y * 8192 + j_0 + j_1] - largest) / total;
  }
}
