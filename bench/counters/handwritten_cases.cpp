#include "bench/counters/handwritten_cases.h"

#include <map>

#include "bench/gpu/workload.h"
#include "fmt/format.h"
#include "llvm/ADT/STLExtras.h"
#include "tools/cli/judge/problem.h"

namespace hone {
namespace {

/// Problems with more elements take too long to count.
constexpr int64_t most_elements = 20'000;

bool is_small(const Contest& contest, const Sizes& sizes) {
  return llvm::all_of(contest.inputs, [&](const std::string& tensor) {
    return contest.elements(tensor, sizes) <= most_elements;
  });
}

bool takes_sizes(const HandwrittenKernel& kernel, const Sizes& sizes) try {
  handwritten_contender(kernel, sizes, {Device::simulated(), "sm_90"});
  return true;
} catch (const Skipped&) {
  return false;
}

int64_t elements(const HandwrittenCase& one) {
  int64_t all = 0;
  for (const std::string& tensor : one.contest->inputs)
    all += one.contest->elements(tensor, one.sizes);
  return all;
}

/// One for each rung, the first of the largest ones.
void keep_larger(std::map<std::string, HandwrittenCase>& by_rung, HandwrittenCase one) {
  const auto [known, is_new] = by_rung.try_emplace(one.kernel.rung, one);
  if (!is_new && elements(one) > elements(known->second)) known->second = std::move(one);
}

}  // namespace

std::string HandwrittenCase::name() const {
  return fmt::format("{}/{} by hand, {}", contest->name, kernel.rung, to_text(sizes));
}

std::vector<HandwrittenCase> handwritten_cases(const std::string& text) {
  static const std::vector<Contest> contests = all_contests();
  std::vector<HandwrittenCase> cases;
  for (const Contest& contest : contests) {
    std::map<std::string, HandwrittenCase> by_rung;
    for (const Sizes& sizes : contest.edge_problems) {
      if (!contest.handwritten || !is_small(contest, sizes)) continue;
      for (const HandwrittenKernel& kernel : contest.handwritten(sizes)) {
        const HandwrittenCase one = {&contest, sizes, kernel};
        if (llvm::StringRef(one.name()).contains(text) && takes_sizes(kernel, sizes))
          keep_larger(by_rung, one);
      }
    }
    for (auto& [rung, one] : by_rung) cases.push_back(std::move(one));
  }
  return cases;
}

void launch_once(const HandwrittenCase& one, const Device& device) {
  const Contender contender =
      handwritten_contender(one.kernel, one.sizes, {device, device.properties().arch});
  const Workload workload(*one.contest, one.sizes, device, /*rotated=*/false);
  workload.launches(contender).front()();
  device.synchronize();
}

std::vector<ptx::LaunchCounts> count_launches(const HandwrittenCase& one) {
  std::vector<ptx::Report> reports;
  const Contender contender =
      ptx_contender(one.kernel, *one.contest, one.sizes, {.count = true}, reports);
  const Workload workload(*one.contest, one.sizes, Device::simulated(), /*rotated=*/false);
  workload.launches(contender).front()();
  std::vector<ptx::LaunchCounts> counts;
  counts.reserve(reports.size());
  for (ptx::Report& report : reports) counts.push_back(std::move(report.counts));
  return counts;
}

}  // namespace hone
