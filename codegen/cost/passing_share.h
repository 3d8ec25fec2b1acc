// The part of a block's threads and of a loop's iterations that passes a condition.
#pragma once

#include "codegen/cost/size_formula.h"
#include "codegen/kernel.h"

namespace hone {

/// The part of all combinations of thread indices and of the iterations of `loops`, outermost
/// first, in which all `conditions` hold: 85/128 where 340 of 512 do. Nothing where a condition
/// depends on anything else, where a range is not constant, or where there are over a million
/// combinations.
std::optional<SizeFormula> passing_share(const KernelFunction& kernel,
                                         llvm::ArrayRef<const For*> loops,
                                         llvm::ArrayRef<Expr> conditions);

}  // namespace hone
