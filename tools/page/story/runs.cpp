#include "tools/page/story/runs.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

/// Operations, or bytes where the ladder counts none.
double work_of(const Ladder& ladder, const MeasuredRun& run) {
  if (ladder.flops) return ladder.flops(run.sizes);
  return ladder.bytes ? ladder.bytes(run.sizes) : 0;
}

bool has_smaller_work(const Ladder& ladder, const MeasuredRun& lhs, const MeasuredRun& rhs) {
  return work_of(ladder, lhs) < work_of(ladder, rhs);
}

size_t most_rungs(llvm::ArrayRef<MeasuredRun> runs) {
  size_t most = 0;
  for (const MeasuredRun& run : runs) most = std::max(most, run.rungs.size());
  return most;
}

}  // namespace

std::vector<MeasuredRun> ordered_runs(const Ladder& ladder, std::vector<MeasuredRun> runs,
                                      const Sizes* sizes) {
  const size_t enough = (most_rungs(runs) + 1) / 2;
  auto first = runs.end();
  for (auto run = runs.begin(); run != runs.end(); ++run) {
    if (sizes ? run->sizes != *sizes : run->rungs.size() < enough) continue;
    if (first == runs.end() || has_smaller_work(ladder, *first, *run)) first = run;
  }
  if (first != runs.end()) std::rotate(runs.begin(), first, first + 1);
  return runs;
}

}  // namespace hone
