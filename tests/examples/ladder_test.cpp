// Every rung of every ladder: its text is kept, its kernels compile, and its results are those of
// the program without a schedule, at sizes that do not divide.

#include <gtest/gtest.h>

#include <cmath>
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

std::vector<Sizes> odd_sizes(const Ladder& ladder) {
  if (ladder.name == "combine")
    return {{{"n", 0}, {"W", 7}},   {{"n", 1}, {"W", 1}},     {{"n", 31}, {"W", 100}},
            {{"n", 257}, {"W", 2}}, {{"n", 1009}, {"W", 33}}, {{"n", 65536}, {"W", 256}}};
  const auto mnk = [](int64_t m, int64_t n, int64_t k) {
    return Sizes{{"M", m}, {"N", n}, {"K", k}};
  };
  return {mnk(1, 1, 1),    mnk(1, 97, 1),  mnk(0, 5, 3),     mnk(5, 0, 3),     mnk(5, 4, 0),
          mnk(31, 33, 32), mnk(63, 65, 7), mnk(101, 2, 103), mnk(64, 128, 96), mnk(300, 257, 129)};
}

/// The arrays of a program, filled with numbers between -1 and 1.
std::vector<AnyArray> random_arrays(const Function& function, const Sizes& sizes,
                                    const Device& device) {
  std::mt19937 random(17);
  std::uniform_real_distribution<float> number(-1, 1);
  std::vector<AnyArray> arrays;
  for (const TensorPtr& tensor : function.arguments) {
    std::vector<int64_t> shape;
    for (const Expr& extent : tensor->shape) shape.push_back(evaluate(extent, sizes));
    Array<float> array(shape);
    for (int64_t n = 0; n < array.size(); ++n) array.host_data()[n] = number(random);
    arrays.push_back(array.to(device));
  }
  return arrays;
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
  return Array<float>(arrays.back()).to_vector();
}

class EveryRung : public testing::TestWithParam<Case> {
 protected:
  const Ladder& ladder() const { return GetParam().ladder; }
  const Rung& rung() const { return GetParam().rung; }

  void expect_right_on(const Device& device) {
    for (const Sizes& sizes : odd_sizes(ladder())) {
      const Schedule plain = ladder().program({});
      const Schedule schedule = rung().build({}, sizes);
      const auto expected = output_of(plain, sizes, Device::host());
      const auto result = output_of(schedule, sizes, device);
      EXPECT_LT(relative_error(result, expected), 1e-5)
          << "first size " << sizes.begin()->second << " of " << rung().name;
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
