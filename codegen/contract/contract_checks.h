// Private to the launch contract: the conditions of a kernel on sizes.
#pragma once

#include "codegen/contract/launch_contract.h"

namespace hone {

/// The params of an expression, each once, in the order of the text.
llvm::SmallVector<Expr, 4> params_of(const Expr& expr);
/// "n is {}", "M is {} and N is {}"
std::string values_text(llvm::ArrayRef<Expr> params);

/// Sizes for which a GPU has the launch and 32 bits are enough.
llvm::SmallVector<SizeCheck, 8> limits_of(const KernelFunction& kernel);

/// Adds the index arithmetic that may not fit for all sizes within the limits.
void add_index_checks(const KernelFunction& kernel, KernelContract& contract);

}  // namespace hone
