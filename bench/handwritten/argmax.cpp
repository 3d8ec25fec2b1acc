// The largest element of a vector and its index, which travel together.

#include "bench/handwritten/reduce.h"
#include "bench/handwritten/shuffles.h"

namespace hone {
namespace {

// A NaN is larger than all numbers, and the first of equals counts. An element beyond the end is
// the lowest there is, and comes last.
constexpr const char* elements = R"(
struct __align__(8) Element {
  float value;
  int index;
};

// Goes on to a later element.
__device__ void take(Element& best, float value, int index) {
  if (!(value <= best.value) && best.value == best.value) best = {value, index};
}

__device__ void take4(Element& best, float4 values, int index) {
  take(best, values.x, index);
  take(best, values.y, index + 1);
  take(best, values.z, index + 2);
  take(best, values.w, index + 3);
}

// True if b goes before a, of two elements in any order.
__device__ bool beats(Element b, Element a) {
  if (b.value == a.value || (b.value != b.value && a.value != a.value)) return b.index < a.index;
  return !(b.value <= a.value) && a.value == a.value;
}

__device__ Element best_of(Element a, Element b) { return beats(b, a) ? b : a; }
)";

constexpr const char* tree = R"(
// The best of a block, in its first thread.
template <int THREADS>
__device__ Element block_best(Element best) {
  __shared__ Element bests[THREADS];
  int t = threadIdx.x;
  bests[t] = best;
  __syncthreads();
  for (int stride = THREADS / 2; stride > 0; stride /= 2) {
    if (t < stride) bests[t] = best_of(bests[t], bests[t + stride]);
    __syncthreads();
  }
  return bests[0];
}
)";

// The warps' elements are exchanged once.
constexpr const char* two_levels = R"(
__device__ Element warp_best(Element best) {
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2)
    best = best_of(best, {__shfl_xor_sync(~0u, best.value, offset),
                          __shfl_xor_sync(~0u, best.index, offset)});
  return best;
}

// The best of a block, in its first warp.
template <int THREADS>
__device__ Element block_best(Element best) {
  __shared__ Element bests[THREADS / 32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  best = warp_best(best);
  if (lane == 0) bests[warp] = best;
  __syncthreads();
  return warp == 0 ? warp_best(bests[lane % (THREADS / 32)]) : best;
}
)";

constexpr const char* partials = R"(
extern "C" __global__ void __launch_bounds__(1024)
argmax_partials(const Element* __restrict__ partial, Element* __restrict__ S, int n) {
  Element best = {-infinity(), 0x7fffffff};
#pragma unroll 8
  for (int i = threadIdx.x; i < (n + TILE - 1) / TILE; i += 1024)
    best = best_of(best, partial[i]);
  best = block_best<1024>(best);
  if (threadIdx.x == 0) S[0] = best;
}
)";

// As many elements a thread as the tile has for it, which come one by one.
constexpr const char* tiled = R"(
extern "C" __global__ void __launch_bounds__(256)
argmax_tiles(const float* __restrict__ A, Element* __restrict__ partial, int n) {
  int first = blockIdx.x * TILE + threadIdx.x;
  Element best = {-infinity(), first};
#pragma unroll
  for (int u = 0; u < TILE; u += 256)
    if (first + u < n) take(best, A[first + u], first + u);
  best = block_best<256>(best);
  if (threadIdx.x == 0) partial[blockIdx.x] = best;
}
)";

// A block has 64 KB: eight vectors a thread, all on their way before the first is compared. The
// result is exchanged by those that beat it, which few do once it is large.
constexpr const char* vectorized = R"(
extern "C" __global__ void argmax_start(Element* __restrict__ S) {
  S[0] = {-infinity(), 0x7fffffff};
}

union Word {
  unsigned long long bits;
  Element element;
};

__device__ void raise(Element* S, Element best) {
  unsigned long long* result = reinterpret_cast<unsigned long long*>(S);
  Word mine, seen;
  mine.element = best;
  seen.bits = *const_cast<volatile unsigned long long*>(result);
  while (beats(best, seen.element)) {
    unsigned long long before = atomicCAS(result, seen.bits, mine.bits);
    if (before == seen.bits) return;
    seen.bits = before;
  }
}

