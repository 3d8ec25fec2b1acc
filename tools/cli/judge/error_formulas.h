// The errors of single operations: what goes into them, and what they round.
#pragma once

#include "tools/cli/judge/error_bounds.h"

namespace hone {

/// How far a value in a program's own type may be from the one that is computed in f64.
struct ErrorOf {
  Expr bound;          ///< an f64
  double granule = 0;  ///< the value is a multiple of it; a power of two, and 0 where none is known

  bool is_exact() const;
  /// Of integers and bools.
  static ErrorOf integer();
};

struct FloatWithError {
  Expr value;  ///< an f64
  ErrorOf error;
};

Expr number(double value);
/// |value|
Expr magnitude(const Expr& value);

/// The largest power of two that divides a number: infinite of 0, 0 of what is no number.
double granule_of(double value);

FloatWithError exact(double constant);
FloatWithError negated(const FloatWithError& operand);

/// The value rounded to the type, where its error is that of the operands alone.
FloatWithError rounded(DType type, const FloatWithError& exact);

/// `name` makes a variable of a value that is used more than once.
using Name = llvm::function_ref<Expr(const Expr&)>;
FloatWithError result_of(BinaryOp op, DType type, const FloatWithError& lhs,
                         const FloatWithError& rhs, Name name);
FloatWithError result_of(Intrinsic intrinsic, DType type, llvm::ArrayRef<FloatWithError> arguments,
                         Name name);

/// Of the additions of a sum's terms.
Expr error_of_sum(DType type, const BoundedTensor& sum, const Expr& magnitude, const Expr& largest,
                  bool are_random);

}  // namespace hone
