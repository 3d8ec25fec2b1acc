#include "gmock/gmock.h"
#include "runtime/nvrtc/nvrtc.h"
#include "tests/support/ptx/text.h"

namespace hone::ptx {
namespace parsed_nvrtc_test {

constexpr const char* source =
    "#include <cuda_fp16.h>\n"
    "#include <mma.h>\n"
    R"(
extern __shared__ float dynamic[];
__constant__ float table[2][2] = {{1, 2}, {3}};
__device__ int counter;
__device__ int* pointer = &counter + 1;

template <class T>
__device__ __forceinline__ T square(T x) { return x * x; }
__device__ __forceinline__ float cube(float x) { return square(x) * x; }
__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

struct Base { __device__ virtual int f(int a) = 0; };
struct Twice : Base { __device__ int f(int a) override { return a * 2; } };
struct Times : Base { int k = 3; __device__ int f(int a) override { return a * k; } };
struct Pair { int a; double b; };

extern "C" __global__ void __launch_bounds__(128, 2) __cluster_dims__(2, 1, 1)
features(const float* __restrict__ a, float* out, int n, const Pair pair) {
  __shared__ float tile[128];
  const int t = threadIdx.x;
  tile[t] = cube(a[t]);
  __syncthreads();
  float local[16];
  for (int i = 0; i < n; ++i) local[(i * t) & 15] = tile[i];
  switch (n) {
    case 0: out[0] = sinf(a[1]); break;
    case 1: out[1] = fibonacci(t); break;
    case 2: out[2] = table[t & 1][0] / a[3]; break;
    case 3: out[3] = sqrt(pair.b); break;
    case 4: atomicAdd(pointer, pair.a); break;
    case 5: printf("%d %f\n", t, a[5]); break;
    case 6: __trap();
  }
  Twice twice;
  Times times;
  Base* base = n > 7 ? static_cast<Base*>(&twice) : &times;
  out[5] = base->f(n) + __shfl_xor_sync(~0u, a[6], 1) + local[n & 15] + dynamic[t];
  out[6] = __half2float(__hfma(__float2half(a[7]), __float2half(a[8]), __half(1)));
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %0, 0; @p bra DONE; trap; DONE: }" ::"r"(n));
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %0, 1; @!p bra DONE; trap; DONE: }" ::"r"(n));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(n), "l"(a));
}

extern "C" __global__ void product(const half* a, const half* b, float* c) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, half, row_major> A;
  fragment<matrix_b, 16, 16, 16, half, col_major> B;
  fragment<accumulator, 16, 16, 16, float> C;
  fill_fragment(C, 0);
  load_matrix_sync(A, a, 16);
  load_matrix_sync(B, b, 16);
  mma_sync(C, A, B, C);
  store_matrix_sync(c, C, 16, mem_row_major);
}
)";

class ParsedNvrtc : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  }

  static Module module() {
    CompileJob job;
    job.source = source;
    job.name = "features";
    job.arch = "compute_90";
    job.options = {GetParam()};
    job.by_hand = true;
    return parse(nvrtc_compile(job).ptx);
  }
};

TEST_P(ParsedNvrtc, HasTheKernelsWithTheirParameters) {
  const Module parsed = module();
  const Function* const kernel = parsed.find("features");
  ASSERT_NE(kernel, nullptr);
  EXPECT_TRUE(kernel->is_entry);
  ASSERT_EQ(kernel->params.size(), 4u);
  EXPECT_EQ(kernel->params[3].bytes, 16);
  EXPECT_EQ(kernel->params[3].alignment, 8);
  EXPECT_EQ(kernel->most_threads[0], 128);
  EXPECT_EQ(kernel->cluster[0], 2);
  EXPECT_GT(kernel->instructions.size(), 100u);
  EXPECT_NE(parsed.find("product"), nullptr);
  EXPECT_FALSE(parsed.find("vprintf")->has_body);
}

TEST_P(ParsedNvrtc, HasTheVariablesWithTheirValues) {
  const Module parsed = module();
  const auto find = [&](const char* name) {
    return *std::find_if(parsed.variables.begin(), parsed.variables.end(),
                         [&](const Variable& variable) { return variable.name == name; });
  };
  EXPECT_EQ(find("table").initial.at(3), 63);
  EXPECT_EQ(find("table").bytes, 16);
  EXPECT_EQ(find("dynamic").bytes, 0);
  ASSERT_EQ(find("pointer").references.size(), 1u);
  EXPECT_EQ(find("pointer").references[0].addend, 4);
  EXPECT_TRUE(find("pointer").references[0].is_generic);
}

TEST_P(ParsedNvrtc, HasTheLinesOfTheSource) {
  const Module parsed = module();
  bool found = false;
  for (const Location& place : parsed.locations)
    found |= place.line == 10 || place.function == "cube(float)";
  EXPECT_TRUE(found);
}

INSTANTIATE_TEST_SUITE_P(All, ParsedNvrtc, testing::Values("-lineinfo", "-G"));

}  // namespace parsed_nvrtc_test
}  // namespace hone::ptx
