// Expressions that functions of users make.
#pragma once

#include "ir/core/expr.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hone {

/// Undefined where what `make` calls makes no expression, which the program refuses.
inline Expr made(llvm::function_ref<Expr()> make) {
  try {
    return make();
  } catch (const DefinitionError&) {
    return {};
  }
}

}  // namespace hone
