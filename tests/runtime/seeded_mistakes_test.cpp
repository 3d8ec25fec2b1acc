// Mistakes in kernels with pipelines, asynchronous copies, roles and tensor cores, by the hundred:
// check mode finds each one that makes a race, a deadlock or a stray access. Of the rest, each is
// known by its results, or there is a reason for which it changes nothing.
#include <gtest/gtest.h>

#include <map>

#include "codegen/verify_kernel.h"
#include "fmt/format.h"
#include "fmt/ranges.h"
#include "ir/opcodes/opcodes.h"
#include "ir/traverse/visit.h"
#include "tests/support/codegen/races.h"
#include "tests/support/mutants/equivalence.h"
#include "tests/support/mutants/judge.h"
#include "tests/support/runtime/judged.h"

namespace hone {
namespace seeded_mistakes_test {

using About = SeededMistake::About;
using Verdict = MistakeJudgement::Verdict;

bool has_mbarriers(const KernelFunction& kernel) {
  return any_of(kernel.body, is<op::init_mbarrier>);
}

/// Numbers of mistakes, by what they are counted by.
using Counts = std::map<std::string, int>;

std::string to_string(const Counts& counts) {
  std::string text;
  for (const auto& [what, count] : counts) text += fmt::format("  {:5} {}\n", count, what);
  return text;
}

class Tally {
 public:
  explicit Tally(const RightKernel& right) : right_(right) {}

  void add(const SeededMistake& mistake, const MistakeJudgement& judgement) {
    SCOPED_TRACE(fmt::format("{}: {}\n{}", mistake.kind, mistake.place, to_string(mistake.kernel)));
    if (judgement.verdict == Verdict::refused) return;
    ++by_kind_[mistake.kind];
    switch (judgement.verdict) {
      case Verdict::found:
      case Verdict::in_orders:
        EXPECT_EQ(judgement.verdict, Verdict::found) << "in some orders alone";
        ++found_;
        ++by_finding_[judgement.finding];
        break;
      case Verdict::wrong:
        ++by_finding_["other results alone"];
        EXPECT_EQ(mistake.about, About::values) << "other results by chance, and no finding";
        break;
      default:
        expect_equivalent(mistake);
        if (llvm::StringRef(mistake.kind).endswith(" dropped") && mistake.stmt.defined())
          unneeded_.push_back(mistake.stmt);
    }
  }

  /// True if there is nothing to find, as a statement is not needed at all.
  bool is_known(const SeededMistake& mistake) const {
    return weakens_any(mistake, right_.kernel, unneeded_);
  }

  int found() const { return found_; }
  std::string text() const {
    return "kinds of mistakes\n" + to_string(by_kind_) + "findings\n" + to_string(by_finding_);
  }

 private:
  /// There is a reason, and the walk over all accesses has nothing to say either.
  void expect_equivalent(const SeededMistake& mistake) {
    const auto reason = why_equivalent(mistake, right_.kernel);
    EXPECT_TRUE(reason) << "escapes";
    ++by_finding_["none: " + reason.value_or("")];
    if (has_mbarriers(mistake.kernel)) return;
    for (const Sizes& sizes : right_.sizes)
      EXPECT_EQ(find_race(mistake.kernel, sizes), std::nullopt);
  }

