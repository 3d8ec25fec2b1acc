// Inputs of runs that are counted or timed: cheap to make, whatever their size.
#include "dsl/schedule.h"
#include "gmock/gmock.h"
#include "tests/tools/command.h"
#include "tools/cli/judge/problem.h"

namespace hone {
namespace timed_problem_test {

TEST(TimedProblem, RepeatsTheFirstElements) {
  const Function program = program_of(small_axpy(), {}).function();
  const Sizes sizes = {{"N", 200000}};
  const Problem random = make_problem(program, sizes, {}, 1);
  const Problem timed = make_timed_problem(program, sizes, 1);
  for (const auto& [all, few] : llvm::zip(random.arguments, timed.arguments)) {
    if (!all.is_input) continue;
    const auto* expected = static_cast<const float*>(all.array.data());
    const auto* elements = static_cast<const float*>(few.array.data());
    for (int64_t n = 0; n < few.array.size(); ++n) ASSERT_EQ(elements[n], expected[n % 65536]) << n;
  }
}

}  // namespace timed_problem_test
}  // namespace hone
