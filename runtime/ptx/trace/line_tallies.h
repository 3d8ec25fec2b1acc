// The instructions and the branches of all warps, by line.
#pragma once

#include "runtime/ptx/device.h"
#include "runtime/ptx/machine/stepper.h"

namespace hone::ptx {

struct LineTally {
  std::string file;
  int line = 0;
  int64_t warp_instructions = 0;    ///< of PTX, that a warp came to with an active lane
  int64_t thread_instructions = 0;  ///< the active lanes of these
  int64_t branches = 0;             ///< conditional ones that a warp came to
  int64_t divergent_branches = 0;   ///< those that its lanes took differently
};

class LineTallies {
 public:
  LineTallies();
  ~LineTallies();
  /// For LaunchOptions.
  Stepper& stepper() const;
  /// Behind the launch: lines with code of the kernel, also those that no warp came to; by file and
  /// line.
  const std::vector<LineTally>& lines() const;

 private:
  class Counter;
  std::unique_ptr<Counter> counter_;
};

}  // namespace hone::ptx