  const RightKernel& right_;
  int found_ = 0;
  std::vector<Stmt> unneeded_;  ///< statements without which the kernel is right
  Counts by_kind_, by_finding_;
};

class SeededMistakes : public testing::TestWithParam<KernelCase> {
 protected:
  static void expect_found(const RightKernel& right);
};

INSTANTIATE_TEST_SUITE_P(Kernels, SeededMistakes, testing::ValuesIn(kernel_cases()),
                         [](const auto& info) { return std::string(info.param.name); });

INSTANTIATE_TEST_SUITE_P(Ladders, SeededMistakes, testing::ValuesIn(tensor_kernel_cases()),
                         [](const auto& info) { return std::string(info.param.name); });

void SeededMistakes::expect_found(const RightKernel& right) {
  const Judge judge(right);
  const MistakeJudgement of_right = judge.judge(right.kernel);
  ASSERT_EQ(of_right.verdict, Verdict::equivalent) << of_right.text << to_string(right.kernel);
  for (uint64_t order = Judge::orders + 1; order <= 20; ++order)
    EXPECT_EQ(judge.finding(right.kernel, order), "") << order;
  Tally tally(right);
  for (const SeededMistake& mistake : seeded_mistakes(right.kernel))
    if (!tally.is_known(mistake)) tally.add(mistake, judge.judge(mistake.kernel));
  EXPECT_GE(tally.found(), 40);
  fmt::print("{}: {} found\n{}", GetParam().name, tally.found(), tally.text());
}

TEST_P(SeededMistakes, AreFound) {
  const RightKernel right = GetParam().make();
  judge_once(to_string(right.kernel) + fmt::format("{}", fmt::join(right.sizes, "\n")),
             [&] { expect_found(right); });
}

/// Adds the numbers of mistakes that the verifier does not refuse. Returns how many these are.
int count_mistakes(llvm::ArrayRef<KernelCase> cases, Counts& kinds) {
  int count = 0;
  for (const KernelCase& kernel_case : cases)
    for (const SeededMistake& mistake : seeded_mistakes(kernel_case.make().kernel)) {
      if (verify(mistake.kernel)) continue;
      ++count;
      ++kinds[mistake.kind];
    }
  return count;
}

TEST(SeededMistakesOfAll, AreMany) {
  Counts kinds;
  EXPECT_GE(count_mistakes(kernel_cases(), kinds), 1500);
  EXPECT_GE(count_mistakes(tensor_kernel_cases(), kinds), 2500);
  EXPECT_GE(kinds.size(), 80U) << to_string(kinds);
  for (const auto& [kind, of_kind] : kinds) EXPECT_GE(of_kind, 2) << kind;
}

// ---- Classes of bugs ----------------------------------------------------------------------------

/// A class of bugs that others have had, and mistakes of it in one of the kernels: all of those
/// that begin like this have such a finding.
struct BugClass {
  const char* name;
  const char* kernel;
  const char* kind;
  const char* place;
  const char* finding;
};

/// The seeded bugs of Exo's matrix products, and the classes of TVM's and TileLang's bugs about the
/// depth of pipelines (T3) and about asynchronous readers and writers (T8). Pipelines have no
/// atomics.
constexpr BugClass bug_classes[] = {
    {"Exo: wrong N of a group", "Async3", "one more group pending", "wait_group",
     "unfinished copy"},
    {"Exo: missing await, RAW", "Async3", "wait dropped", "wait_group", "unfinished copy"},
    {"Exo: missing await, RAW", "Producers3", "wait dropped", "wait_mbarrier k.0.full", "race"},
    {"Exo: missing await, WAR", "Producers3", "wait dropped", "wait_mbarrier k.0.empty",
     "deadlock"},
    {"Exo: missing arrive, WAR", "Producers3", "arrival dropped", "arrive_mbarrier k.0.empty",
     "deadlock"},
    {"Exo: wrong timeline", "Producers3", "arrival before copies", "arrive_mbarrier k.0.full",
     "unfinished copy"},
    {"Exo: reordered roles", "Producers3", "moved before its neighbour", "arrive_mbarrier k.0.full",
     "race"},
    {"T3: consume, then copy", "LoadsAndStores2", "moved behind its neighbour", "barrier", "race"},
    {"T3: consume, then copy", "Async1", "used or filled first", "reduce k.1",
     "uninitialised read"},
    {"T3: two pipelines in one buffer", "Async3", "two rings in one buffer", "alloc B.shared",
     "unfinished copy"},
    {"T3: two pipelines in one buffer", "LoadsAndStores2", "two rings in one buffer",
     "alloc B.shared", "uninitialised read"},
    {"T3: different numbers of stages", "AsyncFragments", "slot of a shorter ring",
     "copy_async A.shared", "unfinished copy"},
    {"T3: trips less than stages", "Async4", "guard of a copy stronger", "if (k.0.ahead",
     "uninitialised read"},
    {"T3: a stage less", "Async3", "one trip less", "for k.0.ahead", "unfinished copy"},
    {"T8: reuse before a wait", "Async1", "barrier dropped", "barrier", "race"},
    {"T8: an operand of two groups of warps", "Producers3", "a count of a warp less",
     "init_mbarrier k.0.empty", "deadlock"},
    {"T8: an operand of two groups of warps", "Producers3", "a count one less",
     "init_mbarrier k.0.empty", "race"},
};

TEST(SeededMistakesOfAll, AreOfTheClassesOfBugsOfOthers) {
  for (const BugClass& bug : bug_classes) {
    const auto* kernel_case = llvm::find_if(kernel_cases(), [&](const KernelCase& each) {
      return each.name == std::string(bug.kernel);
    });
    const RightKernel right = kernel_case->make();
    const Judge judge(right);
    int count = 0;
    for (const SeededMistake& mistake : seeded_mistakes(right.kernel)) {
      if (mistake.kind != bug.kind || !llvm::StringRef(mistake.place).startswith(bug.place))
        continue;
      const MistakeJudgement judgement = judge.judge(mistake.kernel);
      EXPECT_EQ(judgement.verdict, Verdict::found) << bug.name << ": " << mistake.place;
      EXPECT_TRUE(llvm::StringRef(judgement.finding).contains(bug.finding))
          << bug.name << ": " << judgement.text;
      ++count;
    }
    EXPECT_GE(count, 1) << bug.name;
  }
}

}  // namespace seeded_mistakes_test
}  // namespace hone
