#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/ptx/program_parts.h"

namespace hone::ptx {
std::vector<float> floats(size_t count) {
  std::vector<float> all(count);
  for (size_t n = 0; n < count; ++n) all[n] = static_cast<float>((n * 37 + 11) % 29) - 14;
  return all;
}

std::vector<float> fractions(size_t count) {
  std::vector<float> all(count);
  for (size_t n = 0; n < count; ++n) all[n] = static_cast<float>((n * 7919 + 13) % 997) / 100 - 5;
  return all;
}

std::vector<int> integers(size_t count, int most) {
  std::vector<int> all(count);
  for (size_t n = 0; n < count; ++n) all[n] = static_cast<int>((n * 7919 + 13) % most);
  return all;
}

std::vector<int> row_starts(int rows) {
  std::vector<int> starts = {0};
  for (int row = 0; row < rows; ++row) starts.push_back(starts.back() + row % 4);
  return starts;
}

namespace {

std::vector<SampleKernel> reductions() {
  return {{"tree",
           R"(
__global__ void tree(const float* in, float* out, int n) {
  __shared__ float s[128];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  s[t] = (i < n ? in[i] : 0) + (i + 128 < n ? in[i + 128] : 0);
  __syncthreads();
  for (int d = 64; d > 0; d >>= 1) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
})",
           line(3, 128),
           {in(floats(700)), out_floats(3), number(700)}},
          {"warps",
           R"(
__global__ void warps(const float* in, float* out, int n) {
  __shared__ float parts[8];
  float s = 0;
  for (int i = threadIdx.x; i < n; i += 256) s += in[i];
  for (int d = 16; d > 0; d /= 2) s += __shfl_down_sync(0xffffffff, s, d);
  if (threadIdx.x % 32 == 0) parts[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 8; ++w) s += parts[w];
    *out = s;
  }
})",
           line(1, 256),
           {in(floats(1000)), out_floats(1), number(1000)}},
          {"syncwarp",
           R"(
__global__ void syncwarp(const float* in, float* out) {
  __shared__ float s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  if (t < 32) {
    float v = s[t] + s[t + 32];
    for (int d = 16; d > 0; d /= 2) {
      s[t] = v;
      __syncwarp();
      if (t < d) v += s[t + d];
      __syncwarp();
    }
    if (t == 0) *out = v;
  }
})",
           line(1, 64),
           {in(floats(64)), out_floats(1)}},
          {"lastblock",
           R"(
__global__ void lastblock(const float* in, float* parts, int* counter, float* out, int n) {
  __shared__ float s[64];
  __shared__ bool is_last;
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  s[t] = i < n ? in[i] : 0;
  __syncthreads();
  if (t == 0) {
    float sum = 0;
    for (int k = 0; k < 64; ++k) sum += s[k];
    parts[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicAdd(counter, 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && t == 0) {
    float sum = 0;
    for (int b = 0; b < gridDim.x; ++b) sum += parts[b];
    *out = sum;
  }
})",
           line(4, 64),
           {in(floats(250)), out_floats(4), in(std::vector<int>{0}), out_floats(1), number(250)}}};
}

std::vector<SampleKernel> scans_and_sorts() {
  return {
      {"scan",
       R"(
__global__ void scan(const int* in, int* out) {
  __shared__ int s[2][128];
  int t = threadIdx.x, from = 0;
  s[0][t] = in[t];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    s[1 - from][t] = s[from][t] + (t >= d ? s[from][t - d] : 0);
    from = 1 - from;
    __syncthreads();
  }
  out[t] = s[from][t];
})",
       line(1, 128),
       {in(integers(128, 50)), out_integers(128)}},
      {"shufflescan",
       R"(
__global__ void shufflescan(const int* in, int* out) {
  __shared__ int sums[4];
  int t = threadIdx.x, lane = t % 32, v = in[t];
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(0xffffffff, v, d);
    if (lane >= d) v += other;
  }
  if (lane == 31) sums[t / 32] = v;
  __syncthreads();
  for (int w = 0; w < t / 32; ++w) v += sums[w];
  out[t] = v;
})",
       line(1, 128),
       {in(integers(128, 50)), out_integers(128)}},
      {"bitonic",
       R"(
__global__ void bitonic(const int* in, int* out) {
  __shared__ int s[64];
  int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  for (int k = 2; k <= 64; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      int other = t ^ j;
      int mine = s[t], theirs = s[other];
      __syncthreads();
      if (((t & k) == 0) == (t < other)) s[t] = min(mine, theirs);
      else s[t] = max(mine, theirs);
      __syncthreads();
    }
  out[t] = s[t];
})",
       line(1, 64),
       {in(integers(64, 1000)), out_integers(64)}},
      {"histogram",
       R"(
__global__ void histogram(const int* in, int* bins, int n) {
  __shared__ int own[16];
  if (threadIdx.x < 16) own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 64 + threadIdx.x; i < n; i += gridDim.x * 64) atomicAdd(&own[in[i]], 1);
  __syncthreads();
  if (threadIdx.x < 16) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
})",
       line(3, 64),
       {in(integers(500, 16)), in(std::vector<int>(16)), number(500)}},
      {"compact",
       R"(
__global__ void compact(const int* in, int* out, int* count, int n) {
  int i = blockIdx.x * 64 + threadIdx.x, lane = threadIdx.x % 32;
  bool keeps = i < n && in[i] % 3 == 0;
  unsigned votes = __ballot_sync(0xffffffff, keeps);
  int first = 0;
  if (lane == 0) first = atomicAdd(count, __popc(votes));
  first = __shfl_sync(0xffffffff, first, 0);
  if (keeps) out[first + __popc(votes & ((1u << lane) - 1))] = in[i];
})",
       line(3, 64),
       {in(integers(150, 100)), in(std::vector<int>(150)), in(std::vector<int>{0}), number(150)}}};
}

