// An onlooker of single warps, op by op: what a debugger is made of.
#pragma once

#include "runtime/ptx/machine/program.h"

namespace hone::ptx {

struct Run;

class Stepper {
 public:
  virtual ~Stepper() = default;
  /// Before any block runs. Throws RuntimeError where there is nothing to watch.
  virtual void begin(const Run& run) = 0;
  virtual bool watches(const Block& block, int warp) const = 0;
  /// The lanes of Split::lanes stand at the op, and the active ones are to run it; there may be
  /// none.
  virtual void before(Warp& warp, const Op& op) = 0;
  /// Some lanes have run it, or wait there. The warp may stand elsewhere.
  virtual void after(Warp& warp, const Op& op) = 0;
  /// Behind the launch, also one that has failed.
  virtual void end() = 0;
};

}  // namespace hone::ptx
