#include "tools/page/count_plan.h"

#include <algorithm>

#include "codegen/lower.h"
#include "llvm/ADT/STLExtras.h"
#include "tools/cli/judge/rung_kernels.h"
#include "tools/cli/judge/simulated_run.h"
#include "tools/page/story/runs.h"
#include "tools/page/story/standing.h"

namespace hone {
namespace {

/// The operations of a block of each rung of a page, which take the simulated device a second or
/// two.
constexpr double most_work = 1.2e8;
/// The operations of a block of a rung that is slower than the one that it builds on: the counts
/// of measured sizes say why.
constexpr double most_work_of_slower = 4e8;
/// The bytes of all arrays. Parts that no counted block touches take no memory.
constexpr double most_bytes = 4e9;

/// Blocks of the largest grid.
int64_t blocks_of(const Module& module, const Sizes& sizes) {
  int64_t blocks = 1;
  for (const KernelFunction& kernel : module.kernels) {
    const LaunchDims dims = launch_dims(kernel, sizes);
    blocks = std::max<int64_t>(blocks, dims.grid[0] * dims.grid[1] * dims.grid[2]);
  }
  return blocks;
}

/// The blocks at these sizes of a module that was made for others, or of one that is made for these
/// where that one refuses them.
int64_t blocks_at(const RungRef& rung, const Module& module, const Sizes& sizes) {
  try {
    return blocks_of(module, sizes);
  } catch (const std::exception&) {
    return blocks_of(kernels_of(rung, {}, sizes).module, sizes);
  }
}

/// Operations that a block of a rung may have.
double most_work_of_block(const Ladder& ladder) {
  const auto rungs =
      llvm::count_if(ladder.rungs, [](const Rung& rung) { return rung.target == RungTarget::gpu; });
  return most_work / static_cast<double>(std::max<ptrdiff_t>(rungs, 1));
}

/// True if a block has no more operations than `most`. Accesses of the host are counted without a
/// run. The page says of a rung that cannot run why.
bool is_quick(const RungRef& rung, const Module& module, const Sizes& sizes, double most) {
  const Ladder& ladder = *rung.ladder;
  if (rung.rung->target == RungTarget::host) return true;
  if (ladder.bytes && ladder.bytes(sizes) > most_bytes) return false;
  try {
    const auto blocks = static_cast<double>(blocks_at(rung, module, sizes));
    return work_of(ladder, sizes) / blocks <= most;
  } catch (const std::exception&) {
    return true;
  }
}

std::vector<Sizes> sizes_of(const Ladder& ladder, const PageOptions& options) {
  std::vector<Sizes> sizes = {options.sizes};
  if (options.count.most_blocks == 0) return sizes;
  for (const MeasuredRun& run : options.runs)
    if (!llvm::is_contained(sizes, run.sizes)) sizes.push_back(run.sizes);
  std::stable_sort(sizes.begin() + 1, sizes.end(), [&](const Sizes& lhs, const Sizes& rhs) {
    return work_of(ladder, lhs) > work_of(ladder, rhs);
  });
  sizes.push_back(simulated_sizes(ladder, {}));
  return sizes;
}

bool is_measured(llvm::ArrayRef<MeasuredRun> runs, const Sizes& sizes, const Rung& rung) {
  return llvm::any_of(
      runs, [&](const MeasuredRun& run) { return run.sizes == sizes && run.of(rung.name); });
}

}  // namespace

CountPlan::CountPlan(const Ladder& ladder, const PageOptions& options,
                     llvm::ArrayRef<const Module*> modules)
    : sizes_(sizes_of(ladder, options)) {
  for (const Rung& rung : ladder.rungs) {
    const Rung* base = built_on(ladder, rung);
    if (base && base->target != rung.target) base = nullptr;
    bases_.push_back(base ? base - ladder.rungs.data() : -1);
  }
  const std::vector<RungStanding> standings =
      standings_of(ladder, first_run_at(options.runs, options.sizes));
  for (size_t rung = 0; rung < bases_.size(); ++rung) {
    const double most =
        is_slower(standings[rung].over_base) ? most_work_of_slower : most_work_of_block(ladder);
    const auto may_show = [&](ptrdiff_t n, size_t number) {
      const Rung& one = ladder.rungs[n];
      if (number > 0 && !is_measured(options.runs, sizes_[number], one)) return false;
      return options.count.most_blocks == 0 ||
             is_quick({&ladder, &one}, *modules[n], sizes_[number], most);
    };
    size_t number = 0;
    while (number + 1 < sizes_.size() &&
           !(may_show(rung, number) && (bases_[rung] < 0 || may_show(bases_[rung], number))))
      ++number;
    shown_.push_back(number);
  }
}

std::vector<size_t> CountPlan::counted(size_t rung) const {
  std::vector<size_t> numbers = {shown_[rung]};
  for (size_t other = 0; other < bases_.size(); ++other)
    if (bases_[other] == static_cast<ptrdiff_t>(rung) &&
        !llvm::is_contained(numbers, shown_[other]))
      numbers.push_back(shown_[other]);
  return numbers;
}

}  // namespace hone
