// Reductions on every device: operators that users declare, and what NaNs and values below 0 do.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "codegen/parse_kernel.h"
#include "dsl/schedule.h"
#include "ir/interpret/interpreter.h"
#include "ir/text/parser.h"
#include "runtime/compile.h"
#include "runtime/sim/count/count.h"
#include "runtime/sim/count/flops.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace reduction_operators_test {

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

/// The host, the simulated device, and a GPU where there is one.
std::vector<Device> devices() {
  std::vector<Device> all = {Device::host(), Device::simulated()};
  if (Device::best() != Device::simulated()) all.push_back(Device::best());
  return all;
}

/// One reduction per row of A, a row a thread; the rows are the same.
struct Rows {
  Param M{"M"}, N{"N"};
  Tensor A{"A", f32, {M, N}}, C{"C", f32, {M}};
  Axis i{"i", M};
  ReduceAxis k{"k", N};

  Schedule schedule(const Reduction& reduction, const Device& device) const {
    Schedule s(Program("rows", C(i) = reduction));
    s.bind(i, device == Device::host() ? parallel : thread.x);
    return s;
  }

  /// The result of all devices and the interpreter; they agree to the bit, or both are NaN.
  float reduced(const Reduction& reduction, const std::vector<float>& row) const {
    const int64_t rows = 3, size = static_cast<int64_t>(row.size());
    std::vector<float> values;
    for (int64_t n = 0; n < rows; ++n) values.insert(values.end(), row.begin(), row.end());
    Buffers buffers = {{"A", Buffer(f32, {rows, size})}, {"C", Buffer(f32, {rows})}};
    std::copy_n(reinterpret_cast<const std::byte*>(values.data()), values.size() * sizeof(float),
                buffers["A"].bytes.begin());
    interpret(schedule(reduction, Device::host()), {{"M", rows}, {"N", size}}, buffers);
    const auto expected = static_cast<float>(buffers["C"].get(0));
    for (const Device& device : devices()) {
      const Array<float> a(values, {rows, size}, device), c({rows}, device);
      compile(schedule(reduction, device), {.device = device})(a, c);
      for (float actual : c.to_vector())
        EXPECT_TRUE(actual == expected || (std::isnan(actual) && std::isnan(expected)))
            << to_string(device) << ": " << actual << ", interpreted " << expected;
    }
    return expected;
  }
};

TEST(Reductions, AMaximumOfNegativeNumbersIsNegative) {
  const Rows r;
  EXPECT_EQ(r.reduced(max(r.k, r.A(r.i, r.k)), {-3, -1.5, -7}), -1.5f);
  EXPECT_EQ(r.reduced(min(r.k, r.A(r.i, r.k)), {3, 1.5, 7}), 1.5f);
}

TEST(Reductions, OfNothingAreTheIdentity) {
  const Rows r;
  EXPECT_EQ(r.reduced(max(r.k, r.A(r.i, r.k)), {-infinity, -infinity}), -infinity);
  EXPECT_EQ(r.reduced(max(r.k, select(r.A(r.i, r.k) > 0.0, 1.0, -1e30)), {-2, -3}), -1e30f);
}

TEST(Reductions, ANaNLosesAgainstANumber) {
  const Rows r;
  for (const std::vector<float>& row :
       {std::vector<float>{nan, -3, -1}, {-3, nan, -1}, {-3, -1, nan}}) {
    EXPECT_EQ(r.reduced(max(r.k, r.A(r.i, r.k)), row), -1.0f);
    EXPECT_EQ(r.reduced(min(r.k, r.A(r.i, r.k)), row), -3.0f);
  }
  EXPECT_EQ(r.reduced(max(r.k, r.A(r.i, r.k)), {nan, nan}), -infinity);
  EXPECT_TRUE(std::isnan(r.reduced(sum(r.k, r.A(r.i, r.k)), {1, nan, 2})));
}

