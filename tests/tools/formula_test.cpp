#include "tools/cli/cuda/formula.h"

#include "gmock/gmock.h"
#include "tests/support/runtime/errors.h"
#include "tools/cli/arguments.h"

namespace hone {
namespace formula_test {

const Sizes sizes = {{"M", 10}, {"N", 1000}};

std::string refusal(const char* formula) {
  return thrown_message<UsageError>([&] { value_of_formula(formula, sizes); });
}

TEST(Formula, HasPrecedenceFunctionsAndSizes) {
  for (const auto& [formula, value] :
       std::vector<std::pair<const char*, int64_t>>{{"12", 12},
                                                    {" 0x10 + 2*3 ", 22},
                                                    {"(1+2)*3-4/3%2", 8},
                                                    {"N/M", 100},
                                                    {"-7/2", -3},
                                                    {"-M - -3", -7},
                                                    {"cdiv(N, 256)", 4},
                                                    {"cdiv(N, 250) * cdiv(-7, 2)", -12},
                                                    {"min(N, M, 3) + max(M, 2)", 13}})
    EXPECT_EQ(value_of_formula(formula, sizes), value) << formula;
  EXPECT_THAT(values_of_formulas("N, min(1,2),3", sizes), testing::ElementsAre(1000, 1, 3));
}

TEST(Formula, RefusesWhatHasNoValue) {
  EXPECT_EQ(refusal("K"), "there is no size 'K' in -D; did you mean 'M'?");
  EXPECT_EQ(thrown_message<UsageError>([&] { value_of_formula("K+1", {}); }),
            "the formula 'K+1': it has the size K; give it with -D K=SIZE");
  EXPECT_EQ(refusal("N/(M-10)"), "the formula 'N/(M-10)': it divides by zero");
  EXPECT_EQ(refusal("cdiv(1, 0)"), "the formula 'cdiv(1, 0)': it divides by zero");
  EXPECT_EQ(refusal("0x7fffffffffffffff + 1"),
            "the formula '0x7fffffffffffffff + 1': its value does not fit in 64 bits");
  EXPECT_EQ(refusal("(-0x7fffffffffffffff - 1) / -1"),
            "the formula '(-0x7fffffffffffffff - 1) / -1': its value does not fit in 64 bits");
}

TEST(Formula, RefusesWhatItDoesNotUnderstand) {
  EXPECT_EQ(refusal(""), "the formula '': it ends where a value should be");
  EXPECT_EQ(refusal("N+"), "the formula 'N+': it ends where a value should be");
  EXPECT_EQ(refusal("N)"), "the formula 'N)': ')' is not understood");
  EXPECT_EQ(refusal("(N"), "the formula '(N': a ) is missing");
  EXPECT_EQ(refusal("*N"), "the formula '*N': '*N' is no value");
  EXPECT_EQ(refusal("1.5"), "the formula '1.5': '1.5' is no integer");
  EXPECT_EQ(refusal("1,2"), "the formula '1,2': one value is asked for, not 2");
  EXPECT_EQ(refusal("ceil(N)"),
            "the formula 'ceil(N)': there is no function ceil of 1 values; "
            "there are cdiv(a, b), min(a, b), max(a, b)");
}

}  // namespace formula_test
}  // namespace hone
