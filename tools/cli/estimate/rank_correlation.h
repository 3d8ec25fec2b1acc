// How far two orders of the same things agree.
#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace hone {

/// Spearman's, of as many numbers on both sides: 1 where they have one order, 0 where the one says
/// nothing of the other. Equal numbers share their ranks. NaN of fewer than two numbers.
double rank_correlation(llvm::ArrayRef<double> lhs, llvm::ArrayRef<double> rhs);

}  // namespace hone
