#include "tools/cli/profile/counted_launch.h"

#include "ir/analysis/site.h"
#include "ir/threads/tensor_operations.h"
#include "llvm/ADT/STLExtras.h"
#include "tools/cli/judge/rung_kernels.h"
#include "tools/cli/judge/simulated_run.h"

namespace hone {
namespace {

/// True if warps compute products together in one of the rung's kernels.
bool uses_tensor_cores(const RungRef& rung) {
  if (rung.rung->target != RungTarget::gpu) return false;
  const Module module = kernels_of(rung, {}, rung.ladder->sizes).module;
  return llvm::any_of(module.kernels, [](const KernelFunction& kernel) {
    return find_stmt(kernel.body,
                     [](const Stmt& stmt) { return tensor_operations(stmt).has_value(); });
  });
}

/// The values of `first` for the names that `sizes` has.
void take_over(const Sizes& first, Sizes& sizes) {
  for (auto& [name, size] : sizes)
    if (const auto known = first.find(name); known != first.end()) size = known->second;
}

}  // namespace

std::vector<CountedLaunch> counted_launches(llvm::ArrayRef<RungRef> rungs, GivenSizes given,
                                            const CountOptions& options) {
  constexpr int64_t sample = 64;
  const bool are_given =
      llvm::any_of(rungs, [&](const RungRef& rung) { return !given(*rung.ladder).empty(); });
  llvm::SmallVector<bool, 2> use_tensor_cores;
  for (const RungRef& rung : rungs)
    use_tensor_cores.push_back(!are_given && uses_tensor_cores(rung));
  const bool are_large = llvm::is_contained(use_tensor_cores, true);
  std::vector<CountedLaunch> launches;
  for (const auto& [rung, uses] : llvm::zip(rungs, use_tensor_cores)) {
    const Ladder& ladder = *rung.ladder;
    launches.push_back(
        {are_large ? sizes_for_tensor_cores(ladder) : simulated_sizes(ladder, given(ladder)),
         options});
    take_over(launches.front().sizes, launches.back().sizes);
    if (are_large && !uses && options.most_blocks == 0)
      launches.back().options.most_blocks = sample;
  }
  return launches;
}

}  // namespace hone
