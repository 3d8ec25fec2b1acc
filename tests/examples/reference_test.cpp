// The reference that the command compares large sizes with: it has to be what the programs compute
// without a schedule, up to the products and sums that the C compiler contracts in one of the two.

#include "tools/cli/judge/reference.h"

#include <gtest/gtest.h>

#include "examples/ladders/ladders.h"
#include "runtime/compile.h"
#include "tests/support/examples/rungs.h"
#include "tools/cli/judge/problem.h"
#include "tools/cli/judge/trial.h"

namespace hone {
namespace reference_test {

std::vector<AnyArray> results_of(const Function& function, const Problem& problem) {
  const std::vector<AnyArray> arrays = arrays_on(Device::host(), function, problem);
  compile(function, {.device = Device::host()}).run(arrays, problem.sizes);
  return arrays;
}

Sizes odd_sizes(const Ladder& ladder) {
  Sizes sizes = ladder.sizes;
  int64_t size = 37;
  for (auto& [name, value] : sizes) value = size += 6;
  return sizes;
}

TEST(Reference, ComputesWhatTheProgramDoes) {
  StandardOutput output;
  for (const Ladder& ladder : all_ladders()) {
    const Function program = program_of(ladder, {}).function();
    if (!is_for_c(program)) continue;
    const Problem problem = make_problem(program, odd_sizes(ladder), {}, /*seed=*/1);
    const auto arrays = results_of(spread_over_host(program, problem.sizes), problem);
    const Verdict verdict = compare(outputs_among(arrays, program.arguments, problem),
                                    expected_results(ladder, problem, output));
    EXPECT_EQ(verdict.mismatch, "") << ladder.name;
  }
}

}  // namespace reference_test
}  // namespace hone
