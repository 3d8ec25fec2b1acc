// Dependences in the common case: indices whose axes are digits of a number.
#pragma once

#include <optional>

#include "ir/analysis/accesses.h"

namespace hone {

/// The loops that `unseparated` of ir/analysis/dependence.h returns, where that follows from equal
/// indices alone: c0*a0 + c1*a1 + ... and what is the same in both instances. Nothing where it does
/// not follow.
std::optional<llvm::SmallVector<const For*, 4>> unseparated_by_digits(
    llvm::ArrayRef<const For*> loops, const MemoryAccess& lhs, const MemoryAccess& rhs);

}  // namespace hone
