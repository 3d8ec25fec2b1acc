// Every rung of every ladder: its text is kept, its kernels compile, and its results are those of
// the program without a schedule, at sizes that do not divide.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <ostream>
#include <random>

#include "codegen/emit.h"
#include "codegen/lower.h"
#include "examples/ladders/ladders.h"
#include "ir/equal.h"
#include "ir/interpreter.h"
#include "ir/parser.h"
#include "runtime/compile.h"
#include "runtime/nvrtc.h"
#include "tests/support/ir/golden.h"
#include "tools/cli/problem.h"

namespace hone {
namespace {

struct Case {
  Ladder ladder;
  Rung rung;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.ladder.name << '/' << c.rung.name; }

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const Ladder& ladder : all_ladders())
    for (const Rung& rung : ladder.rungs) cases.push_back({ladder, rung});
  return cases;
}

std::string case_name(const testing::TestParamInfo<Case>& info) {
  std::string name = info.param.ladder.name + "_" + info.param.rung.name;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
}

/// Sizes of these names, one list of values each.
std::vector<Sizes> sizes_of(const std::vector<std::string>& names,
                            const std::vector<std::vector<int64_t>>& values) {
  std::vector<Sizes> all(values.size());
  for (size_t n = 0; n < values.size(); ++n)
    for (size_t name = 0; name < names.size(); ++name) all[n][names[name]] = values[n][name];
  return all;
}

std::vector<Sizes> odd_sizes(const Ladder& ladder) {
  if (ladder.name == "combine")
    return sizes_of({"n", "W"}, {{0, 7}, {1, 1}, {31, 100}, {257, 2}, {1009, 33}, {65536, 256}});
  if (ladder.name == "transpose")
    return sizes_of({"M", "N"},
                    {{1, 1}, {1, 97}, {0, 5}, {5, 0}, {31, 33}, {101, 2}, {96, 128}, {257, 130}});
  if (ladder.name == "stencil")
    return sizes_of({"H", "W"},
                    {{1, 1}, {1, 97}, {0, 5}, {5, 0}, {7, 33}, {101, 2}, {16, 64}, {65, 130}});
  if (ladder.name == "convolution")
    return sizes_of({"C", "O", "H", "W"}, {{1, 1, 1, 1},
                                           {3, 2, 7, 33},
                                           {0, 2, 3, 4},
                                           {2, 0, 3, 4},
                                           {2, 3, 0, 4},
                                           {5, 11, 17, 19},
                                           {4, 8, 16, 32}});
  return sizes_of({"M", "N", "K"}, {{1, 1, 1},
                                    {1, 97, 1},
                                    {0, 5, 3},
                                    {5, 0, 3},
                                    {5, 4, 0},
                                    {31, 33, 32},
                                    {63, 65, 7},
                                    {101, 2, 103},
                                    {64, 128, 96},
                                    {300, 257, 129}});
}

/// Makes all of an array's memory on the host NaN, gaps included.
void poison(const AnyArray& array) {
  if (array.bytes() != 0) std::memset(array.data(), 0xff, array.bytes());
}

/// The arrays of a program, filled with numbers between -1 and 1. What lies between rows is NaN.
std::vector<AnyArray> random_arrays(const Function& function, const Sizes& sizes,
                                    const Device& device) {
  std::mt19937 random(17);
  std::uniform_real_distribution<float> number(-1, 1);
  std::vector<AnyArray> arrays;
  for (const TensorPtr& tensor : function.arguments) {
    AnyArray array = array_for(*tensor, sizes);
    poison(array);
    std::vector<float> values(static_cast<size_t>(array.size()));
    for (float& value : values) value = number(random);
    array.copy_elements_from_host(values.data());
    arrays.push_back(array.to(device));
  }
  return arrays;
}

/// Whether what lies between the rows is as it was before the run.
bool has_clean_gaps(const AnyArray& array) {
  const AnyArray result = array.to(Device::host());
  AnyArray expected = result.clone();
  poison(expected);
  expected.copy_elements(result);
  return to_buffer(result).bytes == to_buffer(expected).bytes;
}

