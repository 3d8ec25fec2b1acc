// Products of matrices by a warp, on the simulated device, against the host's.

#include <gtest/gtest.h>

#include "fmt/format.h"
#include "runtime/narrow_float.h"
#include "tests/support/ptx/cuda_kernel.h"

namespace hone::ptx::matrices_test {
namespace {

class PtxMatrices : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

/// Small integers, which any type holds.
template <class T>
std::vector<T> small_numbers(int count, int seed) {
  std::vector<T> all(count);
  for (int n = 0; n < count; ++n) all[n] = T(static_cast<float>((n * 7 + seed + n / 5) % 5 - 2));
  return all;
}

template <class T>
double number(T value) {
  return static_cast<double>(static_cast<float>(value));
}

/// A is m by k, B is k by n, both row by row.
template <class T>
std::vector<double> product(const std::vector<T>& a, const std::vector<T>& b, int m, int n, int k) {
  std::vector<double> c(m * n);
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j)
      for (int t = 0; t < k; ++t) c[i * n + j] += number(a[i * k + t]) * number(b[t * n + j]);
  return c;
}

/// One mma.sync of 16 by 8, whose fragments the kernel reads as the PTX ISA places them.
std::string mma_kernel(int k, const std::string& element, const std::string& type,
                       const std::string& sum, const std::string& sum_type, int bytes) {
  const int packed = 4 / bytes, left = k / packed / 2, right = left / 2;
  std::string places, a, b;
  for (int n = 0; n < 4 + left + right; ++n)
    (n < 4          ? places
     : n < 4 + left ? a
                    : b) += fmt::format("{}%{}", n == 0 || n == 4 || n == 4 + left ? "" : ", ", n);
  std::string inputs;
  for (int n = 0; n < left; ++n) inputs += fmt::format("\"r\"(a[{}]), ", n);
  for (int n = 0; n < right; ++n) inputs += fmt::format("{}\"r\"(b[{}])", n ? ", " : "", n);
  return fmt::format(
      R"(
extern "C" __global__ void mma(const {1}* A, const {1}* B, {3}* C) {{
  constexpr int k = {0}, p = {5};
  unsigned a[{6}], b[{7}];
  {3} c[4] = {{}};
  int group = threadIdx.x / 4, in_group = threadIdx.x % 4;
  for (int r = 0; r < {6}; ++r)
    for (int e = 0; e < p; ++e)
      reinterpret_cast<{1}*>(&a[r])[e] = A[(group + 8 * (r % 2)) * k + in_group * p + e + 4 * p * (r / 2)];
  for (int r = 0; r < {7}; ++r)
    for (int e = 0; e < p; ++e)
      reinterpret_cast<{1}*>(&b[r])[e] = B[(in_group * p + e + 4 * p * r) * 8 + group];
  asm volatile("mma.sync.aligned.m16n8k{0}.row.col.{4}.{2}.{2}.{4} {{{8}}}, {{{9}}}, {{{10}}}, {{{8}}};"
    : "+{12}"(c[0]), "+{12}"(c[1]), "+{12}"(c[2]), "+{12}"(c[3]) : {11});
  for (int r = 0; r < 4; ++r) C[(group + 8 * (r / 2)) * 8 + 2 * in_group + r % 2] = c[r];
}})",
      k, element, type, sum, sum_type, packed, left, right, places, a, b, inputs,
      sum == "float" ? "f" : "r");
}

template <class T, class Sum>
void expect_product(const std::string& source, int k) {
  CudaKernel kernel(source);
  const auto a = small_numbers<T>(16 * k, 1), b = small_numbers<T>(k * 8, 3);
  const T *da = kernel.array(a, "A"), *db = kernel.array(b, "B");
  Sum* const c = kernel.unset<Sum>(16 * 8, "C");
  EXPECT_EQ(findings_of(kernel.run({.block = {32, 1, 1}}, {da, db, c})), "");
  const auto expected = product(a, b, 16, 8, k);
  for (int n = 0; n < 16 * 8; ++n) ASSERT_EQ(c[n], expected[n]) << n;
}

TEST_F(PtxMatrices, MultiplyHalves) {
  for (const int k : {8, 16}) {
    expect_product<Half, float>(mma_kernel(k, "unsigned short", "f16", "float", "f32", 2), k);
    expect_product<BFloat16, float>(mma_kernel(k, "unsigned short", "bf16", "float", "f32", 2), k);
  }
}

TEST_F(PtxMatrices, MultiplyFloatsOfOtherWidths) {
  for (const int k : {4, 8})
    expect_product<float, float>(mma_kernel(k, "unsigned", "tf32", "float", "f32", 4), k);
  expect_product<Float8E4M3, float>(mma_kernel(32, "unsigned char", "e4m3", "float", "f32", 1), 32);
}

