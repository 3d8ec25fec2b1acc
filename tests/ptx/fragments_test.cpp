// The accesses by which wmma moves fragments, as ptxas makes them for sm_90: those that Nsight
// Compute counts on an H200.

#include <gtest/gtest.h>

#include "fmt/format.h"
#include "tests/support/ptx/cuda_kernel.h"

namespace hone::ptx {
namespace {

struct Move {
  std::string fragment;     ///< "matrix_a, 16, 16, 16, half, wmma::row_major"
  std::string element;      ///< of memory
  std::string order = "";   ///< of a sum: "wmma::mem_row_major"
  int64_t requests, bytes;  ///< bytes of all lanes
  int64_t wavefronts = 0;   ///< in shared memory

  friend std::ostream& operator<<(std::ostream& out, const Move& move) {
    return out << move.fragment << " " << move.order;
  }
};

class PtxFragments : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = why_no_nvrtc(); !why.empty()) GTEST_SKIP() << why;
  }
};

/// Lines of 40 elements, of bytes 48: 16 bytes of eight lines of halves lie in all banks.
std::string load_kernel(const Move& move, bool from_shared) {
  return fmt::format(R"(
#include <mma.h>
using namespace nvcuda;
using byte = signed char;
extern "C" __global__ void load({1}* in, {1}* out) {{
  __shared__ __align__(128) {1} tile[48 * 32];
  for (int n = threadIdx.x; n < 48 * 32; n += 32) tile[n] = {1}(n % 3);
  __syncthreads();
  wmma::fragment<wmma::{0}> f;
  wmma::load_matrix_sync(f, {3}, {4}{2});
  float sum = 0;
  for (int n = 0; n < f.num_elements; ++n) sum += float(f.x[n]);
  out[threadIdx.x] = {1}(sum);
}})",
                     move.fragment, move.element, move.order.empty() ? "" : ", " + move.order,
                     from_shared ? "tile" : "in", move.element == "byte" ? 48 : 40);
}

std::string store_kernel(const Move& move, bool to_shared) {
  return fmt::format(R"(
#include <mma.h>
using namespace nvcuda;
using byte = signed char;
extern "C" __global__ void store({1}* in, {1}* out) {{
  __shared__ __align__(128) {1} tile[48 * 32];
  wmma::fragment<wmma::{0}> f;
  wmma::fill_fragment(f, in[0]);
  wmma::store_matrix_sync({3}, f, 40, {2});
  __syncthreads();
  if (threadIdx.x == 0) in[1] = tile[0];
}})",
                     move.fragment, move.element, move.order, to_shared ? "tile" : "out");
}

MemoryCounts counted(const std::string& source, AccessClass access_class) {
  CudaKernel kernel(source);
  auto* const in = kernel.array(std::vector<double>(40 * 32), "in");
  auto* const out = kernel.unset<double>(40 * 32, "out");
  const LaunchShape shape = {.block = {32, 1, 1}};
  const Report report = kernel.run(shape, {in, out}, {.count = true});
  EXPECT_EQ(findings_of(kernel.run(shape, {in, out})), "");
  return report.counts.totals[static_cast<size_t>(access_class)];
}

void expect_moves(const std::vector<Move>& moves, AccessClass access_class,
                  std::string (*kernel)(const Move&, bool)) {
  const bool is_shared =
      access_class == AccessClass::shared_load || access_class == AccessClass::shared_store;
  for (const Move& move : moves) {
    SCOPED_TRACE(testing::PrintToString(move));
    const MemoryCounts counts = counted(kernel(move, is_shared), access_class);
    EXPECT_EQ(counts.requests, move.requests);
    EXPECT_EQ(counts.bytes, move.bytes);
    EXPECT_EQ(is_shared ? counts.wavefronts : 0, move.wavefronts);
  }
}

constexpr const char* by_rows = "wmma::mem_row_major";
constexpr const char* by_columns = "wmma::mem_col_major";

TEST_F(PtxFragments, ComeFromSharedMemoryByLdmatrix) {
  expect_moves(
      {{"matrix_a, 16, 16, 16, half, wmma::row_major", "half", "", 1, 512, 4},
       {"matrix_b, 16, 16, 16, half, wmma::row_major", "half", "", 1, 512, 4},
       {"matrix_a, 32, 8, 16, half, wmma::col_major", "half", "", 2, 1024, 8},
       {"matrix_b, 32, 8, 16, half, wmma::col_major", "half", "", 1, 256, 2},
       {"matrix_a, 32, 8, 16, byte, wmma::row_major", "byte", "", 2, 512, 4},
       {"matrix_b, 16, 16, 16, byte, wmma::row_major", "byte", "", 8, 256, 16},
       {"matrix_a, 16, 16, 16, __nv_bfloat16, wmma::row_major", "__nv_bfloat16", "", 4, 512, 4},
       {"accumulator, 16, 16, 16, float", "float", by_rows, 4, 1024, 8},
       {"accumulator, 16, 16, 16, float", "float", by_columns, 8, 1024, 16}},
      AccessClass::shared_load, load_kernel);
}

TEST_F(PtxFragments, ComeFromGlobalMemoryByNeighbours) {
  expect_moves({{"matrix_a, 16, 16, 16, half, wmma::row_major", "half", "", 4, 512},
                {"matrix_b, 16, 16, 16, half, wmma::row_major", "half", "", 4, 512},
                {"matrix_b, 16, 16, 16, byte, wmma::col_major", "byte", "", 2, 256},
                {"matrix_b, 16, 16, 16, byte, wmma::row_major", "byte", "", 8, 256},
                {"accumulator, 16, 16, 16, half", "half", by_columns, 4, 512},
                {"accumulator, 8, 32, 16, float", "float", by_columns, 4, 1024},
                {"accumulator, 8, 8, 4, double", "double", by_rows, 1, 512}},
               AccessClass::global_load, load_kernel);
}

TEST_F(PtxFragments, LeaveByNeighbours) {
  const std::string sum = "accumulator, 16, 16, 16, float";
  expect_moves({{sum, "float", by_rows, 4, 1024, 8},
                {"accumulator, 16, 16, 16, half", "half", by_columns, 4, 512, 4}},
               AccessClass::shared_store, store_kernel);
  expect_moves({{sum, "float", by_rows, 4, 1024}}, AccessClass::global_store, store_kernel);
}

TEST_F(PtxFragments, AreMisalignedWhereRowsAre) {
  CudaKernel kernel(R"(
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void load(float* out) {
  __shared__ __align__(128) half tile[17 * 16];
  for (int n = threadIdx.x; n < 17 * 16; n += 32) tile[n] = half(n);
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> f;
  wmma::load_matrix_sync(f, tile, 17);
  out[threadIdx.x] = float(f.x[0]);
})");
  float* const out = kernel.unset<float>(32, "out");
  EXPECT_EQ(
      findings_of(kernel.run({.block = {32, 1, 1}}, {out})),
      "misaligned access: address 0x22 in shared memory is no multiple of the 16 bytes of the "
      "access\n  test.cu:9: block (0, 0, 0), thread (1, 0, 0) reads 16 bytes\n");
}

}  // namespace
}  // namespace hone::ptx
