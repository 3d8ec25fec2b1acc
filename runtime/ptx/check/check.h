// Check mode: who watches the blocks of a launch.
#pragma once

#include "runtime/ptx/machine/block.h"

namespace hone::ptx {

/// What the checkers of the blocks of a launch have in common.
class CheckState {
 public:
  virtual ~CheckState() = default;
  /// Gives the block an observer.
  virtual void watch(Block& block) = 0;
  /// Adds the findings, by kind and place.
  virtual void finish(Report& report) = 0;
};

std::unique_ptr<CheckState> make_check_state(const Run& run);

}  // namespace hone::ptx
