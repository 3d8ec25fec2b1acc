#include "tools/page/story/runs.h"

#include <algorithm>

#include "llvm/ADT/STLExtras.h"

namespace hone {
namespace {

bool is_before(const Ladder& ladder, const MeasuredRun& lhs, const MeasuredRun& rhs) {
  const bool is_wanted = lhs.sizes == ladder.first_shown;
  if (is_wanted != (rhs.sizes == ladder.first_shown)) return is_wanted;
  return work_of(ladder, lhs.sizes) > work_of(ladder, rhs.sizes);
}

size_t most_rungs(llvm::ArrayRef<MeasuredRun> runs) {
  size_t most = 0;
  for (const MeasuredRun& run : runs) most = std::max(most, run.rungs.size());
  return most;
}

}  // namespace

double work_of(const Ladder& ladder, const Sizes& sizes) {
  if (ladder.flops) return ladder.flops(sizes);
  return ladder.bytes ? ladder.bytes(sizes) : 0;
}

std::vector<MeasuredRun> ordered_runs(const Ladder& ladder, std::vector<MeasuredRun> runs,
                                      const Sizes* sizes) {
  const size_t enough = (most_rungs(runs) + 1) / 2;
  auto first = runs.end();
  for (auto run = runs.begin(); run != runs.end(); ++run) {
    if (sizes ? run->sizes != *sizes : run->rungs.size() < enough) continue;
    if (first == runs.end() || is_before(ladder, *run, *first)) first = run;
  }
  if (first != runs.end()) std::rotate(runs.begin(), first, first + 1);
  return runs;
}

}  // namespace hone
