// A program that opens the namespaces std and hone side by side.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <thread>
#include <vector>

#include "dsl/operator.h"
#include "dsl/schedule.h"

using namespace std;
using namespace hone;

namespace namespaces_test {

/// All of the vocabulary that the README shows.
string bound_matmul() {
  const Param M("M"), N("N"), K("K");
  const Tensor A("A", f32, {M, K}), B("B", f32, {K, N}), C("C", f32, {M, N});
  const Axis i("i", M), j("j", N);
  const ReduceAxis k("k", K);
  Schedule s(Program("matmul", C(i, j) = sum(k, A(i, k) * B(k, j))));
  auto [by, bx, ty, tx] = s.tile({i, j}, {32, 32});
  s.bind(by, block_y);
  s.bind(bx, block_x);
  s.bind(ty, thread_y);
  s.bind(tx, thread_x);
  s.cache_registers(C, tx);
  return to_string(s.function());
}

TEST(Namespaces, OfHoneAndOfTheStandardLibraryMayBothBeOpen) {
  const string text = bound_matmul();
  for (const char* binding : {"@block.y", "@block.x", "@thread.y", "@thread.x"})
    EXPECT_NE(text.find(binding), string::npos) << text;
  vector<int> numbers(static_cast<size_t>(max(3, 2)));
  std::thread filler([&] { fill(numbers.begin(), numbers.end(), 7); });
  filler.join();
  EXPECT_EQ(numbers, (vector<int>{7, 7, 7}));
}

TEST(Namespaces, HaveTwoNamesForADimension) {
  const hone::DimensionNames blocks = hone::block, threads = hone::thread;
  const auto is = [](const Binding& lhs, const Binding& rhs) {
    return lhs.kind == rhs.kind && lhs.dim == rhs.dim;
  };
  EXPECT_TRUE(is(blocks.x, block_x) && is(blocks.y, block_y) && is(blocks.z, block_z));
  EXPECT_TRUE(is(threads.x, thread_x) && is(threads.y, thread_y) && is(threads.z, thread_z));
}

}  // namespace namespaces_test
