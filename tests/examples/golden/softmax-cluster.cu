// largest(i) = max(k, X(i, k))
// scale(i) = 1.0 / sum(k, exp(X(i, k) - largest(i)))
// Y(i, j) = exp(X(i, j) - largest(i)) * scale(i)
// s.compute_at(scale, s.axis("i.Y"));
// s.compute_at(largest, s.axis("i.Y"));
// s.bind(s.axis("i.Y"), block.x);
// auto [k_part, k_2] = s.split(k, 4096, {.names = {"k_part", "k"}});
// s.bind(k_part, cluster.x, CombineLevels{{CombineUnit::cluster, CombineMeans::exchange}});
// auto [k_3, k_1] = s.split(k_2, 2048, {.names = {"k", nullptr}});
// auto [k_thread, k_element] = s.split(k_1, 4, {.names = {"k_thread", "k_element"}});
// s.reorder({k_thread, k_3, k_element});
// s.bind(k_thread, thread.x, Combine::two_level);
// auto [k_scale_part, k_scale] = s.split(s.axis("k.scale"), 4096, {.names = {"k_scale_part", "k_scale"}});
// s.bind(k_scale_part, cluster.x, CombineLevels{{CombineUnit::cluster, CombineMeans::exchange}});
// auto [k_scale_2, k_scale_1] = s.split(k_scale, 2048, {.names = {"k_scale", nullptr}});
// auto [k_scale_thread, k_scale_element] = s.split(k_scale_1, 4, {.names = {"k_scale_thread", "k_scale_element"}});
// s.reorder({k_scale_thread, k_scale_2, k_scale_element});
// s.bind(k_scale_thread, thread.x, Combine::two_level);
// auto [j_part, j_2] = s.split(j, 4096, {.names = {"j_part", "j"}});
// s.bind(j_part, cluster.x);
// auto [j_3, j_1] = s.split(j_2, 2048, {.names = {"j", nullptr}});
// auto [j_thread, j_element] = s.split(j_1, 4, {.names = {"j_thread", "j_element"}});
// s.reorder({j_thread, j_3, j_element});
// s.bind(j_thread, thread.x);
// s.vectorize(j_element);
// s.cache_registers(X, s.axis("i.Y"), {.vectorize = 4});
//
// launch: grid (M*2, 1, 1), cluster 2, block (512, 1, 1), 160 bytes of shared memory

