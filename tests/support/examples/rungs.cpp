#include "tests/support/examples/rungs.h"

#include <cmath>
#include <cstring>
#include <ostream>
#include <random>

#include "codegen/emit/emit.h"
#include "codegen/lower.h"
#include "ir/interpret/index_extent.h"
#include "ir/interpret/interpreter.h"
#include "runtime/narrow_float.h"
#include "runtime/nvrtc/kernel_cache.h"
#include "runtime/shared_limit.h"
#include "tests/support/codegen/counted_kernel.h"
#include "tests/support/ir/run.h"
#include "tests/support/runtime/judged.h"
#include "tools/cli/judge/problem.h"

namespace hone {
namespace {

/// Makes all of an array's memory on the host NaN, gaps included.
void poison(const AnyArray& array) {
  if (array.bytes() != 0) std::memset(array.data(), 0xff, array.bytes());
}

/// Numbers that are made of those of type T.
template <class T, class Element>
void fill_with_random_floats(AnyArray& array, std::mt19937& random, double step) {
  std::uniform_real_distribution<T> number(-1, 1);
  std::vector<Element> values(static_cast<size_t>(array.size()));
  const auto rounded = [&](T value) {
    return step > 0 ? static_cast<T>(std::round(value / step) * step) : value;
  };
  for (Element& value : values) value = Element(rounded(number(random)));
  array.copy_elements_from_host(values.data());
}

void fill_with_random(AnyArray& array, std::mt19937& random, double step) {
  // Those of tf32 have lower bits, which do not count.
  if (array.dtype() == DType::f32 || array.dtype() == DType::tf32)
    return fill_with_random_floats<float, float>(array, random, step);
  if (array.dtype() == DType::f64)
    return fill_with_random_floats<double, double>(array, random, step);
  if (array.dtype() == DType::f16) return fill_with_random_floats<float, Half>(array, random, step);
  if (array.dtype() == DType::bf16)
    return fill_with_random_floats<float, BFloat16>(array, random, step);
  if (array.dtype() == DType::f8e4m3)
    return fill_with_random_floats<float, Float8E4M3>(array, random, step);
  auto* bytes = static_cast<std::byte*>(array.data());  // any bytes make integers
  for (size_t n = 0; n < array.bytes(); ++n) bytes[n] = static_cast<std::byte>(random());
}

/// Indices lie in their dimension.
void wrap_indices(AnyArray& array, int64_t extent) {
  if (extent == 0 || array.dtype() != DType::i32) return;
  std::vector<int32_t> values = Array<int32_t>(array).to_vector();
  for (int32_t& value : values) value = static_cast<int32_t>(std::abs(int64_t{value}) % extent);
  array.copy_elements_from_host(values.data());
}

/// True if the elements between the rows are as they were before the run.
bool has_clean_gaps(const AnyArray& array) {
  const AnyArray result = array.to(Device::host());
  AnyArray expected = result.clone();
  poison(expected);
  expected.copy_elements(result);
  return to_buffer(result).bytes == to_buffer(expected).bytes;
}

/// The elements in row-major order; of pairs, both numbers.
Values numbers_in(const AnyArray& array) { return values_of(to_buffer(array.with_layout({}))); }

double relative_error(const Values& result, const Values& expected) {
  double difference = 0, norm = 0;
  for (size_t n = 0; n < result.size(); ++n) {
    if (std::isinf(expected[n]) && result[n] == expected[n]) continue;
    difference += std::pow(result[n] - expected[n], 2);
    norm += std::pow(expected[n], 2);
  }
  return norm == 0 ? difference : std::sqrt(difference / norm);
}

/// The elements of the last argument after a run.
Values output_of(const Kernel& kernel, const Function& function, const Sizes& sizes) {
  const auto arrays = random_arrays(function, sizes, kernel.device());
  kernel.run(arrays, sizes);
  EXPECT_TRUE(has_clean_gaps(arrays.back())) << function.name << " writes between rows";
  return numbers_in(arrays.back());
}

/// The last argument after the interpreter's run, gaps included.
Buffer interpreted(const Function& function, const Sizes& sizes) {
  Buffers buffers;
  const auto arrays = random_arrays(function, sizes, Device::host());
  for (size_t n = 0; n < arrays.size(); ++n)
    buffers[function.arguments[n]->name] = to_buffer(arrays[n]);
  interpret(function, sizes, buffers);
  return buffers.at(function.arguments.back()->name);
}

/// True if a sum of floats is added up in another order, in the interpreter too.
bool regroups_additions(const Schedule& schedule) {
  if (llvm::any_of(schedule.trace(), [](const TraceEntry& entry) {
        return entry.step.primitive == &reduce_at_primitive;
      }))
    return true;
  return llvm::any_of(
             schedule.trace(),
             [](const TraceEntry& entry) {
               return entry.step.primitive == &rfactor_primitive ||
                      (entry.step.primitive == &reorder_primitive && entry.step.axes.size() > 1);
             }) &&
         llvm::any_of(schedule.trace(), [](const TraceEntry& entry) {
           return entry.step.binding.combine || entry.step.primitive == &rfactor_primitive;
         });
}

bool is_exact(const Function& function) { return !is_float(function.arguments.back()->type); }

std::string text_of(const Kernel& kernel) {
  std::string text = kernel.source();
  for (const KernelFunction& launch : kernel.module().kernels) text += to_string(launch) + "\n";
  return text;
}

/// Floats that differ by rounding.
void expect_close(const Values& values, const Values& expected, const std::string& sizes) {
  ASSERT_EQ(values.size(), expected.size()) << sizes;
  for (size_t n = 0; n < values.size(); ++n)
    ASSERT_NEAR(values[n], expected[n], 1e-5 * std::max(1.0, std::abs(expected[n]))) << sizes;
}

}  // namespace

std::vector<AnyArray> random_arrays(const Function& function, const Sizes& sizes,
                                    const Device& device, double step) {
  std::mt19937 random(17);
  std::vector<AnyArray> arrays;
  for (const TensorPtr& tensor : function.arguments) {
    AnyArray array = array_for(*tensor, sizes);
    poison(array);
    fill_with_random(array, random, step);
    wrap_indices(array, index_extent(function, *tensor, sizes));
    arrays.push_back(array.to(device));
  }
  return arrays;
}

void PrintTo(const RungCase& rung_case, std::ostream* out) { *out << rung_case.name(); }

/// Ladders are made once for all suites: a process runs one test, and makes the parameters of all.
std::vector<RungCase> all_rungs() {
  static const std::vector<Ladder> ladders = all_ladders();
  std::vector<RungCase> cases;
  for (const Ladder& ladder : ladders)
    for (const Rung& rung : ladder.rungs) cases.push_back({ladder, rung});
  return cases;
}

std::vector<RungCase> gpu_rungs() {
  std::vector<RungCase> cases;
  for (const RungCase& rung_case : all_rungs())
    if (rung_case.is_for_gpu()) cases.push_back(rung_case);
  return cases;
}

std::string test_name(const testing::TestParamInfo<RungCase>& info) {
  std::string name = info.param.name();
  for (char& c : name)
    if (c == '-' || c == '/') c = '_';
  return name;
}

Compiled compiled_for_sm_90(const KernelFunction& kernel) {
  return *compile_cached(
      {emit_cuda(kernel), kernel.name, target_of(kernel, "sm_90"), options_of(kernel), ""});
}

/// Of floats that are summed in another order, and rounded to the type of the result.
double allowed_error(const Function& function) {
  if (is_exact(function)) return 0;
  return size_of(function.arguments.back()->type) == 2 ? 4e-3 : 1e-5;
}

bool is_for_c(const Function& function) {
  return llvm::none_of(function.arguments, [](const TensorPtr& tensor) {
    return is_float(tensor->type) && tensor->type != f64 && tensor->type != f32;
  });
}

PlainProgram::PlainProgram(const Ladder& ladder) : plain_(ladder.program({})) {
  if (is_for_c(plain_)) kernel_.emplace(compile(plain_, {.device = Device::host()}));
}

std::vector<double> PlainProgram::output(const Sizes& sizes) const {
  return kernel_ ? output_of(*kernel_, plain_, sizes) : values_of(interpreted(plain_, sizes));
}

void PlainProgram::expect_same(const Rung& rung, const std::vector<Sizes>& all_sizes,
                               const Device& device) const {
  expect_same(rung, all_sizes,
              [&](const Schedule& schedule) { return compile(schedule, {.device = device}); });
}

void PlainProgram::expect_same_in_c_form(const Rung& rung,
                                         const std::vector<Sizes>& all_sizes) const {
  expect_same(rung, all_sizes, [](const Schedule& schedule) {
    return compile(with_counted_kernels(lower(schedule)), schedule,
                   {.device = Device::simulated()});
  });
}

void PlainProgram::expect_same(const Rung& rung, const std::vector<Sizes>& all_sizes,
                               llvm::function_ref<Kernel(const Schedule&)> compiled) const {
  for (const Sizes& without_pitches : all_sizes) {
    const Sizes sizes = with_pitches(plain_, without_pitches);
    const Schedule schedule = rung.build({}, sizes);
    const Kernel kernel = compiled(schedule);
    judge_once(text_of(kernel) + to_string(plain_) + to_text(sizes), [&] {
      const auto expected = output(sizes);
      const auto result = output_of(kernel, schedule, sizes);
      EXPECT_LE(relative_error(result, expected), allowed_error(plain_)) << to_text(sizes);
    });
  }
}

void PlainProgram::expect_same_values(const Rung& rung, const std::vector<Sizes>& all_sizes) const {
  for (const Sizes& without_pitches : all_sizes) {
    const Sizes sizes = with_pitches(plain_, without_pitches);
    const Schedule schedule = rung.build({}, sizes);
    const std::string text = to_string(schedule.function()) + schedule.trace_text();
    judge_once(to_string(plain_) + text + to_text(sizes), [&] {
      const auto values = interpreted(schedule, sizes), expected = interpreted(plain_, sizes);
      if (regroups_additions(schedule) && !is_exact(plain_))
        expect_close(values_of(values), values_of(expected), to_text(sizes));
      else
        EXPECT_EQ(values.bytes, expected.bytes) << to_text(sizes);
    });
  }
}

}  // namespace hone
