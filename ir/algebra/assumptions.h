// Facts beyond the ranges of axes, as polynomials that are not negative.
#pragma once

#include "ir/algebra/polynomial.h"

namespace hone {

struct Assumptions {
  llvm::SmallVector<Polynomial, 4> over_params;  ///< those that mention nothing but params
  llvm::SmallVector<Polynomial, 4> general;      ///< the others

  /// value >= 0
  void add(const Polynomial& value);
};

/// The conditions, the innermost first, then extents >= 1.
Assumptions assumptions_of(const Facts& facts);

}  // namespace hone