TEST_F(PtxMatrices, MultiplyBytes) {
  for (const int k : {16, 32})
    expect_product<int8_t, int>(mma_kernel(k, "signed char", "s8", "int", "s32", 1), k);
}

TEST_F(PtxMatrices, AreLoadedAndStoredEightByEight) {
  CudaKernel kernel(R"(
extern "C" __global__ void turn(const unsigned short* A, unsigned short* C) {
  __shared__ __align__(16) unsigned short from[16][16], to[16][16];
  int lane = threadIdx.x;
  for (int n = lane; n < 256; n += 32) from[n / 16][n % 16] = A[n];
  __syncwarp();
  unsigned r[4];
  unsigned address = __cvta_generic_to_shared(&from[lane % 16][lane / 16 * 8]);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
    : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(address));
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(r[0]));
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %0;" : "+r"(r[0]));
  address = __cvta_generic_to_shared(&to[lane % 8 + lane / 16 * 8][lane / 8 % 2 * 8]);
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};"
    :: "r"(address), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
  __syncwarp();
  for (int n = lane; n < 256; n += 32) C[n] = to[n / 16][n % 16];
})");
  std::vector<uint16_t> a(256);
  for (int n = 0; n < 256; ++n) a[n] = static_cast<uint16_t>(n);
  const uint16_t* const da = kernel.array(a, "A");
  uint16_t* const c = kernel.unset<uint16_t>(256, "C");
  EXPECT_EQ(findings_of(kernel.run({.block = {32, 1, 1}}, {da, c})), "");
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) ASSERT_EQ(c[i * 16 + j], j * 16 + i) << i << " " << j;
}

/// One product of nvcuda::wmma: A row by row, B column by column.
template <class T, class Sum>
void expect_wmma(int m, int n, int k, const std::string& element, const std::string& fragment,
                 const std::string& sum) {
  CudaKernel kernel(fmt::format(R"(
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void multiply(const {3}* A, const {3}* B, {5}* C) {{
  wmma::fragment<wmma::matrix_a, {0}, {1}, {2}, {4}, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, {0}, {1}, {2}, {4}, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, {0}, {1}, {2}, {5}> c;
  wmma::fill_fragment(c, {5}(1.0f));
  wmma::load_matrix_sync(a, A, {2});
  wmma::load_matrix_sync(b, B, {2});
  wmma::mma_sync(c, a, b, c);
  wmma::store_matrix_sync(C, c, {1}, wmma::mem_row_major);
}})",
                                m, n, k, element, fragment, sum));
  const auto a = small_numbers<T>(m * k, 1), b = small_numbers<T>(k * n, 3);
  const T *da = kernel.array(a, "A"), *db = kernel.array(b, "B");
  Sum* const c = kernel.unset<Sum>(m * n, "C");
  EXPECT_EQ(findings_of(kernel.run({.block = {32, 1, 1}}, {da, db, c})), "");
  std::vector<T> turned(k * n);
  for (int i = 0; i < k * n; ++i) turned[i] = b[i % n * k + i / n];
  const auto expected = product(a, turned, m, n, k);
  for (int i = 0; i < m * n; ++i) ASSERT_EQ(number(c[i]), expected[i] + 1) << i;
}

TEST_F(PtxMatrices, AreThoseOfWmma) {
  expect_wmma<Half, float>(16, 16, 16, "half", "half", "float");
  expect_wmma<Half, Half>(32, 8, 16, "half", "half", "half");
  expect_wmma<BFloat16, float>(8, 32, 16, "__nv_bfloat16", "__nv_bfloat16", "float");
  expect_wmma<float, float>(16, 16, 8, "float", "wmma::precision::tf32", "float");
  expect_wmma<int8_t, int>(16, 16, 16, "signed char", "signed char", "int");
  expect_wmma<double, double>(8, 8, 4, "double", "double", "double");
}

struct Fragment {
  const char* type;          ///< "matrix_a, 16, 16, 16, half, wmma::row_major"
  const char* element;       ///< in memory
  int rows, columns;         ///< of the matrix
  const char* places;        ///< row and column of the elements of lane 5
  const char* by_rows = "";  ///< behind the stride of a load
};

