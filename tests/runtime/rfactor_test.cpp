// Reductions in two kernels: blocks leave partial results, which a second launch adds up.
#include <gtest/gtest.h>

#include <numeric>

#include "dsl/schedule.h"
#include "runtime/compile.h"

namespace hone {
namespace rfactor_test {

constexpr int64_t sizes[] = {0, 1, 31, 33, 1000};

std::vector<float> ramp(int64_t size) {
  std::vector<float> values(static_cast<size_t>(size));
  std::iota(values.begin(), values.end(), 1.0F);
  return values;
}

struct Sum {
  Param N{"N"};
  Tensor A{"A", f32, {N}}, S{"S", f32, {}};
  ReduceAxis k{"k", N};

  /// A block a chunk; then one thread, or a block of threads that share the work out.
  Schedule two_kernels(const Reduction& reduction) const {
    Schedule s(Program("total", S() = reduction));
    auto [chunk, element] = s.split(k, 32);
    auto [sums, block_axis, total] = s.rfactor(S, chunk);
    s.bind(block_axis, block.x);
    s.cache_registers(sums, block_axis);
    return s;
  }
};

float run(const Kernel& kernel, const Device& device, const std::vector<float>& values) {
  const Array<float> a(values, {static_cast<int64_t>(values.size())}, device), s({}, device);
  kernel(a, s);
  return s.to_vector().front();
}

std::vector<Device> devices() {
  std::vector<Device> all = {Device::simulated()};
  if (Device::best() != Device::simulated()) all.push_back(Device::best());
  return all;
}

TEST(RFactorKernels, SumInTwoLaunches) {
  const Sum p;
  for (const Device& device : devices()) {
    const Kernel kernel = compile(p.two_kernels(sum(p.k, p.A(p.k))), {.device = device});
    EXPECT_GT(kernel.module().kernels.size(), 1u);
    EXPECT_EQ(kernel.module().temporaries.size(), 1u);
    for (int64_t size : sizes)
      EXPECT_EQ(run(kernel, device, ramp(size)), static_cast<float>(size * (size + 1) / 2))
          << size << " on " << to_string(device);
  }
}

TEST(RFactorKernels, EveryThreadHasAPartialSum) {
  const Sum p;
  Schedule s(Program("total", p.S() = sum(p.k, p.A(p.k))));
  auto [chunk, element] = s.split(p.k, 64);
  auto [sums, lane, total] = s.rfactor(p.S, element);
  s.bind(lane, thread.x);
  s.cache_registers(sums, lane);
  for (const Device& device : devices()) {
    const Kernel kernel = compile(s, {.device = device});
    for (int64_t size : sizes)
      EXPECT_EQ(run(kernel, device, ramp(size)), static_cast<float>(size * (size + 1) / 2))
          << size << " on " << to_string(device);
  }
}

TEST(RFactorKernels, TheLargestMagnitudeInTwoLaunches) {
  const Sum p;
  const Reduction absmax =
      reduce({p.k}, 0.0, p.A(p.k) - 500.0, [](Expr x, Expr y) { return max(abs(x), abs(y)); },
             {.name = "absmax", .associative = true});
  for (const Device& device : devices()) {
    const Kernel kernel = compile(p.two_kernels(absmax), {.device = device});
    for (int64_t size : sizes)
      EXPECT_EQ(run(kernel, device, ramp(size)), size == 0      ? 0.0F
                                                 : size == 1000 ? 500.0F
                                                                : 499.0F)
          << size << " on " << to_string(device);
  }
}

TEST(RFactorKernels, SumOnTheHost) {
  const Sum p;
  Schedule s(Program("total", p.S() = sum(p.k, p.A(p.k))));
  auto [chunk, element] = s.split(p.k, 32);
  const RFactor sums = s.rfactor(p.S, chunk);
  s.bind(sums.partial, parallel);
  const Kernel kernel = compile(s, {.device = Device::host()});
  for (int64_t size : sizes)
    EXPECT_EQ(run(kernel, Device::host(), ramp(size)), static_cast<float>(size * (size + 1) / 2));
}

/// Rows in one launch, and their sums of chunks in another.
TEST(RFactorKernels, SumsOfRows) {
  Param M("M"), N("N");
  Tensor A("A", f32, {M, N}), S("S", f32, {M});
  Axis i("i", M);
  ReduceAxis k("k", N);
  Schedule s(Program("rows", S(i) = 2.0 * sum(k, A(i, k))));
  auto [chunk, element] = s.split(k, 8);
  auto [sums, chunks, total] = s.rfactor(S, chunk);
  s.bind(chunks, block.x);
  s.bind(s.axis("i.rf"), thread.x);
  s.cache_registers(sums, s.axis("i.rf"));
  s.bind(i, thread.x);
  for (const Device& device : devices()) {
    const Kernel kernel = compile(s, {.device = device});
    for (int64_t rows : {1, 5})
      for (int64_t columns : sizes) {
        const Array<float> a(std::vector<float>(static_cast<size_t>(rows * columns), 1.0F),
                             {rows, columns}, device);
        const Array<float> result({rows}, device);
        kernel(a, result);
        EXPECT_EQ(result.to_vector(), std::vector<float>(static_cast<size_t>(rows),
                                                         2.0F * static_cast<float>(columns)));
      }
  }
}

}  // namespace rfactor_test
}  // namespace hone