namespace hone::softmax {

// All threads of the cluster wait for each other, and see what each has written.
static __device__ void cluster_barrier() {
  asm volatile("barrier.cluster.arrive.release.aligned;\n"
               "  barrier.cluster.wait.acquire.aligned;"
               :
               :
               : "memory");
}

// The element of shared memory in that block of the cluster.
template <class T>
static __device__ T* of_block(T* element, unsigned block) {
  unsigned long long address;
  asm volatile("mapa.u64 %0, %1, %2;" : "=l"(address) : "l"(element), "r"(block));
  return reinterpret_cast<T*>(address);
}

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(512)
softmax(const float* __restrict__ X, float* __restrict__ Y, int M) {
  __shared__ float largest_cluster[2];
  __shared__ float largest_part_warps[16];
  __shared__ float scale_cluster[2];
  __shared__ float scale_part_warps[16];
  cluster_barrier();
  const int i_Y = blockIdx.x / 2;
  __align__(16) float X_reg[8];
  #pragma unroll
  for (int X_reg_o = 0; X_reg_o < 4096; X_reg_o += 4096) {
    const int X_reg_t = blockIdx.x % 2;
    #pragma unroll
    for (int X_reg_o_2 = 0; X_reg_o_2 < 8; X_reg_o_2 += 4) {
      const int X_reg_t_2 = threadIdx.x;
      *reinterpret_cast<float4*>(&X_reg[X_reg_o + X_reg_o_2]) =
          *reinterpret_cast<const float4*>(&X[i_Y * 8192 + X_reg_o * 2 + X_reg_t * 4096 + X_reg_o_2 * 512 + X_reg_t_2 * 4]);
    }
  }
  float largest;
  const int k_part = blockIdx.x % 2;
  float largest_part;
  const int k_thread = threadIdx.x;
  float largest_part_part = -__int_as_float(0x7f800000);
  #pragma unroll
  for (int k = 0; k < 8; k += 4) {
    #pragma unroll
    for (int k_element = 0; k_element < 4; ++k_element) {
      largest_part_part = fmaxf(largest_part_part, X_reg[k + k_element]);
    }
  }
  #pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    largest_part_part = fmaxf(largest_part_part, __shfl_down_sync(0xffffffff, largest_part_part, offset));
  }
  if (k_thread % 32 == 0) {
    largest_part_warps[k_thread / 32] = largest_part_part;
  }
  __syncthreads();
  const int t_2 = threadIdx.x;
  float largest_part_last = largest_part_warps[t_2 % 16];
  #pragma unroll
  for (int offset_2 = 8; offset_2 > 0; offset_2 /= 2) {
    largest_part_last = fmaxf(largest_part_last, __shfl_xor_sync(0xffffffff, largest_part_last, offset_2));
  }
  largest_part = largest_part_last;
  if (threadIdx.x == 0) {
    #pragma unroll
    for (int block = 0; block < 2; ++block) {
      *of_block(&largest_cluster[k_part], block) = largest_part;
    }
  }
  largest = -__int_as_float(0x7f800000);
  cluster_barrier();
  #pragma unroll
  for (int block_2 = 0; block_2 < 2; ++block_2) {
    largest = fmaxf(largest, largest_cluster[block_2]);
  }
  float scale;
  const int k_scale_part = blockIdx.x % 2;
  float scale_part;
  const int k_scale_thread = threadIdx.x;
  float scale_part_part = 0.0f;
  #pragma unroll
  for (int k_scale = 0; k_scale < 8; k_scale += 4) {
    #pragma unroll
    for (int k_scale_element = 0; k_scale_element < 4; ++k_scale_element) {
      scale_part_part += expf(X_reg[k_scale + k_scale_element] - largest);
    }
  }
  #pragma unroll
  for (int offset_3 = 16; offset_3 > 0; offset_3 /= 2) {
    scale_part_part += __shfl_down_sync(0xffffffff, scale_part_part, offset_3);
  }
  if (k_scale_thread % 32 == 0) {
    scale_part_warps[k_scale_thread / 32] = scale_part_part;
  }
  __syncthreads();
  const int t_4 = threadIdx.x;
  float scale_part_last = scale_part_warps[t_4 % 16];
  #pragma unroll
  for (int offset_4 = 8; offset_4 > 0; offset_4 /= 2) {
    scale_part_last += __shfl_xor_sync(0xffffffff, scale_part_last, offset_4);
  }
  scale_part = scale_part_last;
  if (threadIdx.x == 0) {
    #pragma unroll
    for (int block_3 = 0; block_3 < 2; ++block_3) {
      *of_block(&scale_cluster[k_scale_part], block_3) = scale_part;
    }
  }
  scale = 0.0f;
  cluster_barrier();
  #pragma unroll
  for (int block_4 = 0; block_4 < 2; ++block_4) {
    scale += scale_cluster[block_4];
  }
  scale = 1.0f / scale;
  const int j_part = blockIdx.x % 2;
  const int j_thread = threadIdx.x;
  #pragma unroll
  for (int j = 0; j < 8; j += 4) {
    __align__(16) float Y_vec[4];
    #pragma unroll
    for (int j_element = 0; j_element < 4; ++j_element) {
      Y_vec[j_element] = expf(X_reg[j + j_element] - largest) * scale;
    }
    *reinterpret_cast<float4*>(&Y[i_Y * 8192 + j_part * 4096 + j * 512 + j_thread * 4]) =
        *reinterpret_cast<const float4*>(Y_vec);
  }
}

}  // namespace hone::softmax