std::vector<SampleKernel> linear_algebra() {
  return {{"matmul",
           R"(
__global__ void matmul(const float* A, const float* B, float* C, int n) {
  __shared__ float a[8][8], b[8][8];
  int x = threadIdx.x, y = threadIdx.y, i = blockIdx.y * 8 + y, j = blockIdx.x * 8 + x;
  float sum = 0;
  for (int k = 0; k < n; k += 8) {
    a[y][x] = i < n && k + x < n ? A[i * n + k + x] : 0;
    b[y][x] = k + y < n && j < n ? B[(k + y) * n + j] : 0;
    __syncthreads();
    for (int t = 0; t < 8; ++t) sum += a[y][t] * b[t][x];
    __syncthreads();
  }
  if (i < n && j < n) C[i * n + j] = sum;
})",
           {.grid = {3, 3, 1}, .block = {8, 8, 1}},
           {in(floats(400)), in(floats(400)), out_floats(400), number(20)}},
          {"transpose",
           R"(
__global__ void transpose(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < columns && y < rows) tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  if (x < rows && y < columns) out[y * rows + x] = tile[threadIdx.x][threadIdx.y];
})",
           {.grid = {2, 3, 1}, .block = {16, 16, 1}},
           {in(floats(40 * 25)), out_floats(40 * 25), number(40), number(25)}},
          {"rows",
           R"(
__global__ void rows(const int* starts, const int* columns, const float* values, const float* x,
                     float* y, int n) {
  int row = blockIdx.x * 4 + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= n) return;
  float s = 0;
  for (int k = starts[row] + lane; k < starts[row + 1]; k += 32) s += values[k] * x[columns[k]];
  for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(0xffffffff, s, d);
  if (lane == 0) y[row] = s;
})",
           line(3, 128),
           {in(row_starts(10)), in(integers(13, 20)), in(floats(13)), in(floats(20)),
            out_floats(10), number(10)}},
          {"softmax",
           R"(
__global__ void softmax(const float* in, float* out, int n) {
  __shared__ float s[64];
  const float* row = in + blockIdx.x * n;
  float m = -1e30f;
  for (int i = threadIdx.x; i < n; i += 64) m = fmaxf(m, row[i]);
  s[threadIdx.x] = m;
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] = fmaxf(s[threadIdx.x], s[threadIdx.x + d]);
    __syncthreads();
  }
  m = s[0];
  __syncthreads();
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += 64) sum += __expf(row[i] - m);
  s[threadIdx.x] = sum;
  __syncthreads();
  for (int d = 32; d > 0; d /= 2) {
    if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n; i += 64) out[blockIdx.x * n + i] = __expf(row[i] - m) / s[0];
})",
           line(2, 64),
           {in(floats(200)), out_floats(200), number(100)}}};
}

