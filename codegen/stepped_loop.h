// Loops that count in steps: for (int k = 0; k < K; k += 8).
#pragma once

#include "codegen/kernel.h"
#include "ir/facts.h"

namespace hone {

/// A loop whose axis runs over `0, step, 2*step...` as long as it is less than `limit`.
struct SteppedLoop {
  Expr limit;
  int64_t step;
  Stmt body;  ///< over the same axis, which now counts in steps
};

/// The loop as its body uses it: where all that it uses are multiples of the axis, as k.0*8, they
/// are what is counted. A step of 1 where there is no such number.
SteppedLoop stepped(const For& loop, const Facts& facts);

}  // namespace hone
