// A condition on sizes that a launch checks, with the text of its refusal.
#pragma once

#include <string>

#include "ir/core/expr.h"
#include "llvm/ADT/SmallVector.h"

namespace hone {

struct SizeCheck {
  Expr holds;
  std::string message;                ///< each "{}" stands for one of `values`
  llvm::SmallVector<Expr, 4> values;  ///< formulas
};

/// `message` with the values for its "{}".
std::string filled(llvm::StringRef message, llvm::ArrayRef<std::string> values);

}  // namespace hone