/// "1,2 1,3": the rows and columns of the elements that lane 5 has.
std::string places_of(const Fragment& fragment) {
  CudaKernel kernel(fmt::format(R"(
#include <mma.h>
using namespace nvcuda;
using byte = signed char;
extern "C" __global__ void show(int* out) {{
  __shared__ __align__(32) {1} rows[{2} * {3}], columns[{2} * {3}];
  for (int i = threadIdx.x; i < {2} * {3}; i += 32) {{
    rows[i] = {1}((float)(i / {3}));
    columns[i] = {1}((float)(i % {3}));
  }}
  __syncwarp();
  wmma::fragment<wmma::{0}> row, column;
  wmma::load_matrix_sync(row, rows, {3}{4});
  wmma::load_matrix_sync(column, columns, {3}{4});
  if (threadIdx.x != 5) return;
  out[0] = row.num_elements;
  for (int t = 0; t < row.num_elements; ++t) {{
    out[1 + 2 * t] = (int)(float)row.x[t];
    out[2 + 2 * t] = (int)(float)column.x[t];
  }}
}})",
                                fragment.type, fragment.element, fragment.rows, fragment.columns,
                                fragment.by_rows));
  int* const out = kernel.array(std::vector<int>(65), "out");
  EXPECT_EQ(findings_of(kernel.run({.block = {32, 1, 1}}, {out})), "");
  std::string places;
  for (int n = 0; n < out[0]; ++n)
    places += fmt::format("{}{},{}", n == 0 ? "" : " ", out[1 + 2 * n], out[2 + 2 * n]);
  return places;
}

/// As an H200 has them: kernels that convert a fragment to another type element by element rely on
/// it.
TEST_F(PtxMatrices, OfWmmaLieAsOnAGpu) {
  constexpr const char* by_rows = ", wmma::mem_row_major";
  const Fragment fragments[] = {
      {"matrix_a, 16, 16, 16, half, wmma::row_major", "half", 16, 16,
       "1,2 1,3 9,2 9,3 1,10 1,11 9,10 9,11 1,2 1,3 9,2 9,3 1,10 1,11 9,10 9,11"},
      {"matrix_b, 16, 16, 16, half, wmma::row_major", "half", 16, 16,
       "2,1 3,1 10,1 11,1 2,9 3,9 10,9 11,9 2,1 3,1 10,1 11,1 2,9 3,9 10,9 11,9"},
      {"matrix_a, 32, 8, 16, half, wmma::row_major", "half", 32, 16,
       "1,2 1,3 9,2 9,3 1,10 1,11 9,10 9,11 17,2 17,3 25,2 25,3 17,10 17,11 25,10 25,11"},
      {"matrix_a, 8, 32, 16, half, wmma::row_major", "half", 8, 16,
       "1,2 1,3 1,10 1,11 1,2 1,3 1,10 1,11 1,2 1,3 1,10 1,11 1,2 1,3 1,10 1,11"},
      {"matrix_b, 8, 32, 16, half, wmma::row_major", "half", 16, 32,
       "2,1 3,1 2,9 3,9 10,1 11,1 10,9 11,9 2,17 3,17 2,25 3,25 10,17 11,17 10,25 11,25"},
      {"matrix_b, 16, 16, 16, signed char, wmma::row_major", "byte", 16, 16,
       "4,1 5,1 6,1 7,1 4,9 5,9 6,9 7,9"},
      {"matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major", "float", 16, 8,
       "1,1 9,1 1,5 9,5"},
      {"matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major", "float", 8, 16,
       "1,1 5,1 1,9 5,9"},
      {"accumulator, 16, 16, 16, float", "float", 16, 16, "1,2 1,3 9,2 9,3 1,10 1,11 9,10 9,11",
       by_rows},
      {"accumulator, 16, 16, 16, half", "half", 16, 16, "1,2 1,3 9,2 9,3 1,10 1,11 9,10 9,11",
       by_rows},
      {"accumulator, 32, 8, 16, half", "half", 32, 8, "1,2 1,3 9,2 9,3 17,2 17,3 25,2 25,3",
       by_rows},
      {"accumulator, 8, 32, 16, int", "int", 8, 32, "2,1 3,1 2,9 3,9 2,17 3,17 2,25 3,25", by_rows},
  };
  for (const Fragment& one : fragments) EXPECT_EQ(places_of(one), one.places) << one.type;
}

TEST_F(PtxMatrices, SaturateSumsOfIntegersWhereTheyShould) {
  CudaKernel kernel(R"(
extern "C" __global__ void mma(int* C) {
  int a = 0x7f7f7f7f, c = 0x7ffffff0, d[8];
  asm volatile("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%5, %5, %5, %5};"
    : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(a), "r"(c));
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %4, %4, %4}, {%4, %4}, {%5, %5, %5, %5};"
    : "=r"(d[4]), "=r"(d[5]), "=r"(d[6]), "=r"(d[7]) : "r"(a), "r"(c));
  if (threadIdx.x == 0) { C[0] = d[0]; C[1] = d[4]; }
})");
  int* const c = kernel.unset<int>(2, "C");
  EXPECT_EQ(findings_of(kernel.run({.block = {32, 1, 1}}, {c})), "");
  EXPECT_EQ(c[0], INT32_MAX);
  EXPECT_EQ(static_cast<uint32_t>(c[1]), 0x7ffffff0u + 32u * 127u * 127u);
}

}  // namespace
}  // namespace hone::ptx::matrices_test
