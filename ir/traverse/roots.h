// The declared axes that expressions are about.
#pragma once

#include "ir/core/expr.h"

namespace hone {

/// The declared axis that all axes of `expr` descend from; empty when there are several, or none.
llvm::StringRef common_root(const Expr& expr);

}  // namespace hone
