#include "tools/cli/profile/counted_launch.h"

#include "ir/analysis/site.h"
#include "ir/threads/tensor_operations.h"
#include "llvm/ADT/STLExtras.h"
#include "tools/cli/judge/rung_kernels.h"
#include "tools/cli/judge/simulated_run.h"

namespace hone {

bool uses_tensor_cores(const RungRef& rung) {
  if (rung.rung->target != RungTarget::gpu) return false;
  const Module module = kernels_of(rung, {}, rung.ladder->sizes).module;
  return llvm::any_of(module.kernels, [](const KernelFunction& kernel) {
    return find_stmt(kernel.body,
                     [](const Stmt& stmt) { return tensor_operations(stmt).has_value(); });
  });
}

CountedLaunch counted_launch(const RungRef& rung, const Sizes& given, const CountOptions& options,
                             bool is_beside_tensor_cores) {
  const bool has_tensor_cores = given.empty() && uses_tensor_cores(rung);
  if (!has_tensor_cores && !(given.empty() && is_beside_tensor_cores))
    return {simulated_sizes(*rung.ladder, given), options};
  CountedLaunch launch = {sizes_for_tensor_cores(*rung.ladder), options};
  constexpr int64_t sample = 64;
  if (!has_tensor_cores && options.most_blocks == 0) launch.options.most_blocks = sample;
  return launch;
}

}  // namespace hone
