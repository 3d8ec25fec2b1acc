// The launch that a rung is counted in: of sizes that nobody has given, those that say most.
#pragma once

#include "runtime/sim/count/count.h"
#include "tools/cli/judge/selection.h"

namespace hone {

struct CountedLaunch {
  Sizes sizes;
  CountOptions options;
};

/// True if warps compute products together in one of its kernels, as it is built for the ladder's
/// own sizes.
bool uses_tensor_cores(const RungRef& rung);

/// For sizes that are given, that of simulated_sizes(). Without any, a rung that uses tensor cores
/// is counted at sizes_for_tensor_cores(), and so is another one that is compared with it, by some
/// of its blocks. `options` are those that are asked for.
CountedLaunch counted_launch(const RungRef& rung, const Sizes& given, const CountOptions& options,
                             bool is_beside_tensor_cores = false);

}  // namespace hone
