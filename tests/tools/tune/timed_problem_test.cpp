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

TEST(TimedProblem, OfAFewBlocksHasTheSameElementsAndZerosForResults) {
  const Function program = program_of(small_axpy(), {}).function();
  const Sizes sizes = {{"N", 3000000}};
  const Problem timed = make_timed_problem(program, sizes, 1);
  const Problem sampled = make_problem_of_blocks(program, sizes, 1, 2);
  const auto arrays = arrays_on(Device::host(), program, sampled);
  for (const auto& [timed_one, one, array] :
       llvm::zip(timed.arguments, sampled.arguments, arrays)) {
    const auto expected = one.is_input ? Array<float>(timed_one.array).to_vector()
                                       : std::vector<float>(sizes.at("N"));
    EXPECT_EQ(Array<float>(array).to_vector(), expected) << one.tensor->name;
  }
}

TEST(TimedProblem, OfAllBlocksIsRandomThroughout) {
  const Function program = program_of(small_axpy(), {}).function();
  const Problem all = make_problem_of_blocks(program, {{"N", 200000}}, 1, 0);
  const Problem random = make_problem(program, {{"N", 200000}}, {}, 1);
  EXPECT_EQ(Array<float>(all.arguments[0].array).to_vector(),
            Array<float>(random.arguments[0].array).to_vector());
}

}  // namespace timed_problem_test
}  // namespace hone
