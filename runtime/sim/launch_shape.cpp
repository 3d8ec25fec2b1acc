#include "runtime/sim/launch_shape.h"

#include <algorithm>

#include "ir/target/gpu_limits.h"
#include "runtime/error.h"
#include "runtime/sim/finding.h"

namespace hone {
namespace {

using Extents = std::array<int64_t, 3>;

bool exceeds(const Extents& extents, const Extents& most) {
  return extents[0] > most[0] || extents[1] > most[1] || extents[2] > most[2];
}

}  // namespace

void check_launch_shape(const std::string& kernel, const Extents& grid, const Extents& block) {
  const ArchitectureLimits& limits = widest_architecture();
  if (*std::min_element(grid.begin(), grid.end()) < 0)
    throw RuntimeError("{}: a grid of {} has a negative extent", kernel, triple(grid));
  if (*std::min_element(block.begin(), block.end()) < 1)
    throw RuntimeError("{}: a block of {} has no threads", kernel, triple(block));
  if (exceeds(block, limits.max_block))
    throw RuntimeError("{}: a block of {} is too large; at most {} fit", kernel, triple(block),
                       triple(limits.max_block));
  if (const int64_t threads = block[0] * block[1] * block[2]; threads > limits.max_threads)
    throw RuntimeError("{}: a block of {} has {} threads; at most {} fit", kernel, triple(block),
                       threads, limits.max_threads);
  if (exceeds(grid, limits.max_grid))
    throw RuntimeError("{}: a grid of {} is too large; at most {} fit", kernel, triple(grid),
                       triple(limits.max_grid));
}

}  // namespace hone
