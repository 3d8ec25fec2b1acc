// The primitives: the table of contents. Each takes a function and returns a new one; each either
// keeps the meaning or throws ScheduleError with the function unchanged. Before and after stand in
// the .cpp of the family.
#pragma once

#include "ir/stmt.h"

namespace hone {

/// What becomes of the iterations that a split leaves over when the factor does not divide.
enum class Tail : uint8_t {
  guard,  ///< an `if` in the inner loop; none where the factor is proved to divide
  exact,  ///< a promise: refused unless the factor is proved to divide
  peel,   ///< a loop of its own after the main one
};

/// A rewritten function, with the axes and the tensor that the step made.
struct Rewrite {
  Function function;
  llvm::SmallVector<AxisPtr, 4> axes;
  TensorPtr tensor;
};

// loops: split.cpp, fuse.cpp, reorder.cpp, fission.cpp, unroll.cpp, rename.cpp

/// Returns {outer, inner}, and the tail's axis after them where there is a tail loop. `factor` is
/// an index expression over params and constants.
Rewrite split(const Function& function, const AxisPtr& axis, const Expr& factor, Tail tail);
/// As split, with the number of outer iterations given.
Rewrite split_into(const Function& function, const AxisPtr& axis, const Expr& parts, Tail tail);
/// Splits each axis and orders the outer ones before the inner ones: returns the outer axes, then
/// the inner ones.
Rewrite tile(const Function& function, llvm::ArrayRef<AxisPtr> axes, llvm::ArrayRef<Expr> factors,
             Tail tail);
Rewrite fuse(const Function& function, const AxisPtr& outer, const AxisPtr& inner);
/// Puts the axes in the given order, in the places that they hold now.
Rewrite reorder(const Function& function, llvm::ArrayRef<AxisPtr> axes);
/// One loop per statement of the body; returns their axes.
Rewrite fission(const Function& function, const AxisPtr& axis);
/// `count` copies of the body per trip; 0 unrolls in full.
Rewrite unroll(const Function& function, const AxisPtr& axis, int64_t count);
Rewrite rename(const Function& function, const AxisPtr& axis, llvm::StringRef name);

// mapping: bind.cpp

Rewrite bind(const Function& function, const AxisPtr& axis, const Binding& binding);
/// Arguments may overlap in memory: generated pointers carry no `__restrict__`.
Rewrite may_alias(const Function& function);

// memory: cache.cpp

/// The part of `tensor` that one iteration of `axis` touches lives in registers while that
/// iteration runs. Returns the register tensor.
Rewrite cache_registers(const Function& function, const TensorPtr& tensor, const AxisPtr& axis);

}  // namespace hone
