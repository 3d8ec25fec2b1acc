// The bits of every rung: next to its program, in other orders of warps, and over a ring.
#include "tools/cli/numbers/numbers.h"

#include <cstring>

#include "codegen/lower.h"
#include "codegen/ring_kernels.h"
#include "ir/interpret/interpreter.h"
#include "tests/support/examples/rungs.h"
#include "tests/support/runtime/judged.h"
#include "tools/cli/judge/expected.h"
#include "tools/cli/judge/kernel_check.h"
#include "tools/cli/judge/trial.h"

namespace hone {
namespace numbers_of_rungs_test {

/// Each of so many has a matrix.
bool is_count(const std::string& size) {
  return size == "batch" || size == "tiles" || size == "groups";
}

/// More than a warp, and no multiple of anything; few where there are many.
Sizes odd_sizes(const Ladder& ladder) {
  Sizes sizes;
  const int64_t first = ladder.sizes.size() > 3 ? 5 : 35;
  for (const auto& [name, size] : ladder.sizes)
    sizes[name] = is_count(name) ? 2 : first + static_cast<int64_t>(sizes.size()) * 2;
  return sizes;
}

/// For schedules that promise multiples.
Sizes even_sizes(const Ladder& ladder) {
  Sizes sizes;
  for (const auto& [name, size] : ladder.sizes) sizes[name] = is_count(name) ? 2 : 128;
  return sizes;
}

bool keeps_promises(const Function& function, const Sizes& sizes) {
  return llvm::all_of(function.assumptions,
                      [&](const Expr& promise) { return evaluate(promise, sizes) != 0; });
}

class NumbersOfRungs : public testing::TestWithParam<RungCase> {
 protected:
  Function program() const { return Schedule(GetParam().ladder.program({})).function(); }

  static Results results(const Module& module, const Problem& problem, uint64_t order) {
    CheckOutcome outcome = check_module(module, nullptr, problem, {.order = order}, nullptr);
    EXPECT_EQ(outcome.findings, "");
    return std::move(outcome.outputs);
  }
};

INSTANTIATE_TEST_SUITE_P(Ladders, NumbersOfRungs, testing::ValuesIn(gpu_rungs()), test_name);

bool have_same_bits(const Results& lhs, const Results& rhs) {
  return llvm::all_of(lhs, [&](const auto& one) {
    const AnyArray& other = rhs.find(one.first)->second;
    return std::memcmp(one.second.data(), other.data(), other.bytes()) == 0;
  });
}

/// Any order of warps leads to the same bits, where no part is added as it comes; and all rungs are
/// equal to their program over a ring.
TEST_P(NumbersOfRungs, AreThoseThatTheLoopsSay) {
  const auto& [ladder, rung] = GetParam();
  if (is_given_as_text(rung)) GTEST_SKIP() << "no schedule";
  const Function program = this->program();
  Sizes sizes = with_pitches(program, odd_sizes(ladder));
  if (!keeps_promises(rung.build({}, sizes).function(), sizes))
    sizes = with_pitches(program, even_sizes(ladder));
  const Schedule schedule = rung.build({}, sizes);
  const Module module = lower(schedule.function());
  std::string text = to_text(sizes);
  for (const KernelFunction& kernel : module.kernels) text += "\n" + to_string(kernel);
  judge_once(text, [&] {
    const Problem ring = make_problem(program, sizes, {}, 20261130, Elements::ring);
    EXPECT_EQ(compare(results(module, ring, 3), expected_results(program, ring)).mismatch, "");
    const Problem floats = make_problem(program, sizes, {}, 20261130, Elements::all_digits);
    const Results first = results(module, floats, 0);
    for (const SumOrder& order : sum_orders(schedule.function()))
      if (order.by_arrival()) return;
    for (const uint64_t order : {1, 2})
      EXPECT_TRUE(have_same_bits(first, results(module, floats, order))) << order;
  });
}

}  // namespace numbers_of_rungs_test
}  // namespace hone
