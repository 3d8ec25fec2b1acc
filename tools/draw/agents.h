// The agents of a kernel: warps of a block that wait at the same places.
#pragma once

#include "tools/draw/stretches.h"

namespace hone {

struct Agent {
  std::vector<int> warps;  ///< in ascending order
  int64_t threads = 0;
  std::vector<Stretch> stretches;  ///< what all of its threads do, together

  bool fills() const;
  bool reads() const;
};

/// Those of one block, first the ones that fill rings. Empty where
/// lanes of a warp wait for different things, or for what depends on values of tensors.
std::vector<Agent> agents_of(const KernelFunction& kernel, const Sizes& sizes,
                             const std::array<int64_t, 3>& block,
                             const std::array<int64_t, 3>& threads);

}  // namespace hone
