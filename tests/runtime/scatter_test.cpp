// Histograms on the devices.
#include <gtest/gtest.h>

#include "dsl/schedule.h"
#include "runtime/compile.h"
#include "tests/support/runtime/errors.h"

namespace hone {
namespace scatter_test {

struct Histogram {
  Param N{"N"};
  Tensor data{"data", i32, {N}}, H{"H", i32, {8}};
  ReduceAxis k{"k", N};
  Schedule s{Program("histogram", H(data(k)) = sum(k, 1))};
};

std::vector<int32_t> bins(int64_t size) {
  std::vector<int32_t> values;
  for (int64_t n = 0; n < size; ++n) values.push_back(static_cast<int32_t>(n * n % 8));
  return values;
}

std::vector<int32_t> counted(const std::vector<int32_t>& values) {
  std::vector<int32_t> counts(8);
  for (int32_t value : values) ++counts[static_cast<size_t>(value)];
  return counts;
}

void expect_counts(const Schedule& s, const Device& device) {
  const Kernel kernel = compile(s, {.device = device});
  for (int64_t size : {0, 1, 31, 33, 1000}) {
    const Array<int32_t> data(bins(size), {size}, device), h({8}, device);
    kernel(data, h);
    EXPECT_EQ(h.to_vector(), counted(bins(size))) << size << " on " << to_string(device);
  }
}

TEST(Scatter, CountsOnEveryDevice) {
  const Histogram p;
  for (const Device& device : {Device::host(), Device::simulated()}) expect_counts(p.s, device);
}

/// A block counts its chunk, and then eight threads add up what the blocks have counted.
TEST(Scatter, BlocksHaveHistogramsOfTheirOwn) {
  Histogram p;
  auto [chunk, element] = p.s.split(p.k, 64);
  auto [counts, block_axis, total] = p.s.rfactor(p.H, chunk);
  p.s.bind(block_axis, block.x);
  p.s.reorder({p.s.axis("H.0"), total});
  p.s.bind(p.s.axis("H.0"), thread.x);
  expect_counts(p.s, Device::simulated());
}

/// The chunk is counted in shared memory.
TEST(Scatter, BlocksCountInSharedMemory) {
  Histogram p;
  auto [chunk, element] = p.s.split(p.k, 64);
  auto [counts, block_axis, total] = p.s.rfactor(p.H, chunk);
  p.s.bind(block_axis, block.x);
  p.s.cache_shared(counts, block_axis);
  expect_counts(p.s, Device::simulated());
}

TEST(Gather, ThreadsLookUpATableInSharedMemory) {
  Tensor row("row", i32, {32}), E("E", f32, {4, 3}), C("C", f32, {32});
  Axis t("t", 32);
  ReduceAxis k("k", 3);
  Schedule s(Program("lookup", C(t) = sum(k, E(row(t), k))));
  s.bind(t, thread.x);
  s.cache_shared(E, k);
  const Array<int32_t> rows(
      [] {
        std::vector<int32_t> values;
        for (int n = 0; n < 32; ++n) values.push_back(n * 7 % 4);
        return values;
      }(),
      {32});
  const Array<float> e({1, 2, 3, 10, 20, 30, 100, 200, 300, 1000, 2000, 3000}, {4, 3}), c({32});
  compile(s, {.device = Device::simulated()})(rows, e, c);
  constexpr float sums[] = {6, 60, 600, 6000};
  for (int n = 0; n < 32; ++n) EXPECT_EQ(c.to_vector()[static_cast<size_t>(n)], sums[n * 7 % 4]);
}

TEST(Scatter, OutsideOfTheTensorIsFoundByTheSimulatedDevice) {
  const Histogram p;
  const Kernel kernel = compile(p.s, {.device = Device::simulated()});
  const Array<int32_t> data({1, 8}, {2}), h({8});
  const std::string message = thrown_message<RuntimeError>([&] { kernel(data, h); });
  EXPECT_TRUE(llvm::StringRef(message).contains("H[")) << message;
}

}  // namespace scatter_test
}  // namespace hone
