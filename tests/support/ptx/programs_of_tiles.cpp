// Sample kernels with tiles of matrices and images, vectors of floats, and asynchronous copies.

#include "tests/support/ptx/program_parts.h"

namespace hone::ptx {

std::vector<SampleKernel> tiles_and_rows() {
  return {
      {"heat",
       R"(
__global__ void heat(const float* in, float* out, int width, int height) {
  __shared__ float s[10][10];
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  int u = threadIdx.x + 1, v = threadIdx.y + 1;
  int i = min(x, width - 1), j = min(y, height - 1);
  s[v][u] = in[j * width + i];
  if (u == 1) s[v][0] = in[j * width + max(x - 1, 0)];
  if (u == 8) s[v][9] = in[j * width + min(x + 1, width - 1)];
  if (v == 1) s[0][u] = in[max(y - 1, 0) * width + i];
  if (v == 8) s[9][u] = in[min(y + 1, height - 1) * width + i];
  __syncthreads();
  if (x < width && y < height)
    out[y * width + x] = s[v - 1][u] + s[v + 1][u] + s[v][u - 1] + s[v][u + 1] - 3 * s[v][u];
})",
       {.grid = {3, 2, 1}, .block = {8, 8, 1}},
       {in(floats(260)), out_floats(260), number(20), number(13)}},
      {"convolve",
       R"(
__constant__ float weights[9] = {1, 2, 1, 3, 5, 2, 1, 4, 1};
__global__ void convolve(const float* in, float* out, int width, int height) {
  __shared__ float tile[100];
  for (int e = threadIdx.y * 8 + threadIdx.x; e < 100; e += 64) {
    int x = blockIdx.x * 8 + e % 10 - 1, y = blockIdx.y * 8 + e / 10 - 1;
    bool is_inside = x >= 0 && x < width && y >= 0 && y < height;
    tile[e] = is_inside ? in[y * width + x] : 0;
  }
  __syncthreads();
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int v = 0; v < 3; ++v)
    for (int u = 0; u < 3; ++u)
      sum += weights[v * 3 + u] * tile[(threadIdx.y + v) * 10 + threadIdx.x + u];
  out[y * width + x] = sum;
})",
       {.grid = {3, 2, 1}, .block = {8, 8, 1}},
       {in(floats(260)), out_floats(260), number(20), number(13)}},
      {"online",
       R"(
__global__ void online(const float* in, float* out, int rows, int columns) {
  int row = blockIdx.x * 2 + threadIdx.y, lane = threadIdx.x;
  if (row >= rows) return;
  float m = -1e30f, sum = 0;
  for (int i = lane; i < columns; i += 32) {
    float x = in[row * columns + i], most = fmaxf(m, x);
    sum = sum * __expf(m - most) + __expf(x - most);
    m = most;
  }
  for (int d = 16; d > 0; d >>= 1) {
    float other = __shfl_xor_sync(0xffffffff, m, d);
    float others = __shfl_xor_sync(0xffffffff, sum, d), most = fmaxf(m, other);
    sum = sum * __expf(m - most) + others * __expf(other - most);
    m = most;
  }
  for (int i = lane; i < columns; i += 32)
    out[row * columns + i] = __expf(in[row * columns + i] - m) / sum;
})",
       {.grid = {2, 1, 1}, .block = {32, 2, 1}},
       {in(floats(150)), out_floats(150), number(3), number(50)}},
      {"attention",
       R"(
__global__ void attention(const float* Q, const float* K, const float* V, float* O, int n) {
  extern __shared__ float memory[];
  float* k = memory;
  float* v = k + 32 * 8;
  float* p = v + 32 * 8;
  float* o = p + 64 * 32;
  int t = threadIdx.x, row = blockIdx.x * 64 + t;
  float m = -1e30f, sum = 0;
  for (int c = 0; c < 8; ++c) o[t * 8 + c] = 0;
  for (int first = 0; first < n; first += 32) {
    for (int e = t; e < 256; e += 64) {
      bool is_inside = first * 8 + e < n * 8;
      k[e] = is_inside ? K[first * 8 + e] : 0;
      v[e] = is_inside ? V[first * 8 + e] : 0;
    }
    __syncthreads();
    float most = m;
    for (int j = 0; j < 32 && first + j < n; ++j) {
      float s = 0;
      for (int c = 0; c < 8 && row < n; ++c) s += Q[row * 8 + c] * k[j * 8 + c];
      p[t * 32 + j] = s * 0.03f;
      most = fmaxf(most, s * 0.03f);
    }
    float scale = __expf(m - most);
    sum *= scale;
    for (int c = 0; c < 8; ++c) o[t * 8 + c] *= scale;
    for (int j = 0; j < 32 && first + j < n; ++j) {
      float w = __expf(p[t * 32 + j] - most);
      sum += w;
      for (int c = 0; c < 8; ++c) o[t * 8 + c] += w * v[j * 8 + c];
    }
    m = most;
    __syncthreads();
  }
  for (int c = 0; c < 8 && row < n; ++c) O[row * 8 + c] = o[t * 8 + c] / sum;
})",
       line(2, 64, 4 * (2 * 32 * 8 + 64 * 32 + 64 * 8)),
       {in(fractions(560)), in(fractions(560)), in(fractions(560)), out_floats(560), number(70)}}};
}

