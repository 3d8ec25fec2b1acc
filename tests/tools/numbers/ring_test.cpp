// Checks over a ring in the place of floats: orders of sums are nothing, and mistakes are.
#include "codegen/lower.h"
#include "tests/support/codegen/mutants.h"
#include "tests/tools/numbers/sum_ladders.h"
#include "tools/cli/judge/expected.h"
#include "tools/cli/judge/kernel_check.h"

namespace hone {
namespace ring_check_test {

using testing::HasSubstr;

TEST(RingCheck, FindsNothingInOtherOrders) {
  EXPECT_EQ(hone_on({sums_ladder()}, {"check", "sums", "--ring"}).printed,
            "sums/pieces: no findings in 1 block of 1 thread, 1 block of 1 thread\n"
            "sums/columns: no findings in 1 block of 1 thread, 1 block of 1 thread\n"
            "sums/tree: no findings in 1 block of 32 threads\n"
            "sums/atomic: no findings in 1 block of 1 thread, 3 blocks of 1 thread\n");
}

/// Over floats, all of this passes with a tolerance.
TEST(RingCheck, FindsADigitThatIsLost) {
  Ladder ladder = sums_ladder();
  ladder.program = [](const Sizes& fixed) {
    const WholeSum p(fixed);
    return Program("total", p.S() = sum({p.k, p.l}, p.X(p.k, p.l) * (1 + 0x1p-23)));
  };
  EXPECT_EQ(hone_on({ladder}, {"check", "sums/tree"}).status, 0);
  const CommandResult result = hone_on({ladder}, {"check", "sums/tree", "--ring"});
  EXPECT_THAT(result.printed, testing::ContainsRegex("^wrong result: S is [0-9]+, and the program "
                                                     "without a schedule gives [0-9]+\n"));
  EXPECT_THAT(result.printed,
              HasSubstr("sums/tree: 1 kind of findings, 1 in all, in 1 block of 32 threads\n"));
}

TEST(RingCheck, RunsAndClimbs) {
  EXPECT_THAT(hone({"run", "matmul/register", "--device=sim", "--ring"}).printed,
              HasSubstr("correct (exact)"));
  const CommandResult table =
      hone_on({sums_ladder(), small_matmul()}, {"ladder", "matmul", "--device=sim", "--ring"});
  EXPECT_THAT(table.printed, HasSubstr("exact"));
  EXPECT_THAT(table.printed, testing::Not(HasSubstr("parallel")));  // a rung of the host
  EXPECT_EQ(table.status, 0);
}

TEST(RingCheck, NamesStatementsAsFloatsHaveThem) {
  Ladder ladder = small_axpy();
  ladder.program = [](const Sizes& fixed) {
    const Axpy p(fixed);
    return Program("axpy", p.Z(p.i) = p.X(min(p.i + 1, p.N)) * 2.0 + p.Y(p.i));
  };
  ladder.rungs.back().build = [program = ladder.program](const Sizes& fixed, const Sizes&) {
    Schedule s(program(fixed));
    auto [b, t] = s.split(s.axis("i"), 32);
    s.bind(b, block.x);
    s.bind(t, thread.x);
    return s;
  };
  const std::string floats = hone_on({ladder}, {"check", "axpy/blocks", "-DN=64"}).printed;
  EXPECT_THAT(floats, HasSubstr("access out of bounds on X"));
  EXPECT_EQ(hone_on({ladder}, {"check", "axpy/blocks", "-DN=64", "--ring"}).printed, floats);
}

std::string complaint(std::vector<std::string> words) { return hone(std::move(words)).complained; }

TEST(RingCheck, Refuses) {
  EXPECT_EQ(complaint({"run", "matmul/parallel", "--ring"}),
            "error: only the simulated device has elements of a ring, and this would run on host; "
            "give --device=sim with --ring\n");
  EXPECT_EQ(complaint({"run", "axpy/blocks", "--device=sim", "--ring", "--output=Z=z.npy"}),
            "error: --ring runs the rung's own kernels on elements of a ring; leave --output "
            "out\n");
  EXPECT_EQ(complaint({"check", "--kernel=a.kernel", "--ring"}),
            "error: --ring compares kernels with the program of a rung; name it\n");
  EXPECT_EQ(complaint({"check", "axpy/blocks", "--replace-source=a.cu", "--ring"}),
            "error: --ring is for kernel IR, and --replace-source gives CUDA\n");
  EXPECT_EQ(complaint({"ladder", "matmul", "--device=sim", "--ring", "--html=page.html"}),
            "error: --ring is for tables, and --html and --markdown write a page\n");
}

// ---- Seeded orders and seeded mistakes ----------------------------------------------------------

/// Products whose sums are cut into pieces of each of these sizes, by threads, by partial sums and
/// in turns: none has the order of the program.
std::vector<Schedule> other_orders() {
  std::vector<Schedule> schedules;
  for (const int64_t piece : {2, 3, 5, 8, 32}) {
    const auto add = [&](auto idea) {
      const SmallMatmul p({});
      Schedule s(p.program);
      auto [outer, inner] = s.split(p.k, piece);
      idea(s, p, outer, inner);
      schedules.push_back(s);
    };
    add([](Schedule& s, const SmallMatmul& p, const Axis& outer, const Axis& inner) {
      s.reorder({inner, outer});
      s.bind(p.i, block.x);
    });
    add([](Schedule& s, const SmallMatmul& p, const Axis& outer, const Axis& inner) {
      s.bind(p.i, block.x);
      s.bind(p.j, block.y);
      s.reorder({inner, outer});
      s.bind(inner, thread.x, Combine::sequential);
    });
    add([](Schedule& s, const SmallMatmul& p, const Axis& outer, const Axis& inner) {
      s.bind(p.i, block.x);
      s.bind(p.j, block.y);
      s.reorder({inner, outer});
      s.bind(inner, thread.x, Combine::interleaved_modulo);
    });
    add([](Schedule& s, const SmallMatmul& p, const Axis& outer, const Axis&) {
      s.rfactor(p.C, outer);
    });
  }
  return schedules;
}

CheckOutcome outcome_of(const Module& module, const Function& program, Elements elements) {
  const Problem problem =
      make_problem(program, {{"M", 5}, {"N", 3}, {"K", 37}}, {}, 20261130, elements);
  return check_module(module, nullptr, problem, {},
                      [&] { return expected_results(program, problem); });
}

TEST(RingCheck, PassesTwentyOrders) {
  const Function program = Schedule(SmallMatmul({}).program).function();
  const std::vector<Schedule> schedules = other_orders();
  EXPECT_EQ(schedules.size(), 20u);
  for (const Schedule& schedule : schedules)
    EXPECT_EQ(outcome_of(lower(schedule.function()), program, Elements::ring).findings, "")
        << schedule.trace_text();
}

/// Every loop, and every bound, one more and one less.
TEST(RingCheck, FindsAllMistakesThatFloatsShow) {
  const Function program = Schedule(SmallMatmul({}).program).function();
  int wrong = 0;
  for (const Schedule& schedule : other_orders()) {
    const Module module = lower(schedule.function());
    if (module.kernels.size() > 1) continue;
    for (const Mutant& mutant : mutants_of(module.kernels.front())) {
      Module mistaken = module;
      mistaken.kernels = {mutant.kernel};
      if (outcome_of(mistaken, program, Elements::few_digits).clean()) continue;
      ++wrong;
      EXPECT_FALSE(outcome_of(mistaken, program, Elements::ring).clean()) << mutant.mistake;
    }
  }
  EXPECT_GE(wrong, 20);
}

}  // namespace ring_check_test
}  // namespace hone
