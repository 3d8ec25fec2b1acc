// The bits of every rung: in other orders of warps, at other sizes, over a ring, and next to the
// program.
#include "tools/cli/numbers/numbers.h"

#include <gmock/gmock.h>

#include <cstring>

#include "codegen/lower.h"
#include "codegen/ring_kernels.h"
#include "ir/interpret/promised_sizes.h"
#include "runtime/environment.h"
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

/// At which each rung runs: up to 5.
uint64_t count_of_sizes() {
  return std::min<uint64_t>(number_in_environment("HONE_NUMBERS_SIZES", 1), 5);
}

/// In which warps run at each of them, beside the usual one.
uint64_t count_of_orders() { return number_in_environment("HONE_NUMBERS_ORDERS", 2); }

/// No multiple of anything, first more than a warp; few where there are many.
Sizes odd_sizes(const Ladder& ladder, size_t number) {
  constexpr int64_t firsts[] = {35, 7, 50, 1, 65}, few[] = {5, 2, 7, 1, 9};
  const int64_t first = (ladder.sizes.size() > 3 ? few : firsts)[number];
  Sizes sizes;
  for (const auto& [name, size] : ladder.sizes)
    sizes[name] = is_count(name) ? 2 : first + static_cast<int64_t>(sizes.size()) * 2;
  return sizes;
}

/// For schedules that promise multiples.
Sizes even_sizes(const Ladder& ladder, size_t number) {
  constexpr int64_t evens[] = {128, 64, 192, 32, 160};
  Sizes sizes;
  for (const auto& [name, size] : ladder.sizes) sizes[name] = is_count(name) ? 2 : evens[number];
  return sizes;
}

/// A rung at some sizes, with its kernels.
struct SizedRung {
  Sizes sizes;
  Schedule schedule;
  Module module = lower(schedule.function());
};

Results results(const Module& module, const Problem& problem, uint64_t order) {
  CheckOutcome outcome = check_module(module, nullptr, problem, {.order = order}, nullptr);
  EXPECT_EQ(outcome.findings, "");
  return std::move(outcome.outputs);
}

Problem floats_at(const Function& program, const Sizes& sizes) {
  return make_problem(program, sizes, {}, 20261201, Elements::all_digits);
}

class NumbersOfRungs : public testing::TestWithParam<RungCase> {
 protected:
  void SetUp() override {
    if (is_given_as_text(GetParam().rung)) GTEST_SKIP() << "no schedule";
  }

  Function program() const { return Schedule(GetParam().ladder.program({})).function(); }

  /// Nothing where the rung takes neither the odd sizes of the number nor the even ones.
  std::optional<SizedRung> at(size_t number) const {
    for (const Sizes& drawn :
         {odd_sizes(GetParam().ladder, number), even_sizes(GetParam().ladder, number)}) {
      const Sizes sizes = with_pitches(program(), drawn);
      Schedule schedule = GetParam().rung.build({}, sizes);
      if (keeps_promises(schedule.function(), sizes)) return SizedRung{sizes, std::move(schedule)};
    }
    return std::nullopt;
  }