TEST(Reductions, WithAnOperatorOfAUser) {
  const Rows r;
  const Reduction absmax =
      reduce({r.k}, 0.0, r.A(r.i, r.k), [](Expr x, Expr y) { return max(abs(x), abs(y)); },
             {.name = "absmax", .associative = true});
  EXPECT_EQ(r.reduced(absmax, {1, -5, 3}), 5.0f);
  EXPECT_EQ(r.reduced(absmax, {nan, -2}), 2.0f);
  EXPECT_EQ(r.reduced(2.0 * absmax, {1, -5, 3}), 10.0f);
  const Reduction furthest = reduce(
      {r.k}, 0.0, r.A(r.i, r.k),
      [](Expr x, Expr y) { return select(abs(x) > abs(y) || (abs(x) == abs(y) && x > y), x, y); },
      {.name = "furthest", .associative = true});
  EXPECT_EQ(r.reduced(furthest, {1, -5, 3}), -5.0f);
}

TEST(ReductionText, SubstitutesTheOperands) {
  const KernelFunction kernel = parse_kernel(
      "operator absmax(x: f32, y: f32) = max(abs(x[]), abs(y[])) identity 0.0\n"
      "kernel f(A: f32[8], C: f32[8]) grid(1, 1, 1) block(8, 1, 1) @index32 {\n"
      "  C[thread.x] absmax= A[thread.x] + 1.0\n}");
  const std::string cuda = emit_cuda(kernel);
  EXPECT_TRUE(llvm::StringRef(cuda).contains(
      "C[threadIdx.x] = fmaxf(fabsf(C[threadIdx.x]), fabsf(A[threadIdx.x] + 1.0f));"))
      << cuda;
}

TEST(ReductionText, OfAKernelReadsBack) {
  const std::string text =
      "operator absmax(x: f32, y: f32) = max(abs(x[]), abs(y[])) identity 0.0\n"
      "kernel f(A: f32[8], C: f32[8]) grid(1, 1, 1) block(8, 1, 1) @index32 {\n"
      "  C[thread.x] absmax= A[thread.x]\n}";
  const KernelFunction kernel = parse_kernel(text);
  EXPECT_EQ(to_string(kernel), text);
  EXPECT_EQ(print_with_lines(kernel).lines.lookup(kernel.body.get()).front(), 3u);
}

/// In the registers of its tensor, and in any other memory.
TEST(ReductionOnTheSimulatedDevice, CombinesElementAndValue) {
  for (const char* scope : {"registers", "shared"}) {
    const std::string text = fmt::format(
        "operator last(x: i32, y: i32) = select(x[] > y[] || x[] == 7i32, y[], y[] - x[]) "
        "identity 0i32\n"
        "kernel f(C: i32[4]) grid(1, 1, 1) block(4, 1, 1) @index32 {{\n"
        "  alloc T: i32[4] @{}\n  T[thread.x] = i32(thread.x) + 5i32\n"
        "  T[thread.x] last= 6i32\n  C[thread.x] = T[thread.x]\n}}",
        scope);
    EXPECT_EQ(sim_values(text, {}, {{"C", Buffer(i32, {4})}}), (Values{1, 0, 6, 6})) << scope;
  }
}

TEST(ReductionOnTheSimulatedDevice, CountsWhatTheOperatorComputes) {
  const Function f = parse_function(
      "operator both(x: f32, y: f32) = x[] + y[] + x[] * y[] identity 0.0\n"
      "func f(A: f32[8], C: f32[8]) { C[0] both= A[0] * 2.0 }");
  EXPECT_EQ(float_operations(f.body), 4);
}

/// The element is read once, however often the operator names it.
TEST(ReductionOnTheSimulatedDevice, ReadsTheElementOnce) {
  const KernelFunction kernel = parse_kernel(
      "operator both(x: f32, y: f32) = x[] + y[] + x[] * y[] identity 0.0\n"
      "kernel f(A: f32[32], C: f32[32]) grid(1, 1, 1) block(32, 1, 1) @index32 {\n"
      "  C[thread.x] both= A[thread.x]\n}");
  Buffer a(f32, {32}), c(f32, {32});
  const CountReport report =
      count(kernel, {}, {{"A", a.bytes.data(), 32}, {"C", c.bytes.data(), 32}}, {});
  for (const AccessReport& access : report.accesses)
    EXPECT_EQ(access.counts.requests, 1) << access.text;
  EXPECT_EQ(report.accesses.size(), 3u);
}

}  // namespace reduction_operators_test
}  // namespace hone