std::vector<SampleKernel> vectors_and_copies() {
  return {{"nbody",
           R"(
__global__ void nbody(const float* bodies, float* forces, int n) {
  __shared__ float4 tile[32];
  const float4* all = reinterpret_cast<const float4*>(bodies);
  int t = threadIdx.x, i = blockIdx.x * 32 + t;
  float4 own = all[min(i, n - 1)];
  float x = 0, y = 0, z = 0;
  for (int j = 0; j < n; j += 32) {
    tile[t] = all[min(j + t, n - 1)];
    __syncthreads();
    for (int k = 0; k < 32 && j + k < n; ++k) {
      float4 other = tile[k];
      float dx = other.x - own.x, dy = other.y - own.y, dz = other.z - own.z;
      float r = rsqrtf(dx * dx + dy * dy + dz * dz + 0.5f), w = other.w * r * r * r;
      x += dx * w;
      y += dy * w;
      z += dz * w;
    }
    __syncthreads();
  }
  if (i < n) reinterpret_cast<float4*>(forces)[i] = make_float4(x, y, z, 0);
})",
           line(3, 32),
           {in(floats(280)), out_floats(280), number(70)}},
          {"quads",
           R"(
__global__ void quads(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  int x = threadIdx.x * 4, y = threadIdx.y, r = blockIdx.y * 32 + y, c = blockIdx.x * 32 + x;
  if (r < n && c < n) {
    float4 v = *reinterpret_cast<const float4*>(in + r * n + c);
    tile[x][y] = v.x;
    tile[x + 1][y] = v.y;
    tile[x + 2][y] = v.z;
    tile[x + 3][y] = v.w;
  }
  __syncthreads();
  r = blockIdx.x * 32 + y;
  c = blockIdx.y * 32 + x;
  float* to = out + r * n + c;
  if (r < n && c < n)
    *reinterpret_cast<float4*>(to) =
        make_float4(tile[y][x], tile[y][x + 1], tile[y][x + 2], tile[y][x + 3]);
})",
           {.grid = {2, 2, 1}, .block = {8, 32, 1}},
           {in(floats(36 * 36)), out_floats(36 * 36), number(36)}},
          {"vectors",
           R"(
__global__ void vectors(const float* in, float* out, int n) {
  int i = blockIdx.x * 32 + threadIdx.x, step = gridDim.x * 32;
  for (int k = i; k < n / 4; k += step) {
    float4 v = reinterpret_cast<const float4*>(in)[k];
    reinterpret_cast<float4*>(out)[k] = make_float4(v.x + 1, v.y * 2, v.z - 3, v.w * v.w);
  }
  for (int k = n / 4 * 4 + i; k < n; k += step) out[k] = in[k] + 5;
})",
           line(2, 32),
           {in(floats(303)), out_floats(303), number(303)}},
          {"halves",
           "#include <cuda_fp16.h>\n"
           R"(__global__ void halves(const float* a, const float* b, float* out, int n) {
  __shared__ __half2 s[64];
  int t = threadIdx.x;
  __half2 sum = __float2half2_rn(0.0f);
  for (int i = 2 * t; i + 1 < n; i += 128)
    sum = __hfma2(__floats2half2_rn(a[i], a[i + 1]), __floats2half2_rn(b[i], b[i + 1]), sum);
  s[t] = sum;
  __syncthreads();
  for (int d = 32; d > 0; d >>= 1) {
    if (t < d) s[t] = __hadd2(s[t], s[t + d]);
    __syncthreads();
  }
  if (t == 0) *out = __low2float(s[0]) + __high2float(s[0]);
})",
           line(1, 64),
           {in(floats(300)), in(floats(300)), out_floats(1), number(300)}},
          {"pipeline",
           R"(
__device__ void copy(float* to, const float* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                   (unsigned)__cvta_generic_to_shared(to)),
               "l"(from)
               : "memory");
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int n> __device__ void wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(n) : "memory");
}
__global__ void pipeline(const float* in, float* out, int tiles) {
  __shared__ float s[2][64];
  int t = threadIdx.x;
  float sum = 0;
  copy(&s[0][t], &in[t]);
  commit();
  for (int k = 0; k < tiles; ++k) {
    if (k + 1 < tiles) copy(&s[(k + 1) % 2][t], &in[(k + 1) * 64 + t]);
    commit();
    wait<1>();
    __syncthreads();
    sum += s[k % 2][t] * s[k % 2][63 - t];
    __syncthreads();
  }
  out[t] = sum;
})",
           line(1, 64),
           {in(floats(320)), out_floats(64), number(5)}},
          {"bulk",
           R"(
__device__ void expect(unsigned mbarrier, int bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(mbarrier), "r"(bytes)
               : "memory");
}
__device__ void copy(unsigned to, const float* from, int bytes, unsigned mbarrier) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(to), "l"(from), "r"(bytes), "r"(mbarrier)
      : "memory");
}
__device__ void wait(unsigned mbarrier, int parity) {
  asm volatile(
      "{ .reg .pred p; again: mbarrier.try_wait.parity.shared.b64 p, [%0], %1; @!p bra again; }" ::
          "r"(mbarrier), "r"(parity)
      : "memory");
}
__global__ void bulk(const float* in, float* out, int tiles) {
  __shared__ alignas(16) float s[2][64];
  __shared__ unsigned long long full[2];
  int t = threadIdx.x;
  unsigned buffers = __cvta_generic_to_shared(s), mbarriers = __cvta_generic_to_shared(full);
  if (t == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(mbarriers));
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(mbarriers + 8));
  }
  __syncthreads();
  float sum = 0;
  for (int k = -1; k < tiles; ++k) {
    int next = (k + 1) & 1;
    if (t == 0 && k + 1 < tiles) {
      expect(mbarriers + next * 8, 256);
      copy(buffers + next * 256, in + (k + 1) * 64, 256, mbarriers + next * 8);
    }
    if (k < 0) continue;
    wait(mbarriers + (k & 1) * 8, k >> 1 & 1);
    sum += s[k & 1][t] * s[k & 1][63 - t];
    __syncthreads();
  }
  out[t] = sum;
})",
           line(1, 64),
           {in(floats(320)), out_floats(64), number(5)}},
          {"tensor",
           R"(
#include <mma.h>
using namespace nvcuda;
__global__ void tensor(const float* A, const float* B, float* C, int n) {
  __shared__ alignas(32) __half a[16][24], b[16][24];
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;
  wmma::fill_fragment(c, 0.0f);
  for (int k = 0; k < n; k += 16) {
    for (int e = threadIdx.x; e < 256; e += 32) {
      int y = e / 16, x = e % 16;
      a[y][x] = __float2half(A[y * n + k + x]);
      b[y][x] = __float2half(B[(k + y) * 16 + x]);
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> fb;
    wmma::load_matrix_sync(fa, &a[0][0], 24);
    wmma::load_matrix_sync(fb, &b[0][0], 24);
    wmma::mma_sync(c, fa, fb, c);
    __syncwarp();
  }
  wmma::store_matrix_sync(C, c, 16, wmma::mem_row_major);
})",
           line(1, 32),
           {in(floats(512)), in(floats(512)), out_floats(256), number(32)}}};
}

}  // namespace hone::ptx
