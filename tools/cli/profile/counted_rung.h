// Counters of all kernels of a rung together, as they are written.
#pragma once

#include <vector>

#include "tools/cli/judge/problem.h"
#include "tools/cli/judge/selection.h"

namespace hone {

/// A counter that tells rungs apart, with the title of its column.
struct ShownCounter {
  const char *name, *title;
};
inline constexpr ShownCounter shown_counters[] = {
    {"global_load_sectors", "load sectors"},
    {"global_store_sectors", "store sectors"},
    {"shared_wavefronts", "shared wavefronts"},
    {"shared_excessive_wavefronts", "excessive"},
};

/// The values of these: of large launches scaled up from those of 2048 blocks. Throws what a run on
/// the simulated device throws.
std::vector<double> counters_of(const RungRef& rung, const Problem& problem, const Sizes& fixed);

}  // namespace hone
