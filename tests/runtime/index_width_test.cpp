// Index arithmetic is exact, whatever it reaches on its way.
#include <gtest/gtest.h>

#include <functional>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "dsl/schedule.h"
#include "runtime/compile.h"
#include "runtime/host_compiler.h"
#include "runtime/nvrtc/nvrtc.h"
#include "runtime/sim/check/check.h"
#include "tests/support/random/random.h"
#include "tests/support/runtime/errors.h"

namespace hone {
namespace index_width_test {

/// The elements of w.
float element(int64_t index) { return static_cast<float>(index % 1021); }

Array<float> elements(int64_t count, const Device& device) {
  std::vector<float> values;
  for (int64_t index = 0; index < count; ++index) values.push_back(element(index));
  return Array<float>(values, {count}).to(device);
}

/// y(i) = value(w, i, n), and what that is.
struct Each {
  std::function<Expr(const Tensor& w, const Expr& i, const Expr& n)> value;
  std::function<double(int64_t i, int64_t n)> expected;
  std::vector<int64_t> sizes;
};

Schedule schedule_of(const Each& each, const Expr& n, bool on_host) {
  Tensor w("w", f32, {n}), y("y", f32, {n});
  Axis i("i", n);
  Schedule s(Program("each", y(i) = each.value(w, i, n)));
  if (on_host) return s;
  const auto [outer, inner] = s.split(i, 256);
  s.bind(outer, block.x);
  s.bind(inner, thread.x);
  return s;
}

void expect_exact(const Kernel& kernel, const Each& each, int64_t n) {
  const Array<float> y = Array<float>({n}).to(kernel.device());
  kernel(elements(n, kernel.device()), y);
  const std::vector<float> values = y.to_vector();
  for (int64_t i = 0; i < n; ++i)
    ASSERT_EQ(values[i], static_cast<float>(each.expected(i, n)))
        << "i = " << i << ", n = " << n << "\n"
        << kernel.source();
}

/// With sizes that are known at launch, and with those that are known before.
void expect_exact(const Each& each, const Device& device) {
  const bool on_host = device.kind() == DeviceKind::host;
  const Kernel any = compile(schedule_of(each, Param("n"), on_host), {.device = device});
  for (const int64_t n : each.sizes) {
    expect_exact(any, each, n);
    expect_exact(compile(schedule_of(each, n, on_host), {.device = device}), each, n);
  }
}

// ---- The text as it stands ----------------------------------------------------------------------

/// The CUDA text of a kernel without barriers as C, where an int wraps around as on a GPU, and what
/// runs its threads one after the other.
std::string as_c(const KernelFunction& kernel) {
  std::string text = emit_cuda(kernel);
  const std::string head = "extern \"C\" __global__ void";
  text.replace(text.find(head), head.size(), "static void");
  return "static struct { unsigned x, y, z; } threadIdx, blockIdx, blockDim;\n"
         "#define min(a, b) ((a) < (b) ? (a) : (b))\n"
         "#define max(a, b) ((a) > (b) ? (a) : (b))\n" +
         text +
         "void run(const float* w, float* y, int n, unsigned grid, unsigned block) {\n"
         "  blockDim.x = block; (void)n;\n"
         "  for (blockIdx.x = 0; blockIdx.x < grid; ++blockIdx.x)\n"
         "    for (threadIdx.x = 0; threadIdx.x < block; ++threadIdx.x)\n      " +
         kernel.name + (kernel.params.empty() ? "(w, y);\n}\n" : "(w, y, n);\n}\n");
}

void expect_exact_text(const Each& each, const KernelFunction& kernel, int64_t n) {
  using Run = void(const float*, float*, int, unsigned, unsigned);
  const SharedLibrary library = host_compile({as_c(kernel), kernel.name, {}});
  const LaunchDims dims = launch_dims(kernel, {{"n", n}});
  std::vector<float> w, y(static_cast<size_t>(n));
  for (int64_t index = 0; index < n; ++index) w.push_back(element(index));
  library.function<Run>("run")(w.data(), y.data(), static_cast<int>(n),
                               static_cast<unsigned>(dims.grid[0]),
                               static_cast<unsigned>(dims.block[0]));
  for (int64_t i = 0; i < n; ++i)
    ASSERT_EQ(y[i], static_cast<float>(each.expected(i, n))) << "i = " << i << ", n = " << n << "\n"
                                                             << emit_cuda(kernel);
}

KernelFunction kernel_of(const Each& each, const Expr& n, int index_bits) {
  return lower(schedule_of(each, n, false), {index_bits}).kernels[0];
}

// ---- What may be large on its way ---------------------------------------------------------------

const Each square = {[](const Tensor& w, const Expr& i, const Expr& n) { return w(i * i % n); },
                     [](int64_t i, int64_t n) { return element(i * i % n); },
                     {46341, 46342, 65536}};

const Each cube = {
    [](const Tensor& w, const Expr& i, const Expr& n) { return w((i * i * i + 7) % n); },
    [](int64_t i, int64_t n) { return element((i * i * i + 7) % n); },
    {5000}};

const Each compared = {[](const Tensor& w, const Expr& i, const Expr&) {
                         return select(i * i * i < 1000000000000, w(i), -1.0);
                       },
                       [](int64_t i, int64_t) { return i < 10000 ? element(i) : -1.0; },
                       {10010}};

const Each compared_as_float = {[](const Tensor& w, const Expr& i, const Expr&) {
                                  return select(cast(f64, i * i * i) < 1e12, w(i), -1.0);
                                },
                                [](int64_t i, int64_t) { return i < 10000 ? element(i) : -1.0; },
                                {10010}};

const Each of_sizes = {
    [](const Tensor& w, const Expr& i, const Expr& n) { return w(i) * 0.0 + cast(f32, n * n * n); },
    [](int64_t, int64_t n) { return n * n * n; },
    {5000}};

const Each guarded = {
    [](const Tensor& w, const Expr& i, const Expr& n) { return select(i * i < n, w(i * i), -1.0); },
    [](int64_t i, int64_t n) { return i * i < n ? element(i * i) : -1.0; },
    {46341, 46342, 65537}};

const Each large_factor = {
    [](const Tensor& w, const Expr& i, const Expr& n) { return w(i * 1000003 % n); },
    [](int64_t i, int64_t n) { return element(i * 1000003 % n); },
    {2147, 2149, 5000}};

const Each product_of_constants = {
    [](const Tensor& w, const Expr& i, const Expr& n) {
      return w((i + Expr(100000) * 100000) % n);
    },
    [](int64_t i, int64_t n) { return element((i + 10000000000) % n); },
    {5000}};

const Each literal_beyond_32_bits = {
    [](const Tensor& w, const Expr& i, const Expr& n) {
      return w(max(min(i + 5000000000, i * i + 5000000003) - 5000000000, 0) % n);
    },
    [](int64_t i, int64_t n) { return element(std::min(i, i * i + 3) % n); },
    {5000}};

const Each shifted = {
    [](const Tensor& w, const Expr& i, const Expr& n) { return w((Expr(1) << (i % 40)) % n); },
    [](int64_t i, int64_t n) { return element((int64_t{1} << (i % 40)) % n); },
    {1000}};

const Each shifted_back = {
    [](const Tensor& w, const Expr& i, const Expr& n) { return w((i * i * i >> (i % 45)) % n); },
    [](int64_t i, int64_t n) { return element((i * i * i >> (i % 45)) % n); },
    {2000}};

const Each smaller_of_two = {
    [](const Tensor& w, const Expr& i, const Expr& n) { return w(min(i * i, 100 * n) % n); },
    [](int64_t i, int64_t n) { return element(std::min(i * i, 100 * n) % n); },
    {46342, 65536}};

const Each without_a_value_beyond_the_end = {[](const Tensor& w, const Expr& i, const Expr& n) {
                                               const Expr sum = (n - 1 - i) % 12 + i;
                                               return w(sum % n) + w((sum + 1) % n);
                                             },
                                             [](int64_t i, int64_t n) {
                                               const int64_t sum = (n - 1 - i) % 12 + i;
                                               return element(sum % n) + element((sum + 1) % n);
                                             },
                                             {300}};

const Each named_before_it_is_used = {
    [](const Tensor& w, const Expr& i, const Expr& n) {
      return w((i * n + i) % n) + w((i * n + i + 1) % n);
    },
    [](int64_t i, int64_t n) { return element((i * n + i) % n) + element((i * n + i + 1) % n); },
    {46341, 65536}};

struct Named {
  const char* name;
  const Each& each;
};

class IndexWidth : public testing::TestWithParam<Named> {};

TEST_P(IndexWidth, IsEnoughOnTheSimulatedDevice) {
  expect_exact(GetParam().each, Device::simulated());
}

TEST_P(IndexWidth, IsEnoughInTheText) {
  const Each& each = GetParam().each;
  for (const int index_bits : {0, 64})
    for (const int64_t n : each.sizes) {
      expect_exact_text(each, kernel_of(each, Param("n"), index_bits), n);
      expect_exact_text(each, kernel_of(each, n, index_bits), n);
    }
}

TEST_P(IndexWidth, IsOfTypesThatNvrtcTakes) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  for (const int index_bits : {32, 64}) {
    CompileJob job;
    job.source = emit_cuda(kernel_of(GetParam().each, Param("n"), index_bits));
    job.name = "each";
    job.arch = "sm_90";
    EXPECT_TRUE(nvrtc_compile(job).warnings.empty()) << job.source;
  }
}

TEST_P(IndexWidth, IsEnoughOnTheHost) { expect_exact(GetParam().each, Device::host()); }

TEST_P(IndexWidth, IsEnoughOnAGpu) {
  if (!why_no_cuda().empty()) GTEST_SKIP() << why_no_cuda();
  expect_exact(GetParam().each, Device::cuda());
}

INSTANTIATE_TEST_SUITE_P(
    Of, IndexWidth,
    testing::Values(Named{"square", square}, Named{"cube", cube}, Named{"compared", compared},
                    Named{"compared_as_float", compared_as_float}, Named{"of_sizes", of_sizes},
                    Named{"guarded", guarded}, Named{"large_factor", large_factor},
                    Named{"product_of_constants", product_of_constants},
                    Named{"literal_beyond_32_bits", literal_beyond_32_bits},
                    Named{"shifted", shifted}, Named{"shifted_back", shifted_back},
                    Named{"smaller_of_two", smaller_of_two},
                    Named{"named_before_it_is_used", named_before_it_is_used},
                    Named{"without_a_value_beyond_the_end", without_a_value_beyond_the_end}),
    [](const auto& info) { return std::string(info.param.name); });

// ---- Products of two axes -------------------------------------------------------------------

/// y(i) = the sum over j of x(j) * w(row(i) * j % n), all elements of x 1 or 2.
Schedule correlation(const Expr& m, const Expr& n, const std::function<Expr(Expr)>& row) {
  Tensor x("x", f64, {n}), w("w", f64, {n}), y("y", f64, {m});
  Axis i("i", m);
  ReduceAxis j("j", n);
  Schedule s(Program("correlation", y(i) = sum(j, x(j) * w(row(i) * j % n))));
  const auto [outer, inner] = s.split(i, 32);
  s.bind(outer, block.x);
  s.bind(inner, thread.x);
  return s;
}

double correlated(int64_t row, int64_t n) {
  double sum = 0;
  for (int64_t j = 0; j < n; ++j) sum += (1 + j % 2) * element(row * j % n);
  return sum;
}

void expect_correlation(const Kernel& kernel, int64_t m, int64_t n,
                        const std::function<int64_t(int64_t)>& row) {
  std::vector<double> x, w;
  for (int64_t j = 0; j < n; ++j) {
    x.push_back(1 + j % 2);
    w.push_back(element(j));
  }
  const Device device = kernel.device();
  const Array<double> y = Array<double>({m}).to(device);
  kernel(Array<double>(x, {n}).to(device), Array<double>(w, {n}).to(device), y);
  const std::vector<double> values = y.to_vector();
  for (const int64_t i : {int64_t{0}, m / 2, m - 1})
    ASSERT_EQ(values[i], correlated(row(i), n)) << "i = " << i << ", n = " << n;
}

TEST(IndexWidthOfProducts, IsEnoughForTheLastRows) {
  const Param m("m"), n("n");
  const Kernel kernel = compile(correlation(m, n, [&](const Expr& i) { return n - 1 - i; }),
                                {.device = Device::simulated()});
  for (const int64_t size : {46341, 46342, 65536})
    expect_correlation(kernel, 3, size, [&](int64_t i) { return size - 1 - i; });
}

TEST(IndexWidthOfProducts, IsEnoughOnAGpu) {
  if (!why_no_cuda().empty()) GTEST_SKIP() << why_no_cuda();
  const Param n("n");
  const Kernel kernel =
      compile(correlation(n, n, [](const Expr& i) { return i; }), {.device = Device::cuda()});
  for (const int64_t size : {46341, 46342, 65536})
    expect_correlation(kernel, size, size, [](int64_t i) { return i; });
}

/// C counts in steps: a guard leaves the loop no value between them.
TEST(IndexWidth, AGuardEndsALoopAtOneOfItsSteps) {
  const Axis i("i", 3);
  const ReduceAxis k("k", 13);
  const Tensor A("A", f32, {3, 2}), C("C", f32, {3});
  const Program program("shifts", C(i) = sum(k, A(i, (Expr(1) << (k * 3 % 40)) % 2)));
  Schedule s(program);
  s.write_out(s.split(k, 3)[1]);
  const Array<float> c({3});
  compile(s, {.device = Device::simulated()})(Array<float>({1, 2, 3, 4, 5, 6}, {3, 2}), c);
  EXPECT_EQ(c.to_vector(), (std::vector<float>{14, 40, 66}));
}

// ---- Random arithmetic --------------------------------------------------------------------------

/// An index expression of i and n that is never negative.
Expr random_index(Random& random, const Expr& i, const Expr& n, int depth) {
  if (depth == 0) {
    const Expr leaves[] = {i, n, random.below(100), 46341, n - 1 - i};
    return leaves[random.below(5)];
  }
  const Expr lhs = random_index(random, i, n, depth - 1);
  const Expr rhs = random_index(random, i, n, static_cast<int>(random.below(depth)));
  switch (random.below(10)) {
    case 0:
      return lhs + rhs;
    case 1:
      return max(lhs - rhs, 0);
    case 2:
      return lhs / (rhs + 1);
    case 3:
      return lhs % (rhs + 1);
    case 4:
      return min(lhs, rhs);
    case 5:
      return select(lhs < n * 3, lhs, rhs);
    case 6:
      return lhs << (rhs % 12);
    case 7:
      return lhs >> (rhs % 40);
    default:
      return lhs * rhs;
  }
}

/// Check mode has nothing to say about a launch that is taken, whatever is proved.
TEST(IndexWidthOfRandomArithmetic, IsEnoughOrRefused) {
  int taken = 0, wide = 0;
  for (uint64_t round = 0; round < 200; ++round) {
    Each each;
    each.value = [&](const Tensor& w, const Expr& i, const Expr& n) {
      Random random(1, round);
      return w(random_index(random, i, n, 4) % n);
    };
    const int64_t sizes[] = {1, 300, 46341, 46342, 65536};
    const int64_t n = sizes[round % 5];
    for (const Expr& size : {Expr(Param("n")), Expr(n)}) {
      const KernelFunction kernel = kernel_of(each, size, 0);
      if (thrown_message<RuntimeError>([&] {
            launch_dims(kernel, {{"n", n}});
          }) != "nothing was thrown")
        continue;
      ++taken;
      wide += to_string(kernel).find("index(i64(") != std::string::npos;
      std::vector<float> w(static_cast<size_t>(n), 1), y(w);
      const SimArgument arguments[] = {{"w", w.data(), n, false}, {"y", y.data(), n, true}};
      for (const Finding& finding :
           check(kernel, {{"n", n}}, arguments, {.every_index = true}).findings)
        ADD_FAILURE() << to_string(finding) << "\n" << to_string(kernel);
    }
  }
  EXPECT_GT(taken, 250);
  EXPECT_GT(wide, 50);
}

}  // namespace index_width_test
}  // namespace hone