std::vector<SampleKernel> grids_and_graphs() {
  return {{"stencil",
           R"(
__global__ void stencil(const float* in, float* out, int n) {
  __shared__ float s[66];
  int i = blockIdx.x * 64 + threadIdx.x, t = threadIdx.x + 1;
  s[t] = i < n ? in[i] : 0;
  if (threadIdx.x == 0) s[0] = i > 0 ? in[i - 1] : 0;
  if (threadIdx.x == 63) s[65] = i + 1 < n ? in[i + 1] : 0;
  __syncthreads();
  if (i < n) out[i] = s[t - 1] + 2 * s[t] + s[t + 1];
})",
           line(3, 64),
           {in(floats(180)), out_floats(180), number(180)}},
          {"filter",
           R"(
__constant__ float weights[5] = {1, 2, 4, 2, 1};
__global__ void filter(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0;
  for (int k = -2; k <= 2; ++k)
    if (i + k >= 0 && i + k < n) s += weights[k + 2] * in[i + k];
  out[i] = s;
})",
           line(3, 64),
           {in(floats(150)), out_floats(150), number(150)}},
          {"bodies",
           R"(
__global__ void bodies(const float* x, float* force, int n) {
  __shared__ float tile[32];
  int i = blockIdx.x * 32 + threadIdx.x;
  float own = i < n ? x[i] : 0, f = 0;
  for (int j = 0; j < n; j += 32) {
    if (j + threadIdx.x < n) tile[threadIdx.x] = x[j + threadIdx.x];
    __syncthreads();
    for (int k = 0; k < 32 && j + k < n; ++k) {
      float d = tile[k] - own;
      f += d / (d * d + 1);
    }
    __syncthreads();
  }
  if (i < n) force[i] = f;
})",
           line(3, 32),
           {in(floats(90)), out_floats(90), number(90)}},
          {"butterflies",
           R"(
__global__ void butterflies(const float* in, float* out) {
  __shared__ float re[64], im[64];
  int t = threadIdx.x;
  re[__brev(2 * t) >> 26] = in[2 * t];
  re[__brev(2 * t + 1) >> 26] = in[2 * t + 1];
  im[2 * t] = im[2 * t + 1] = 0;
  __syncthreads();
  for (int half = 1; half < 64; half *= 2) {
    int k = t % half, i = t / half * 2 * half + k, j = i + half;
    float c = cospif(-(float)k / half), s = sinpif(-(float)k / half);
    float a = re[j] * c - im[j] * s, b = re[j] * s + im[j] * c;
    re[j] = re[i] - a;
    im[j] = im[i] - b;
    re[i] += a;
    im[i] += b;
    __syncthreads();
  }
  out[t] = re[t] * re[t] + im[t] * im[t];
})",
           line(1, 32),
           {in(floats(64)), out_floats(32)}},
          {"life",
           R"(
__global__ void life(const int* in, int* out, int n) {
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= n || y >= n) return;
  int around = 0;
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) {
      int v = y + dy, u = x + dx;
      if (v >= 0 && v < n && u >= 0 && u < n && (dx || dy)) around += in[v * n + u];
    }
  out[y * n + x] = around == 3 || (around == 2 && in[y * n + x]);
})",
           {.grid = {3, 3, 1}, .block = {8, 8, 1}},
           {in(integers(400, 2)), out_integers(400), number(20)}},
          {"chain",
           R"(
__global__ void chain(const int* in, int* out, int* flags) {
  __shared__ int before;
  if (threadIdx.x == 0) {
    int sum = 0;
    if (blockIdx.x > 0) {
      while (atomicAdd(&flags[blockIdx.x - 1], 0) == 0) {}
      __threadfence();
      sum = out[blockIdx.x * 32 - 1];
    }
    before = sum;
  }
  __syncthreads();
  int v = in[blockIdx.x * 32 + threadIdx.x];
  for (int d = 1; d < 32; d *= 2) {
    int other = __shfl_up_sync(0xffffffff, v, d);
    if (threadIdx.x >= d) v += other;
  }
  out[blockIdx.x * 32 + threadIdx.x] = before + v;
  __threadfence();
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(&flags[blockIdx.x], 1);
})",
           line(4, 32),
           {in(integers(128, 9)), out_integers(128), in(std::vector<int>(4))}}};
}

template <class T>
Argument add_array(CudaKernel& kernel, const std::vector<T>& elements, bool is_output,
                   const std::string& name, std::vector<std::pair<std::byte*, size_t>>& arrays) {
  T* const data = is_output ? kernel.unset<T>(elements.size(), name) : kernel.array(elements, name);
  arrays.emplace_back(reinterpret_cast<std::byte*>(data), elements.size() * sizeof(T));
  return data;
}

}  // namespace

const std::vector<SampleKernel>& sample_kernels() {
  static const std::vector<SampleKernel> all = [] {
    std::vector<SampleKernel> kernels;
    for (const auto& family :
         {reductions(), scans_and_sorts(), linear_algebra(), grids_and_graphs(),
          counts_and_queues(), flags_and_warps(), tiles_and_rows(), vectors_and_copies()})
      kernels.insert(kernels.end(), family.begin(), family.end());
    return kernels;
  }();
  return all;
}

SampleResult run_sample(const SampleKernel& sample) try {
  CudaKernel kernel(sample.source);
  std::vector<Argument> arguments;
  std::vector<std::pair<std::byte*, size_t>> arrays;
  for (const SampleArgument& argument : sample.arguments) {
    const std::string name(1, static_cast<char>('a' + arguments.size()));
    if (const auto* elements = std::get_if<std::vector<float>>(&argument.value))
      arguments.push_back(add_array(kernel, *elements, argument.is_output, name, arrays));
    else if (const auto* numbers = std::get_if<std::vector<int>>(&argument.value))
      arguments.push_back(add_array(kernel, *numbers, argument.is_output, name, arrays));
    else
      arguments.emplace_back(std::get<int>(argument.value));
  }
  Report report = kernel.run(sample.shape, arguments,
                             {.check = true, .threads = 1, .step_budget = sample.step_budget});
  SampleResult result;
  for (const auto& [data, bytes] : arrays) result.arrays.emplace_back(data, data + bytes);
  for (const Report::Finding& finding : report.findings)
    (is_hint(finding.kind) ? result.hints : result.findings) += to_string(finding) + "\n";
  return result;
} catch (const CompileError& error) {
  SampleResult result;
  result.refused = error.what();
  return result;
}

}  // namespace hone::ptx
