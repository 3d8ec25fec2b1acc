// Values of a user's own operator over real numbers.
#pragma once

#include <array>

#include "dsl/real_number.h"
#include "ir/core/update.h"
#include "llvm/ADT/SmallVector.h"

namespace hone {

/// A number, or the components of a tuple. Bools are 0 and 1.
using RealValue = llvm::SmallVector<RealNumber, 2>;

/// Of a constant.
RealValue real_value(const Expr& constant);

/// The operator's result for two values, where floats are not rounded. Nothing where integers leave
/// the range of their type, or have no quotient: results of operators on those are no promise.
std::optional<RealValue> real_value(const OperatorNode& op, const RealValue& lhs,
                                    const RealValue& rhs);

/// A value as the constant of the type that it is nearest to.
Expr rounded(const RealValue& value, DType type);

}  // namespace hone