double relative_error(const std::vector<float>& result, const std::vector<float>& expected) {
  double difference = 0, norm = 0;
  for (size_t n = 0; n < result.size(); ++n) {
    difference += std::pow(double{result[n]} - expected[n], 2);
    norm += std::pow(double{expected[n]}, 2);
  }
  return norm == 0 ? difference : std::sqrt(difference / norm);
}

/// What the last argument holds after a run.
std::vector<float> output_of(const Function& function, const Sizes& sizes, const Device& device) {
  const Kernel kernel = compile(function, {.device = device});
  const auto arrays = random_arrays(function, sizes, device);
  kernel.run(arrays, sizes);
  EXPECT_TRUE(has_clean_gaps(arrays.back())) << function.name << " writes between rows";
  return Array<float>(arrays.back()).to_vector();
}

class EveryRung : public testing::TestWithParam<Case> {
 protected:
  const Ladder& ladder() const { return GetParam().ladder; }
  const Rung& rung() const { return GetParam().rung; }

  void expect_right_on(const Device& device) {
    for (const Sizes& odd : odd_sizes(ladder())) {
      const Schedule plain = ladder().program({});
      const Sizes sizes = with_pitches(plain, odd);
      const Schedule schedule = rung().build({}, sizes);
      const auto expected = output_of(plain, sizes, Device::host());
      const auto result = output_of(schedule, sizes, device);
      EXPECT_LT(relative_error(result, expected), 1e-5) << to_text(sizes);
    }
  }
};

INSTANTIATE_TEST_SUITE_P(Ladders, EveryRung, testing::ValuesIn(all_cases()), case_name);

TEST_P(EveryRung, HasTheTextThatIsKept) {
  const Schedule schedule = rung().build({}, ladder().sizes);
  const std::string name = "tests/examples/golden/" + ladder().name + "-" + rung().name;
  if (rung().target == RungTarget::host)
    return expect_golden(name + ".c", emit_c(lower_host(schedule).kernels.front()));
  std::string text;
  for (const KernelFunction& kernel : lower(schedule).kernels) text += emit_cuda(kernel);
  expect_golden(name + ".cu", text);
}

TEST_P(EveryRung, GivesTheResultOfThePlainProgram) {
  expect_right_on(rung().target == RungTarget::host ? Device::host() : Device::simulated());
}

TEST_P(EveryRung, GivesTheResultOfThePlainProgramOnAGpu) {
  if (rung().target == RungTarget::host) GTEST_SKIP() << "a rung for the CPU";
  if (const std::string why = why_no_cuda(); !why.empty())
    GTEST_SKIP() << "no CUDA device: " << why;
  expect_right_on(Device::cuda());
}

TEST_P(EveryRung, CompilesForEveryArchitecture) {
  if (rung().target == RungTarget::host) GTEST_SKIP() << "a rung for the CPU";
  ASSERT_TRUE(nvrtc_info()) << nvrtc_missing();
  const Schedule schedule = rung().build({}, ladder().sizes);
  for (const KernelFunction& kernel : lower(schedule).kernels)
    for (const char* arch :
         {"sm_75", "sm_80", "sm_86", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_120"}) {
      const Compiled compiled = nvrtc_compile({emit_cuda(kernel), kernel.name, arch, {}, ""});
      EXPECT_FALSE(compiled.cubin.empty()) << arch;
      ASSERT_EQ(compiled.kernels.size(), 1u) << arch;
      EXPECT_EQ(compiled.kernels.front().spill_store_bytes, 0) << arch;
    }
}

TEST_P(EveryRung, PrintsIrThatParsesBackAfterEveryStep) {
  const Schedule schedule = rung().build({}, ladder().sizes);
  for (size_t steps = 0; steps <= schedule.trace().size(); ++steps) {
    Schedule replayed = ladder().program({});
    replayed.replay(schedule.trace().take_front(steps));
    const std::string text = to_string(replayed.function());
    EXPECT_EQ(to_string(parse_function(text)), text);
    EXPECT_TRUE(equal(parse_function(text), replayed.function()));
  }
}

}  // namespace
}  // namespace hone
