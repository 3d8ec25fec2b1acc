// The agents of a kernel: warps of a block that wait at the same places.
#pragma once

#include "runtime/sim/count/record.h"

namespace hone {

struct Agent {
  std::vector<int> warps;  ///< in ascending order
  int64_t threads = 0;
  std::vector<Stretch> stretches;  ///< what all of its threads do, together

  bool fills() const;
  bool reads() const;
};

/// Those of the block that was followed, first the ones that fill rings.
std::vector<Agent> agents_of(const RecordReport& report);

}  // namespace hone
