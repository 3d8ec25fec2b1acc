// Sample kernels with counters, queues, flags and locks, whose elements are integers.

#include "tests/support/ptx/program_parts.h"

namespace hone::ptx {
namespace {

/// 0, 0, 0, 0, 0, 1, 1... so many numbers from the first on, and each that often.
std::vector<int> steps(size_t count, int each, int first = 0) {
  std::vector<int> all;
  for (size_t n = 0; n < count; ++n) all.push_back(first + static_cast<int>(n) / each);
  return all;
}

/// -1, and 0 where a search begins.
std::vector<int> levels(size_t nodes, const std::vector<int>& from) {
  std::vector<int> all(nodes, -1);
  for (const int node : from) all[node] = 0;
  return all;
}

}  // namespace

std::vector<SampleKernel> counts_and_queues() {
  return {
      {"radix",
       R"(
__global__ void radix(int* keys, int* scratch, int n) {
  __shared__ int counts[4][64];
  __shared__ int starts[4];
  int t = threadIdx.x, first = t * n / 64, end = (t + 1) * n / 64;
  for (int shift = 0; shift < 6; shift += 2) {
    for (int d = 0; d < 4; ++d) counts[d][t] = 0;
    for (int i = first; i < end; ++i) counts[keys[i] >> shift & 3][t] += 1;
    __syncthreads();
    if (t < 4) {
      int sum = 0;
      for (int k = 0; k < 64; ++k) {
        int count = counts[t][k];
        counts[t][k] = sum;
        sum += count;
      }
      starts[t] = sum;
    }
    __syncthreads();
    for (int i = first; i < end; ++i) {
      int digit = keys[i] >> shift & 3, before = 0;
      for (int d = 0; d < digit; ++d) before += starts[d];
      scratch[before + counts[digit][t]] = keys[i];
      counts[digit][t] += 1;
    }
    __syncthreads();
    for (int i = t; i < n; i += 64) keys[i] = scratch[i];
    __syncthreads();
  }
})",
       line(1, 64),
       {in(integers(150, 64)), out_integers(150), number(150)}},
      {"frontier",
       R"(
__global__ void frontier(const int* starts, const int* edges, int* level, const int* nodes,
                         int* next, int* next_count, int n, int depth) {
  int i = blockIdx.x * 32 + threadIdx.x;
  if (i >= n) return;
  int u = nodes[i];
  for (int e = starts[u]; e < starts[u + 1]; ++e) {
    int v = edges[e];
    if (atomicCAS(&level[v], -1, depth) == -1) {
      int place = atomicAdd(next_count, 1);
      next[place] = v;
    }
  }
})",
       line(2, 32),
       {in(row_starts(40)), in(steps(60, 6, 40)), in(levels(50, steps(40, 1))), in(steps(40, 1)),
        in(std::vector<int>(10)), in(std::vector<int>{0}), number(40), number(1)}},
      {"tally",
       R"(
__global__ void tally(const int* in, int* bins, int n) {
  __shared__ int own[2][8];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane < 8) own[warp][lane] = 0;
  __syncwarp();
  for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64)
    atomicAdd(&own[warp][in[i]], 1);
  __syncwarp();
  if (lane < 8) atomicAdd(&bins[lane], own[warp][lane]);
})",
       line(2, 64),
       {in(integers(300, 8)), in(std::vector<int>(8)), number(300)}},
      {"draws",
       R"(
__global__ void draws(const int* seeds, int* bins, int n) {
  int state = seeds[blockIdx.x * 32 + threadIdx.x];
  for (int k = 0; k < n; ++k) {
    state = (long long)state * 48271 % 2147483647;
    atomicAdd(&bins[(long long)state * 16 / 2147483647], 1);
  }
})",
       line(2, 32),
       {in(integers(64, 30000)), in(std::vector<int>(16)), number(5)}},
      {"queue",
       R"(
__global__ void queue(const int* in, int* sums, int* next, int n) {
  __shared__ int item;
  while (true) {
    if (threadIdx.x == 0) item = atomicAdd(next, 1);
    __syncthreads();
    int mine = item;
    __syncthreads();
    if (mine >= n) return;
    int v = in[mine * 64 + threadIdx.x];
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
    if (threadIdx.x % 32 == 0) sums[mine * 2 + threadIdx.x / 32] = v;
  }
})",
       line(3, 64),
       {in(integers(448, 100)), out_integers(14), in(std::vector<int>{0}), number(7)}}};
}