  /// Calls `judge` at so many sizes as are chosen, unless all was right before.
  void judge_at_sizes(llvm::function_ref<void(const SizedRung&)> judge) const {
    const size_t count = count_of_sizes();
    for (size_t n = 0; n < count; ++n) {
      const auto rung = at(n);
      if (!rung) continue;
      std::string text = fmt::format("{} {}", to_text(rung->sizes), count_of_orders());
      for (const KernelFunction& kernel : rung->module.kernels) text += "\n" + to_string(kernel);
      judge_once(text, [&] { judge(*rung); });
    }
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
  const Function program = this->program();
  judge_at_sizes([&](const SizedRung& rung) {
    const Problem ring = make_problem(program, rung.sizes, {}, 20261201, Elements::ring);
    EXPECT_EQ(compare(results(rung.module, ring, 3), expected_results(program, ring)).mismatch, "");
    for (const SumOrder& order : sum_orders(rung.schedule.function()))
      if (order.by_arrival()) return;
    const Problem floats = floats_at(program, rung.sizes);
    const Results first = results(rung.module, floats, 0);
    for (uint64_t order = 1; order <= count_of_orders(); ++order)
      EXPECT_TRUE(have_same_bits(first, results(rung.module, floats, order))) << order;
  });
}

// ---- Next to the program ------------------------------------------------------------------------

/// True if all steps of the schedule keep the order that the program's sums have, and no product is
/// added without being rounded.
bool has_order_of_program(const Program& program, const Schedule& schedule) {
  Schedule demanding(program);
  demanding.require(Numbers::same_order);
  try {
    demanding.replay(schedule.trace());
  } catch (const ScheduleError&) {
    return false;
  }
  return llvm::none_of(sum_orders(schedule.function()),
                       [](const SumOrder& order) { return order.is_fused(); });
}

TEST_P(NumbersOfRungs, AreThoseOfTheProgramWhereTheOrderIs) {
  const Program program = GetParam().ladder.program({});
  judge_at_sizes([&](const SizedRung& rung) {
    if (!has_order_of_program(program, rung.schedule)) return;
    const Problem floats = floats_at(program.function(), rung.sizes);
    EXPECT_TRUE(
        have_same_bits(results(rung.module, floats, 0), interpreted(program.function(), floats)));
  });
}

// ---- Next to other sizes ------------------------------------------------------------------------

/// Calls `visit` with each element that both arrays have.
void for_common_elements(const AnyArray& lhs, const AnyArray& rhs,
                         llvm::function_ref<void(std::byte*, std::byte*)> visit) {
  const int64_t bytes = size_of(lhs.dtype());
  const auto walk = [&](auto& self, size_t dim, std::byte* left, std::byte* right) -> void {
    if (dim == lhs.shape().size()) return visit(left, right);
    for (int64_t n = 0; n < std::min(lhs.shape()[dim], rhs.shape()[dim]); ++n)
      self(self, dim + 1, left + n * lhs.strides()[dim] * bytes,
           right + n * rhs.strides()[dim] * bytes);
  };
  walk(walk, 0, static_cast<std::byte*>(lhs.data()), static_cast<std::byte*>(rhs.data()));
}

/// The larger problem gets the inputs of the smaller one, as far as they go.
void copy_inputs(const Problem& problem, Problem& larger) {
  for (size_t n = 0; n < problem.arguments.size(); ++n)
    if (problem.arguments[n].is_input)
      for_common_elements(problem.arguments[n].array, larger.arguments[n].array,
                          [&](std::byte* from, std::byte* to) {
                            std::memcpy(to, from, size_of(problem.arguments[n].tensor->type));
                          });
}

/// For each element that both have, in the order of names, whether its bits are the same.
std::vector<bool> same_elements(const Results& lhs, const Results& rhs) {
  std::vector<bool> same;
  for (const auto& [name, array] : lhs)
    for_common_elements(array, rhs.find(name)->second, [&](std::byte* left, std::byte* right) {
      same.push_back(std::memcmp(left, right, size_of(array.dtype())) == 0);
    });
  return same;
}

/// The sizes of the ladder, without pitches, and one of them twice as large.
Sizes with_double(const Ladder& ladder, const Sizes& all, const std::string& name) {
  Sizes sizes;
  for (const auto& one : ladder.sizes) sizes[one.first] = all.at(one.first);
  sizes[name] *= 2;
  return sizes;
}

/// True if elements that the program computes of the same values at both sizes, of the same inputs,
/// have the same bits at both by the module.
bool keeps_bits(const Module& module, const Function& program, const Sizes& sizes,
                const Sizes& larger_sizes) {
  const Problem problem = floats_at(program, sizes);
  Problem larger = floats_at(program, larger_sizes);
  copy_inputs(problem, larger);
  const auto expected = same_elements(interpreted(program, problem), interpreted(program, larger));
  const auto same = same_elements(results(module, problem, 0), results(module, larger, 0));
  EXPECT_TRUE(llvm::is_contained(expected, true));
  for (size_t n = 0; n < same.size(); ++n)
    if (expected[n] && !same[n]) return false;
  return true;
}

TEST_P(NumbersOfRungs, DoNotDependOnSizesThatNoOrderDependsOn) {
  const Function program = this->program();
  judge_at_sizes([&](const SizedRung& rung) {
    const Function& function = rung.schedule.function();
    const auto depends_on = params_of_orders(sum_orders(function));
    for (const auto& [name, size] : GetParam().ladder.sizes) {
      if (llvm::is_contained(depends_on, name)) continue;
      const Sizes larger = with_pitches(program, with_double(GetParam().ladder, rung.sizes, name));
      const Schedule schedule = GetParam().rung.build({}, larger);
      if (to_string(schedule.function()) != to_string(function)) continue;
      EXPECT_TRUE(keeps_bits(rung.module, program, rung.sizes, larger)) << name;
    }
  });
}

/// Sums of rows, in pieces of as many terms as there are rows.
TEST(NumbersAtOtherSizes, DifferWhereTheOrderDependsOnTheSize) {
  const Param M("M"), K("K");
  const Tensor A("A", f32, {M, K}), S("S", f32, {M});
  const Axis i("i", M);
  const ReduceAxis k("k", K);
  const Program program("rows", S(i) = sum(k, A(i, k)));
  Schedule in_order(program), in_pieces(program);
  in_order.bind(i, block.x);
  auto [outer, inner] = in_pieces.split(k, M);
  in_pieces.reorder({inner, outer});
  in_pieces.bind(i, block.x);
  const auto keeps = [&](const Schedule& s) {
    return keeps_bits(lower(s.function()), program.function(), {{"M", 8}, {"K", 50}},
                      {{"M", 16}, {"K", 50}});
  };
  EXPECT_TRUE(keeps(in_order));
  EXPECT_FALSE(keeps(in_pieces));
  EXPECT_THAT(params_of_orders(sum_orders(in_pieces.function())), testing::Contains("M"));
}

}  // namespace numbers_of_rungs_test
}  // namespace hone