extern "C" __global__ void __launch_bounds__(512)
argmax_vectorized(const float* __restrict__ A, Element* S, int n) {
  const float lowest = -infinity();
  int first = (blockIdx.x * 4096 + threadIdx.x) * 4;

  float4 a[8];
#pragma unroll
  for (int u = 0; u < 8; u++) {
    int i = first + u * 2048;
    a[u] = i < n ? load4(&A[i]) : make_float4(lowest, lowest, lowest, lowest);
  }
  Element best = {lowest, first};
#pragma unroll
  for (int u = 0; u < 8; u++) take4(best, a[u], first + u * 2048);

  best = block_best<512>(best);
  if (threadIdx.x == 0) raise(S, best);
}
)";

// One kernel: the first warp of the block that is the last to leave its element takes the best of
// all. Blocks take further tiles where there are many.
constexpr const char* last_block = R"(
extern "C" __global__ void __launch_bounds__(512)
argmax_last_block(const float* __restrict__ A, Element* partial, unsigned* counter,
                  Element* __restrict__ S, int n) {
  const float lowest = -infinity();
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  Element best = {lowest, (int)(blockIdx.x * 2048 + threadIdx.x) * 4};
  for (int tile = blockIdx.x; tile < (n + 8191) / 8192; tile += gridDim.x) {
    int first = (tile * 2048 + threadIdx.x) * 4;
    float4 a[4];
#pragma unroll
    for (int u = 0; u < 4; u++) {
      int i = first + u * 2048;
      a[u] = i < n ? load4(&A[i]) : make_float4(lowest, lowest, lowest, lowest);
    }
#pragma unroll
    for (int u = 0; u < 4; u++) take4(best, a[u], first + u * 2048);
  }

  best = block_best<512>(best);
  if (warp != 0) return;

  bool is_last = false;
  if (lane == 0) {
    partial[blockIdx.x] = best;
    is_last = arrive_last(counter, gridDim.x);
  }
  if (!__shfl_sync(~0u, is_last, 0)) return;
  __syncwarp();
#pragma unroll 4
  for (int block = lane; block < gridDim.x; block += 32) best = best_of(best, partial[block]);
  best = warp_best(best);
  if (lane == 0) S[0] = best;
}
)";

/// Blocks of 256 threads that leave an element each, and a second kernel for these.
HandwrittenKernel by_tiles(const char* rung, const char* block_best, int64_t n, int64_t tile) {
  const int64_t blocks = tiles(n, tile);
  return {rung,
          fmt::format("constexpr int TILE = {};\n", tile) + shuffles + elements + block_best +
              partials + tiled,
          {{"argmax_tiles", {"A", "partial"}, {"n"}, {{blocks, 1, 1}, {256, 1, 1}}},
           {"argmax_partials", {"partial", "S"}, {"n"}, {{1, 1, 1}, {1024, 1, 1}}}},
          {{"partial", 2 * blocks}}};
}

HandwrittenKernel by_vectors(int64_t n) {
  return {"vectorized",
          std::string(shuffles) + elements + two_levels + vectorized,
          {{"argmax_start", {"S"}, {}, {}},
           {"argmax_vectorized", {"A", "S"}, {"n"}, {{tiles(n, 16384), 1, 1}, {512, 1, 1}}}},
          {},
          {"n"}};
}

HandwrittenKernel by_last_block(int64_t n) {
  const int64_t blocks = std::min(tiles(n, 8192), resident_blocks);
  return {"last-block",
          std::string(shuffles) + elements + two_levels + arrive_last + last_block,
          {{"argmax_last_block",
            {"A", "partial", "counter", "S"},
            {"n"},
            {{blocks, 1, 1}, {512, 1, 1}}}},
          {{"partial", 2 * blocks}, {"counter", 1}},
          {"n"}};
}

}  // namespace

std::vector<HandwrittenKernel> handwritten_argmax(const Sizes& sizes) {
  const int64_t n = sizes.at("n");
  return {by_tiles("tree", tree, n, 512), by_tiles("shuffle", two_levels, n, 2048), by_vectors(n),
          by_last_block(n)};
}

}  // namespace hone