std::vector<SampleKernel> flags_and_warps() {
  return {{"lookback",
           R"(
__global__ void lookback(const int* in, int* out, int* sums, int* totals, volatile int* states,
                         int* next) {
  __shared__ int warps[2], tile, before;
  int t = threadIdx.x, lane = t & 31;
  if (t == 0) tile = atomicAdd(next, 1);
  __syncthreads();
  int v = in[tile * 64 + t];
  for (int d = 1; d < 32; d <<= 1) {
    int other = __shfl_up_sync(0xffffffff, v, d);
    if (lane >= d) v += other;
  }
  if (lane == 31) warps[t >> 5] = v;
  __syncthreads();
  if (t == 0) {
    int own = warps[0] + warps[1], sum = 0;
    sums[tile] = own;
    __threadfence();
    states[tile] = 1;
    for (int k = tile - 1; k >= 0; --k) {
      int state = states[k];
      while (state == 0) state = states[k];
      __threadfence();
      sum += state == 2 ? totals[k] : sums[k];
      if (state == 2) break;
    }
    before = sum;
    if (tile % 2 == 0) {
      totals[tile] = sum + own;
      __threadfence();
      states[tile] = 2;
    }
  }
  __syncthreads();
  if (t >= 32) v += warps[0];
  out[tile * 64 + t] = before + v;
})",
           line(5, 64),
           {in(integers(320, 50)), out_integers(320), out_integers(5), out_integers(5),
            in(std::vector<int>(5)), in(std::vector<int>{0})}},
          {"locked",
           R"(
__global__ void locked(const int* in, int* best, int* place, int* lock, int n) {
  __shared__ int value[64], at[64];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  value[t] = i < n ? in[i] : -1;
  at[t] = i;
  __syncthreads();
  for (int d = 32; d > 0; d >>= 1) {
    if (t < d && value[t + d] > value[t]) {
      value[t] = value[t + d];
      at[t] = at[t + d];
    }
    __syncthreads();
  }
  if (t == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    if (value[0] > *best) {
      *best = value[0];
      *place = at[0];
    }
    __threadfence();
    atomicExch(lock, 0);
  }
})",
           line(3, 64),
           {in(integers(170, 997)), in(std::vector<int>{-1}), out_integers(1),
            in(std::vector<int>{0}), number(170)}},
          {"rounds",
           R"(
__global__ void rounds(float* a, float* b, int* arrived, int n) {
  int i = blockIdx.x * 64 + threadIdx.x, blocks = gridDim.x;
  for (int round = 0; round < 3; ++round) {
    float left = i > 0 && i < n ? a[i - 1] : 0, right = i + 1 < n ? a[i + 1] : 0;
    if (i < n) b[i] = left + right;
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      atomicAdd(arrived, 1);
      while (atomicAdd(arrived, 0) < blocks * (round + 1)) {}
      __threadfence();
    }
    __syncthreads();
    float* other = a;
    a = b;
    b = other;
  }
})",
           line(3, 64),
           {in(floats(190)), out_floats(190), in(std::vector<int>{0}), number(190)},
           1 << 20},
          {"segments",
           R"(
__global__ void segments(const int* segment, const int* values, int* out, int n) {
  int i = blockIdx.x * 64 + threadIdx.x, lane = threadIdx.x & 31;
  int own = i < n ? segment[i] : -1, v = i < n ? values[i] : 0;
  for (int d = 1; d < 32; d <<= 1) {
    int other = __shfl_up_sync(0xffffffff, own, d), sum = __shfl_up_sync(0xffffffff, v, d);
    if (lane >= d && other == own) v += sum;
  }
  int next = __shfl_down_sync(0xffffffff, own, 1);
  if (i < n && (lane == 31 || next != own)) atomicAdd(&out[own], v);
})",
           line(3, 64),
           {in(steps(150, 7)), in(integers(150, 90)), in(std::vector<int>(22)), number(150)}},
          {"words",
           R"(
__global__ void words(const int* in, unsigned* masks, int* ranks, int n) {
  __shared__ int sums[2];
  int i = blockIdx.x * 64 + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  bool is_odd = i < n && (in[i] & 1) != 0;
  unsigned votes = __ballot_sync(0xffffffff, is_odd);
  if (lane == 0) {
    masks[i >> 5] = votes;
    sums[warp] = __popc(votes);
  }
  __syncthreads();
  int rank = __popc(votes & ((1u << lane) - 1)) + (warp == 1 ? sums[0] : 0);
  if (i < n) ranks[i] = is_odd ? rank : -1;
})",
           line(3, 64),
           {in(integers(150, 90)), out_integers(6), out_integers(150), number(150)}}};
}

}  // namespace hone::ptx
