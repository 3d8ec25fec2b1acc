// Random schedule steps: mostly ones that fit the loops that there are, and some that do not.
#pragma once

#include <optional>

#include "ir/schedule/step.h"
#include "tests/support/random/random.h"

namespace hone {

/// The subject of a schedule at the moment; tells how often each primitive is drawn.
enum class Phase : uint8_t {
  loops,    ///< split, tile, fuse, reorder, fission, merge
  mapping,  ///< bind to blocks and threads, from the outside in
  host,     ///< bind to the cores of the CPU
  memory,   ///< tiles and their copies, layouts, vectors, and some of everything else
  any,
  placement,  ///< places of temporaries
  nests,      ///< statements and nests of their own, by write_out and fission
};

/// The phases that a schedule goes through, one entry per step.
std::vector<Phase> random_phases(Random& random);

/// A step on the loops of `function`; nothing where the drawn primitive finds no loop to apply to.
std::optional<Step> random_step(Random& random, const Function& function, Phase phase);

}  // namespace hone
