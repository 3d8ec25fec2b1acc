#include "tests/support/runtime/interpreted.h"

#include <gtest/gtest.h>

#include <random>

#include "codegen/lower.h"
#include "fmt/ranges.h"
#include "ir/interpret/index_extent.h"
#include "ir/interpret/interpreter.h"
#include "ir/text/printer.h"
#include "runtime/compile.h"
#include "tests/support/codegen/races.h"
#include "tests/support/runtime/judged.h"
#include "tests/support/runtime/sim_run.h"

namespace hone {
namespace {

void expect_equal(const Buffers& expected, const Buffers& actual, const Sizes& sizes,
                  const std::string& text) {
  for (const auto& [name, buffer] : expected)
    EXPECT_EQ(values_of(actual.at(name)), values_of(buffer))
        << name << " at " << fmt::format("{}", sizes) << "\n"
        << text;
}

}  // namespace

Buffers small_integers(const Function& function, const Sizes& sizes) {
  std::mt19937 random(29);
  Buffers buffers;
  for (const TensorPtr& tensor : function.arguments) {
    const StorageShape storage = storage_shape(*tensor, sizes);
    Buffer buffer(tensor->type, {storage.elements});
    const int64_t extent = index_extent(function, *tensor, sizes);
    for (int64_t n = 0; n < buffer.size(); ++n)
      buffer.set(n, extent > 0 ? static_cast<double>(random() % extent)
                               : static_cast<int>(random() % 15) - 7);
    buffer.shape = storage.shape;
    buffers[tensor->name] = std::move(buffer);
  }
  return buffers;
}

void expect_as_interpreted_at(llvm::ArrayRef<Sizes> all_sizes, const Function& function) {
  const Module module = lower(function);
  ASSERT_EQ(module.kernels.size(), 1u);
  const KernelFunction& kernel = module.kernels.front();
  const std::string text = to_string(function) + "\n" + to_string(kernel);
  for (const Sizes& sizes : all_sizes)
    judge_once(fmt::format("{}\n{}", text, sizes), [&] {
      Buffers expected = small_integers(function, sizes), actual = expected;
      interpret(function, sizes, expected);
      run_on_sim(kernel, sizes, actual);
      expect_equal(expected, actual, sizes, text);
      EXPECT_EQ(find_race(kernel, sizes), std::nullopt) << text;
    });
}

void expect_as_interpreted(const Function& function, const Sizes& sizes) {
  expect_as_interpreted_at(sizes, function);
}

void expect_as_interpreted_on_host(const Function& function, const Sizes& sizes) {
  Buffers expected = small_integers(function, sizes), actual;
  std::vector<AnyArray> arrays;
  for (const TensorPtr& tensor : function.arguments) {
    arrays.push_back(array_for(*tensor, sizes));
    const Buffer& buffer = expected.at(tensor->name);
    if (!buffer.bytes.empty()) arrays.back().copy_from_host(buffer.bytes.data());
  }
  interpret(function, sizes, expected);
  const Kernel kernel = compile(function, {.device = Device::host()});
  kernel.run(arrays, sizes);
  for (size_t n = 0; n < arrays.size(); ++n)
    actual.emplace(function.arguments[n]->name, to_buffer(arrays[n]));
  expect_equal(expected, actual, sizes, to_string(function) + "\n" + kernel.source());
}

}  // namespace hone
