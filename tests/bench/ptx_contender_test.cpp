// Every hand-written kernel as PTX on the simulated device: right, and without findings.

#include "bench/gpu/ptx_contender.h"

#include "bench/gpu/workload.h"
#include "gmock/gmock.h"
#include "llvm/ADT/STLExtras.h"
#include "runtime/nvrtc/nvrtc.h"

namespace hone {
namespace ptx_contender_test {

const std::vector<Contest>& contests() {
  static const std::vector<Contest> all = all_contests();
  return all;
}

std::vector<std::string> names_of_contests_with_kernels() {
  std::vector<std::string> names;
  for (const Contest& contest : contests())
    if (contest.handwritten && !contest.handwritten(contest.edge_problems.front()).empty())
      names.push_back(contest.name);
  return names;
}

const Contest& contest_of(const std::string& name) {
  return *llvm::find_if(contests(), [&](const Contest& contest) { return contest.name == name; });
}

/// The error of a kernel that is checked, and its findings.
struct Outcome {
  double error = 0;
  std::string findings;
};

/// Throws Skipped where the kernel does not take these sizes.
Outcome run(const HandwrittenKernel& kernel, const Contest& contest, const Sizes& sizes) {
  std::vector<ptx::Report> reports;
  const ptx::LaunchOptions options = {.check = true, .threads = 1};
  const Contender contender = ptx_contender(kernel, contest, sizes, options, reports);
  Outcome outcome;
  outcome.error = Workload(contest, sizes, Device::simulated(), false).error_of(contender);
  for (const ptx::Report& report : reports)
    for (const ptx::Report::Finding& finding : report.findings)
      outcome.findings += to_string(finding) + "\n";
  return outcome;
}

/// Problems with more elements take too long.
bool is_small(const Contest& contest, const Sizes& sizes) {
  return llvm::all_of(contest.inputs, [&](const std::string& tensor) {
    return contest.elements(tensor, sizes) <= 20'000;
  });
}

class HandwrittenAsPtx : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  }
};

INSTANTIATE_TEST_SUITE_P(Contests, HandwrittenAsPtx,
                         testing::ValuesIn(names_of_contests_with_kernels()), [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST_P(HandwrittenAsPtx, IsRightWithoutFindings) {
  const Contest& contest = contest_of(GetParam());
  std::map<std::string, int> problems;
  for (const Sizes& sizes : contest.edge_problems)
    for (const HandwrittenKernel& kernel : contest.handwritten(sizes)) try {
        problems[kernel.rung] += 0;
        if (!is_small(contest, sizes)) continue;
        const Outcome outcome = run(kernel, contest, sizes);
        EXPECT_LE(outcome.error, contest.tolerance(sizes)) << kernel.rung;
        EXPECT_EQ(outcome.findings, "") << kernel.rung << " " << describe(sizes);
        ++problems[kernel.rung];
      } catch (const Skipped&) {
      }
  for (const auto& [rung, count] : problems) EXPECT_GT(count, 0) << rung;
}

TEST(HandwrittenKernels, OfWhichABarrierIsLeftOutHaveAFinding) {
  if (!nvrtc_info()) GTEST_SKIP() << nvrtc_missing();
  const Contest& contest = contest_of("matmul");
  const Sizes& sizes = contest.edge_problems[1];
  const std::string barrier = "__syncthreads();";
  for (HandwrittenKernel kernel : contest.handwritten(sizes)) {
    const size_t place = kernel.source.find(barrier);
    if (place == std::string::npos) continue;
    kernel.source.erase(place, barrier.size());
    const std::string findings = run(kernel, contest, sizes).findings;
    EXPECT_EQ(findings.substr(0, findings.find(':')), "race") << findings;
    return;
  }
  FAIL() << "no kernel has a barrier";
}

}  // namespace ptx_contender_test
}  // namespace hone
