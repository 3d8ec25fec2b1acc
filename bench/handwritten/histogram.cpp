// Counts each byte of the input.

#include "bench/handwritten/handwritten.h"

namespace hone {
namespace {

constexpr const char* zero = R"(
extern "C" __global__ void histogram_zero(int* __restrict__ H) { H[threadIdx.x] = 0; }
)";

// All threads count in the same 256 elements of global memory.
constexpr const char* global_atomics = R"(
extern "C" __global__ void __launch_bounds__(256)
histogram_global_atomics(const unsigned char* __restrict__ data, int* __restrict__ H, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) atomicAdd(&H[data[i]], 1);
}
)";

// A block counts 4096 values in shared memory.
constexpr const char* shared_atomics = R"(
extern "C" __global__ void __launch_bounds__(256)
histogram_shared_atomics(const unsigned char* __restrict__ data, int* __restrict__ H, int n) {
  __shared__ int counts[256];
  int t = threadIdx.x;
  counts[t] = 0;
  __syncthreads();
  for (int u = 0; u < 16; u++) {
    int i = blockIdx.x * 4096 + u * 256 + t;
    if (i < n) atomicAdd(&counts[data[i]], 1);
  }
  __syncthreads();
  atomicAdd(&H[t], counts[t]);
}
)";

// The same with sixteen values an access, four of which are on their way before the first counts.
constexpr const char* vectorized = R"(
__device__ void count4(int* counts, int four) {
  atomicAdd(&counts[four & 255], 1);
  atomicAdd(&counts[four >> 8 & 255], 1);
  atomicAdd(&counts[four >> 16 & 255], 1);
  atomicAdd(&counts[four >> 24 & 255], 1);
}

extern "C" __global__ void __launch_bounds__(256)
histogram_vectorized(const unsigned char* __restrict__ data, int* __restrict__ H, int n) {
  __shared__ int counts[256];
  int t = threadIdx.x;
  counts[t] = 0;
  __syncthreads();
  int4 values[4];
#pragma unroll
  for (int u = 0; u < 4; u++) {
    int i = blockIdx.x * 16384 + (u * 256 + t) * 16;
    if (i < n) values[u] = *reinterpret_cast<const int4*>(&data[i]);
  }
#pragma unroll
  for (int u = 0; u < 4; u++) {
    if (blockIdx.x * 16384 + (u * 256 + t) * 16 >= n) break;
    count4(counts, values[u].x);
    count4(counts, values[u].y);
    count4(counts, values[u].z);
    count4(counts, values[u].w);
  }
  __syncthreads();
  atomicAdd(&H[t], counts[t]);
}
)";

/// Whose blocks take so many values.
HandwrittenKernel counting(const char* rung, const char* entry, const char* source,
                           const Sizes& sizes, int64_t values) {
  return {rung,
          std::string(zero) + source,
          {{"histogram_zero", {"H"}, {}, {{1, 1, 1}, {256, 1, 1}}},
           {entry, {"data", "H"}, {"n"}, {{tiles(sizes.at("n"), values), 1, 1}, {256, 1, 1}}}},
          {}};
}

}  // namespace

std::vector<HandwrittenKernel> handwritten_histogram(const Sizes& sizes) {
  HandwrittenKernel by_vectors =
      counting("vectorized", "histogram_vectorized", vectorized, sizes, 16384);
  by_vectors.multiples_of_16 = {"n"};
  return {
      counting("global-atomics", "histogram_global_atomics", global_atomics, sizes, 256),
      counting("shared-atomics", "histogram_shared_atomics", shared_atomics, sizes, 4096),
      by_vectors,
  };
}

}  // namespace hone
