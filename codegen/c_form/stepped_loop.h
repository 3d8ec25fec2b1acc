// Loops that count in steps: for (int k = 0; k < K; k += 8).
#pragma once

#include "codegen/kernel.h"
#include "ir/algebra/facts.h"

namespace hone {

/// The values that C counts through in a loop.
struct LoopCount {
  enum class Kind : uint8_t {
    adding,    ///< first, first + step... as long as it is less than `limit`
    doubling,  ///< first, 2*first... as long as it is less than `limit`
    halving,   ///< first, first/2... as long as it is more than `limit`
  };

  Expr limit;
  int64_t step = 1;
  Kind kind = Kind::adding;
  Expr first = 0;
  bool is_guard = false;  ///< the body is an If, and the limit says what its condition does

  /// True where it counts from 0 on, one by one, as the loop does in the IR.
  bool is_of_trips() const;
};

struct SteppedLoop {
  LoopCount count;
  Stmt body;  ///< over the same axis, which now counts in steps
};

/// The loop as its body uses it: where all that it uses are multiples of the axis, as k.0*8, they
/// are what is counted; likewise where it uses nothing but 1 << axis, or 64 >> axis. A step of 1
/// where there is no such number. A guard that is all of the body, and that no iteration passes
/// after one that does not, becomes the limit; what it adds to the axis is where counting starts,
/// if all uses of the axis add it: for (k = t; k < K; k += 8), else for (k = 0; k < K - t; k += 8).
SteppedLoop stepped(const For& loop, const Facts& facts);

/// The iterations of the axis, from 0 on, that meet the condition: n - i of i + axis < n. None does
/// where that is negative. Null for a condition that is no such limit, or reads a tensor.
Expr iterations_below(const Expr& condition, const AxisPtr& axis);

}  // namespace hone
