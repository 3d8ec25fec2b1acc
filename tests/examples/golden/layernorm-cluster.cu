// mean(i) = sum(k, X(i, k)) / 8192.0
// variance(i) = sum(k, (X(i, k) - mean(i)) * (X(i, k) - mean(i))) / 8192.0
// Y(i, j) = (X(i, j) - mean(i)) * rsqrt(variance(i) + 1e-05) * gamma(j) + beta(j)
// s.compute_at(variance, s.axis("i.Y"));
// s.compute_at(mean, s.axis("i.Y"));
// s.bind(s.axis("i.Y"), block.x);
// auto [k_part, k_2] = s.split(k, 4096, {.names = {"k_part", "k"}});
// s.bind(k_part, cluster.x, CombineLevels{{CombineUnit::cluster, CombineMeans::exchange}});
// auto [k_3, k_1] = s.split(k_2, 2048, {.names = {"k", nullptr}});
// auto [k_thread, k_element] = s.split(k_1, 4, {.names = {"k_thread", "k_element"}});
// s.reorder({k_thread, k_3, k_element});
// s.bind(k_thread, thread.x, Combine::two_level);
// auto [k_variance_part, k_variance] = s.split(s.axis("k.variance"), 4096, {.names = {"k_variance_part", "k_variance"}});
// s.bind(k_variance_part, cluster.x, CombineLevels{{CombineUnit::cluster, CombineMeans::exchange}});
// auto [k_variance_2, k_variance_1] = s.split(k_variance, 2048, {.names = {"k_variance", nullptr}});
// auto [k_variance_thread, k_variance_element] = s.split(k_variance_1, 4, {.names = {"k_variance_thread", "k_variance_element"}});
// s.reorder({k_variance_thread, k_variance_2, k_variance_element});
// s.bind(k_variance_thread, thread.x, Combine::two_level);
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

namespace hone::layernorm {

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
layernorm(const float* __restrict__ X, const float* __restrict__ gamma_, const float* __restrict__ beta, float* __restrict__ Y, int M) {
  __shared__ float mean_cluster[2];
  __shared__ float mean_part_warps[16];
  __shared__ float variance_cluster[2];
  __shared__ float variance_part_warps[16];
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
  float mean;
  const int k_part = blockIdx.x % 2;
  float mean_part;
  const int k_thread = threadIdx.x;
  float mean_part_part = 0.0f;
  #pragma unroll
  for (int k = 0; k < 8; k += 4) {
    #pragma unroll
    for (int k_element = 0; k_element < 4; ++k_element) {
      mean_part_part += X_reg[k + k_element];
    }
  }
  #pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) {
    mean_part_part += __shfl_down_sync(0xffffffff, mean_part_part, offset);
  }
  if (k_thread % 32 == 0) {
    mean_part_warps[k_thread / 32] = mean_part_part;
  }
  __syncthreads();
  const int t_2 = threadIdx.x;
  float mean_part_last = mean_part_warps[t_2 % 16];
  #pragma unroll
  for (int offset_2 = 8; offset_2 > 0; offset_2 /= 2) {
    mean_part_last += __shfl_xor_sync(0xffffffff, mean_part_last, offset_2);
  }
  mean_part = mean_part_last;
  if (threadIdx.x == 0) {
    #pragma unroll
    for (int block = 0; block < 2; ++block) {
      *of_block(&mean_cluster[k_part], block) = mean_part;
    }
  }
  mean = 0.0f;
  cluster_barrier();
  #pragma unroll
  for (int block_2 = 0; block_2 < 2; ++block_2) {
    mean += mean_cluster[block_2];
  }
  mean = mean / 8192.0f;
  float variance;
  const int k_variance_part = blockIdx.x % 2;
  float variance_part;
  const int k_variance_thread = threadIdx.x;
  float variance_part_part = 0.0f;
  #pragma unroll
  for (int k_variance = 0; k_variance < 8; k_variance += 4) {
    #pragma unroll
    for (int k_variance_element = 0; k_variance_element < 4; ++k_variance_element) {
      variance_part_part += (X_reg[k_variance + k_variance_element] - mean) * (X_reg[k_variance + k_variance_element] - mean);
    }
  }
  #pragma unroll
  for (int offset_3 = 16; offset_3 > 0; offset_3 /= 2) {
    variance_part_part += __shfl_down_sync(0xffffffff, variance_part_part, offset_3);
  }
  if (k_variance_thread % 32 == 0) {
    variance_part_warps[k_variance_thread / 32] = variance_part_part;
  }
  __syncthreads();
  const int t_4 = threadIdx.x;
  float variance_part_last = variance_part_warps[t_4 % 16];
  #pragma unroll
  for (int offset_4 = 8; offset_4 > 0; offset_4 /= 2) {
    variance_part_last += __shfl_xor_sync(0xffffffff, variance_part_last, offset_4);
  }
  variance_part = variance_part_last;
  if (threadIdx.x == 0) {
    #pragma unroll
    for (int block_3 = 0; block_3 < 2; ++block_3) {
      *of_block(&variance_cluster[k_variance_part], block_3) = variance_part;
    }
  }
  variance = 0.0f;
  cluster_barrier();
  #pragma unroll
  for (int block_4 = 0; block_4 < 2; ++block_4) {
    variance += variance_cluster[block_4];
  }
  variance = variance / 8192.0f;
  const int j_part = blockIdx.x % 2;
  const int j_base = j_part * 4096 + threadIdx.x * 4;
  #pragma unroll
  for (int j = 0; j < 8; j += 4) {
    __align__(16) float gamma_vec[4];
    *reinterpret_cast<float4*>(gamma_vec) =
        *reinterpret_cast<const float4*>(&gamma_[j_base + j * 512]);
    __align__(16) float beta_vec[4];
    *reinterpret_cast<float4*>(beta_vec) =
        *reinterpret_cast<const float4*>(&beta[j_base + j * 512]);
    __align__(16) float Y_vec[4];
    #pragma unroll
    for (int j_element = 0; j_element < 4; ++j_element) {
      Y_vec[j_element] = (X_reg[j + j_element] - mean) * rsqrtf(variance + 1e-05f) * gamma_vec[j_element] + beta_vec[j_element];
    }
    *reinterpret_cast<float4*>(&Y[i_Y * 8192 + j_base + j * 512]) =
        *reinterpret_cast<const float4*>(Y_vec);
  }
}

}  // namespace hone::layernorm
