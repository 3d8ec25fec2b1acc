// The launches that rungs are counted in: of sizes that nobody has given, those that say most.
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "runtime/sim/count/count.h"
#include "tools/cli/judge/selection.h"

namespace hone {

struct CountedLaunch {
  Sizes sizes;
  CountOptions options;
};

/// The sizes of a ladder that somebody has given.
using GivenSizes = llvm::function_ref<Sizes(const Ladder&)>;

/// Of rungs that are compared, or of one. Where no sizes are given, and one of the rungs uses
/// tensor cores, all of them are counted at sizes_for_tensor_cores(), the others by some of their
/// blocks; or else at simulated_sizes(). A size that several ladders have is that of the first
/// rung. `options` are those that are asked for.
std::vector<CountedLaunch> counted_launches(llvm::ArrayRef<RungRef> rungs, GivenSizes given,
                                            const CountOptions& options);

}  // namespace hone
